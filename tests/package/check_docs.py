#!/usr/bin/env python3
"""The comments of the public headers: doxygen accepts them, and refuses what it should.

    python3 tests/package/check_docs.py --doxyfile FILE

Exit status 77: there is no doxygen here.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Docs(unittest.TestCase):
    given = None

    def doxygen(self, change=lambda text: text, strict=False):
        """(status, messages, page names) for the headers as they are, or with weft.h changed.
        Strict: for the C API alone, whose every name must have a comment."""
        with tempfile.TemporaryDirectory(prefix="weft-docs-") as folder:
            folder = pathlib.Path(folder)
            for source in ("include/weft", "adapters/mpi/include/weft"):
                shutil.copytree(ROOT / source, folder / source)
            header = folder / "include/weft/weft.h"
            header.write_text(change(header.read_text()))
            text = self.given.doxyfile.read_text().replace(str(ROOT), str(folder))
            text = re.sub(r"(?m)^OUTPUT_DIRECTORY .*", f"OUTPUT_DIRECTORY = {folder}/out", text)
            if strict:
                text += "FILE_PATTERNS = *.h\nWARN_IF_UNDOCUMENTED = YES\n"
            done = subprocess.run(["doxygen", "-"], input=text, text=True, capture_output=True,
                                  check=False)
            return done.returncode, done.stderr, {p.name for p in (folder / "out").glob("*.html")}

    def test_every_name_of_the_c_api_has_a_comment(self):
        status, messages, pages = self.doxygen(strict=True)
        self.assertEqual((status, messages), (0, ""))
        self.assertIn("group__collectives.html", pages)

    def test_the_reference_can_be_made(self):
        status, messages, pages = self.doxygen()
        self.assertEqual((status, messages), (0, ""))
        self.assertIn("group__collectives.html", pages)

    def test_a_function_without_a_comment_is_an_error(self):
        status, messages, _ = self.doxygen(lambda text: text.replace(
            "WEFT_API int weft_version(void);",
            "WEFT_API int weft_version(void);\nWEFT_API int weft_nobody_knows(void);"), strict=True)
        self.assertNotEqual(status, 0)
        self.assertIn("weft_nobody_knows", messages)

    def test_a_reference_that_leads_nowhere_is_an_error(self):
        status, messages, _ = self.doxygen(lambda text: text.replace(
            "/** WEFT_VERSION of the library that is loaded. */",
            "/** WEFT_VERSION of the library that is loaded, see @ref weft_gone. */"))
        self.assertNotEqual(status, 0)
        self.assertIn("weft_gone", messages)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--doxyfile", required=True, type=pathlib.Path)
    Docs.given, rest = parser.parse_known_args()
    if not shutil.which("doxygen"):
        print("skipped: no doxygen on this machine; scripts/install-deps --tests has it")
        return 77
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
