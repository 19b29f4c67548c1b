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
from xml.etree import ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]


def swap(old, new):
    """What puts `new` in the first place of `old`, which must be there."""
    def change(text):
        if old not in text:
            raise AssertionError(f"the header has no longer: {old}")
        return text.replace(old, new, 1)
    return change


def text_of(element, *tags):
    return "".join("".join(e.itertext()) for tag in tags for e in element.findall(tag)).strip()


def without_comment(folder):
    """Names of the C++ API that have no comment of their own, from doxygen's XML. Namespaces and
    what was deleted need none."""
    bare = []
    for file in sorted(folder.glob("*.xml")):
        for compound in ElementTree.parse(file).iter("compounddef"):
            if compound.get("prot") == "private":
                continue
            where = compound.findtext("compoundname")
            named = [] if compound.get("kind") in ("namespace", "dir") else [(where, compound)]
            for member in compound.iter("memberdef"):
                if member.findtext("argsstring", "").endswith("=delete"):
                    continue
                name = f"{where}::{member.findtext('name')}{member.findtext('argsstring', '')}"
                named.append((name, member))
                named += [(f"{name}::{value.findtext('name')}", value)
                          for value in member.findall("enumvalue")]
            bare += [name for name, element in named if element.get("prot") != "private"
                     and not text_of(element, "briefdescription", "detaileddescription")]
    return sorted(set(bare))


class Docs(unittest.TestCase):
    given = None

    def doxygen(self, change=swap("", ""), header="weft.h", settings="", read=lambda _: None):
        """(status, messages, page names, what `read` gets from the XML) for the public headers as
        they are, or with one changed."""
        with tempfile.TemporaryDirectory(prefix="weft-docs-") as folder:
            folder = pathlib.Path(folder)
            for source in ("include/weft", "adapters/mpi/include/weft"):
                shutil.copytree(ROOT / source, folder / source)
            changed = folder / "include/weft" / header
            changed.write_text(change(changed.read_text()))
            text = self.given.doxyfile.read_text().replace(str(ROOT), str(folder))
            text = re.sub(r"(?m)^OUTPUT_DIRECTORY .*", f"OUTPUT_DIRECTORY = {folder}/out", text)
            done = subprocess.run(["doxygen", "-"], input=text + settings, text=True,
                                  capture_output=True, check=False)
            pages = {p.name for p in (folder / "out").glob("*.html")}
            return done.returncode, done.stderr, pages, read(folder / "out/xml")

    def bare(self, old="", new="", header="weft.hpp"):
        """Names of the C++ API without a comment, once `old` has become `new` in a header. Here a
        comment holds for one name only."""
        settings = ("FILE_PATTERNS = *.hpp\nDISTRIBUTE_GROUP_DOC = NO\nGENERATE_XML = YES\n"
                    "WARN_IF_UNDOCUMENTED = NO\n")
        status, messages, _, names = self.doxygen(swap(old, new), header, settings, without_comment)
        self.assertEqual((status, messages), (0, ""))
        return names

    def test_every_name_has_a_comment_and_every_reference_leads_somewhere(self):
        status, messages, pages, _ = self.doxygen()
        self.assertEqual((status, messages), (0, ""))
        self.assertIn("group__collectives.html", pages)
        self.assertIn("classweft_1_1v0_1_1Communicator.html", pages)

    def test_every_name_of_the_cpp_api_has_a_comment_of_its_own(self):
        self.assertEqual(self.bare(), [])

    def test_a_cpp_name_without_a_comment_is_found(self):
        for header, old, new, name in (
                ("error.hpp", "///< a deadline passed", "", "Code::timed_out"),
                ("error.hpp", " public:\n", " public:\n  Error() = default;\n", "Error::Error()"),
                ("config.hpp", "struct Config {", "struct Config {\n  int unknown;", "unknown"),
                ("types.hpp", "/** One member", "struct Nobody {};\n/** One member", "Nobody"),
                ("types.hpp", "/** A time", "using Nothing = int;\n/** A time", "Nothing"),
                ("collectives.hpp", "  /** The same in place. */\n", "", "all_reduce_start")):
            with self.subTest(name):
                self.assertTrue(any(name in bare for bare in self.bare(old, new, header)))

    def test_a_function_without_a_comment_is_an_error(self):
        for header, old, new in (
                ("weft.h", "WEFT_API int weft_version(void);",
                 "WEFT_API int weft_version(void);\nWEFT_API int weft_nobody_knows(void);"),
                ("communicator.hpp", "  Communicator() = default;\n",
                 "  Communicator() = default;\n  void nobody_knows();\n")):
            with self.subTest(header):
                status, messages, *_ = self.doxygen(swap(old, new), header)
                self.assertNotEqual(status, 0)
                self.assertIn("nobody_knows", messages)

    def test_a_reference_that_leads_nowhere_is_an_error(self):
        status, messages, *_ = self.doxygen(swap(
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
