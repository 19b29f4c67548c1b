#!/usr/bin/env python3
"""Shows that each check of tidy.py can fail, on trees of a few lines in a temporary folder."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import check_build
import check_documents
import check_size
import rooms
import tidy
from tree import Skip, Tree

GOOD = {
    "src/base/CMakeLists.txt": "weft_room(base SOURCES a.cpp)\n",
    "src/base/a.hpp": "#pragma once\ninline int a() { return 1; }\n",
    "src/base/a.cpp": '#include "base/a.hpp"\n\n#include <vector>\n',
    "src/base/README.md": "line\n" * 10,
    "src/README.md": "line\n" * 10,
    "src/schedule/CMakeLists.txt": "weft_room(schedule SOURCES b.cpp LINKS base)\n",
    "src/schedule/b.cpp": '#include "base/a.hpp"\n',
    "src/schedule/README.md": "line\n" * 10,
    "src/base/config.cpp": 'const Variable log{"WEFT_LOG", "warn",\n'
                           '                   "Says "\n                   "much."};\n',
    "README.md": f"{check_documents.BEGIN}\n\n| variable | default | what it does |\n"
                 f"|---|---|---|\n| `WEFT_LOG` | `warn` | Says much. |\n\n{check_documents.END}\n",
}
LONG = "int f(int x) {\n" + "  ++x;\n" * 68 + "  return x;\n}\n"  # 71 lines


class Checks(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weft-tidy-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def problems(self, check, changes=None, build=None):
        """What `check` says of the good tree with these files changed (None: taken away)."""
        tree = self.folder / f"tree{len(list(self.folder.iterdir()))}"
        for path, text in {**GOOD, **(changes or {})}.items():
            if text is not None:
                (tree / path).parent.mkdir(parents=True, exist_ok=True)
                (tree / path).write_text(text, newline="")
        return list(tidy.CHECKS[check](Tree(tree, build)))

    def refuses(self, check, part, changes):
        found = self.problems(check, changes)
        self.assertTrue(any(part in problem for problem in found), f"{check}: {found}")

    def test_the_good_tree_is_good(self):
        for check in tidy.CHECKS:
            with self.subTest(check):
                try:
                    self.assertEqual(self.problems(check), [])
                except Skip:
                    pass

    def test_includes(self):
        self.refuses("includes", "src/base may not know src/schedule",
                     {"src/base/a.cpp": '#include "schedule/b.hpp"\n', "src/schedule/b.hpp": "\n"})
        self.refuses("includes", "may not know net/tcp",
                     {"src/schedule/b.cpp": '#include "net/tcp/t.hpp"\n', "net/tcp/t.hpp": "\n"})
        self.refuses("includes", "belongs to net/verbs/ only",
                     {"src/base/a.cpp": "#include <infiniband/verbs.h>\n"})
        self.refuses("includes", "belongs to adapters/", {"src/base/a.cpp": "# include <mpi.h>\n"})
        self.refuses("includes", "is not in the tree",
                     {"src/base/a.cpp": '#include "base/gone.hpp"\n'})
        self.refuses("includes", "lies in no room", {"src/attic/a.cpp": "\n"})
        at_home = {"net/verbs/v.cpp": "#include <infiniband/verbs.h>\n"}
        self.assertEqual(self.problems("includes", at_home), [])

    def test_links(self):
        self.refuses("links", "src/base links src/schedule",
                     {"src/base/CMakeLists.txt": "weft_room(base SOURCES a.cpp LINKS schedule)\n"})
        self.refuses("links", "src/base links src/schedule", {"src/base/CMakeLists.txt":
                     "weft_room(base)\ntarget_link_libraries(weft_base PRIVATE weft_schedule)\n"})
        self.refuses("links", "includes src/base but does not link it",
                     {"src/schedule/CMakeLists.txt": "weft_room(schedule SOURCES b.cpp)\n"})

    def test_table(self):
        self.refuses("table", "src/base: has sources but no CMakeLists.txt",
                     {"src/base/CMakeLists.txt": None})
        rooms.ROOMS["src/base"] = "src/schedule"
        self.addCleanup(rooms.ROOMS.update, {"src/base": ""})
        self.refuses("table", "names src/schedule, which is not above it", {})

    def test_sizes(self):
        self.refuses("sizes", "f has 71 lines", {"src/base/a.cpp": LONG})
        self.refuses("sizes", "601 lines", {"src/base/a.cpp": "\n" * 601})
        long = dict.fromkeys(("src/base/a.cpp", "src/base/a.hpp", "src/schedule/b.cpp"), "\n" * 160)
        self.refuses("sizes", "the median file", long)

    def test_functions_are_told_from_what_surrounds_them(self):
        def names(text):
            return [(name, lines) for name, _, lines in check_size.functions(text)]
        self.assertEqual(names("namespace n {\nstruct S {\n  int f() const {\n    return 1;\n"
                               "  }\n};\n}\n"), [("f", 3)])
        self.assertEqual(names('void g() {\n  if (x) {\n  }\n  auto s = "}";  // }\n'
                               "  char c = '{';\n}\n"), [("g", 6)])
        self.assertEqual(names("int table[] = {1, 2};\nenum class E { a, b };\n"
                               "#define M(x) { x }\n"), [])
        self.assertEqual(names('extern "C" {\nint h(void) {\n  return 0;\n}\n}\n'), [("h", 3)])
        self.assertEqual(names("Thing::Thing(int a)\n    : a_{a}, b_{{1}} {\n  f();\n}\n"),
                         [("Thing::Thing", 4)])
        self.assertEqual(names("int f(Config c = {}) {\n  g();\n}\n"), [("f", 3)])
        self.assertEqual(names("template <class T, class U = A<T>>\nT f(T t) {\n  g();\n}\n"),
                         [("f", 4)])
        self.assertEqual(names("class S {\n public:\n  struct alignas(64) T {\n    int f() {\n"
                               "    }\n  };\n};\n"), [("f", 2)])

    def test_blanks(self):
        for text, part in (("a \n", "trailing"), ("\ta\n", "a tab"), ("a", "one newline"),
                           ("a\n\n", "one newline"), ("a\r\n", "trailing")):
            self.refuses("blanks", part, {"src/base/README.md": text})

    def test_marks(self):
        self.refuses("marks", "open an issue", {"src/base/a.cpp": "// TO" + "DO: later\n"})
        self.refuses("marks", "open an issue", {"scripts/run": "#!/bin/sh\n# FIX" + "ME\n"})

    def test_paths(self):
        self.refuses("paths", "one machine", {"src/base/a.cpp": 'auto p = "/home' + '/me/weft";\n'})
        everywhere = {"src/base/a.cpp": "// net/work/x and /proc/stat\n"}
        self.assertEqual(self.problems("paths", everywhere), [])

    def test_format(self):
        if not shutil.which("clang-format"):
            self.skipTest("no clang-format here")
        try:
            self.refuses("format", "run clang-format", {"src/base/a.cpp": "int   a ;\n"})
        except Skip as reason:
            self.skipTest(str(reason))

    def test_documents(self):
        self.refuses("readmes", "src/base/README.md: is missing", {"src/base/README.md": None})
        self.refuses("readmes", "src/README.md: is missing", {"src/README.md": None})
        self.refuses("readmes", "2 lines", {"src/base/README.md": "a\nb\n"})
        self.refuses("readmes", "41 lines", {"src/base/README.md": 41 * "a\n" + 9 * "| 1 |\n"})
        self.refuses("variables", "WEFT_SECRET_KNOB is not in the table",
                     {"src/base/a.cpp": 'auto v = getenv("WEFT_SECRET_KNOB");\n'})
        self.refuses("readme_table", "differ", {"src/base/config.cpp":
                     'const Variable log{"WEFT_LOG", "info", "Says much."};\n'})
        self.refuses("readme_table", "has no table", {"README.md": "nothing\n"})
        self.refuses("document_links", "gone.md is not there", {"README.md": "[x](docs/gone.md)\n"})

    def test_headers(self):
        if not shutil.which("c++"):
            self.skipTest("no compiler here")
        self.refuses("headers", "does not compile alone",
                     {"src/base/a.hpp": "#pragma once\nstd::string a();\n"})
        self.refuses("headers", "does not compile alone as c:",
                     {"include/weft/w.h": "#include <stddef.h>\nbool weft(void);\n"})

    def test_headers_that_the_build_has_compiled_alone(self):
        if not shutil.which("c++"):
            self.skipTest("no compiler here")
        build = self.folder / "build"
        build.mkdir()
        broken = {"src/base/a.hpp": "#pragma once\nstd::string a();\n"}
        for source, lines in (("src/base/a.cpp", 0), ("src/base/config.cpp", 1)):
            file = self.folder / f"tree{len(list(self.folder.iterdir()))}" / source
            (build / "compile_commands.json").write_text(json.dumps([{"file": str(file)}]))
            self.assertEqual(len(self.problems("headers", broken, build)), lines, source)

    def test_examples(self):
        if not shutil.which("c++"):
            self.skipTest("no compiler here")
        broken = GOOD["README.md"] + "```c\nint main(void) { return weft_gone(); }\n```\n"
        self.refuses("examples", "does not compile", {"README.md": broken})
        whole = broken.replace("weft_gone()", "0")
        self.assertEqual(self.problems("examples", {"README.md": whole}), [])

    def test_symbols(self):
        if not shutil.which("c++") or not shutil.which("nm"):
            self.skipTest("no compiler or no nm here")
        build = self.folder / "build"
        build.mkdir()

        def problems(source):
            command = ["c++", "-shared", "-fPIC", "-x", "c++", "-", "-o", build / "libweft.so"]
            subprocess.run(command, input=source, text=True, check=True)
            return self.problems("symbols", build=build)
        self.assertEqual(problems('extern "C" int weft_version() { return 1; }'), [])
        leaking = 'extern "C" int weft_x() { return 1; } void leak() {}'
        self.assertIn("_Z4leakv", str(problems(leaking)))
        self.assertIn("exports no weft_", str(problems("static int x;")))
        with self.assertRaises(Skip):
            list(check_build.check_symbols(Tree(self.folder)))

    def test_every_check_has_a_test_that_fails_it(self):
        tested = {"includes", "links", "table", "sizes", "blanks", "marks", "paths", "format",
                  "readmes", "variables", "readme_table", "document_links", "headers",
                  "examples", "symbols"}
        self.assertEqual(tested, set(tidy.CHECKS))


if __name__ == "__main__":
    unittest.main(verbosity=2)
