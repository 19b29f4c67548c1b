#!/usr/bin/env python3
"""The installed package, as a stranger uses it: by find_package, by pkg-config, and moved.

    python3 tests/package/check_package.py --build FOLDER [--c CC] [--cxx CXX]

Installs what the build folder holds into a temporary prefix. Exit status 77: nothing to install.
"""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "tidy"))
from check_build import exported  # pylint: disable=wrong-import-position

LAUNCHER_VARIABLES = ("RANK", "WORLD_SIZE", "MASTER_", "PMIX_", "PMI_", "OMPI_", "SLURM_", "WEFT_",
                      "LD_LIBRARY_PATH", "CMAKE_PREFIX_PATH", "PKG_CONFIG_PATH")
C_FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"]
DECLARED = re.compile(r"\bWEFT_API\s[^;(]*?\b(weft_\w+)\s*\(")


def clean(**more):
    """This process's environment without any launcher, and with WEFT_INTERFACE for one host."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHER_VARIABLES)}
    return {**kept, "WEFT_INTERFACE": "lo", **more}


def run(command, **options):
    """Standard output; fails with all that was said."""
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True,
                          check=False, **{"env": clean(), "timeout": 120, **options})
    if done.returncode != 0:
        raise AssertionError(f"{shlex.join(map(str, command))}: status {done.returncode}\n"
                             f"{done.stdout}{done.stderr}")
    return done.stdout


def dynamic(path):
    """{tag: [values]} of the dynamic section: SONAME, NEEDED, RUNPATH, RPATH."""
    found = {}
    for tag, value in re.findall(r"\((\w+)\)[^\[\n]*\[(.*)\]", run(["readelf", "-dW", path])):
        found.setdefault(tag, []).append(value)
    return found


class Package(unittest.TestCase):
    """Tests share one installation, which the last of them, by name, moves."""

    given = folder = prefix = None

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="weft-package-"))
        cls.prefix = cls.folder / "first"
        run(["cmake", "--install", cls.given.build, "--prefix", cls.prefix])
        cls.lib = next(cls.prefix.rglob("libweft.so")).parent.relative_to(cls.prefix)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def binaries(self):
        return sorted((self.prefix / "bin").iterdir())

    def by_hand(self, program, environment, ranks=2):
        """The output of rank 0 of several processes that meet by a unique id."""
        unique = run([self.prefix / "bin" / "weft", "unique-id", "--host", "127.0.0.1"]).strip()
        job = {**environment, "WORLD_SIZE": str(ranks), "WEFT_UNIQUE_ID": unique}
        # pylint: disable-next=consider-using-with
        others = [subprocess.Popen([str(program)], env={**job, "RANK": str(rank)})
                  for rank in range(1, ranks)]
        try:
            said = run([program], env={**job, "RANK": "0"})
            self.assertEqual([other.wait(60) for other in others], [0] * (ranks - 1))
        finally:
            for other in others:
                other.kill()
                other.wait()
        return said

    def check_sum(self, program, environment):
        self.assertEqual(run([program], env=environment), "sum of 1 ranks: 1\n")
        self.assertEqual(self.by_hand(program, environment), "sum of 2 ranks: 3\n")

    def use_by_cmake(self, name):
        built = self.folder / name
        run(["cmake", "-S", HERE / "outside", "-B", built, f"-DCMAKE_PREFIX_PATH={self.prefix}",
             f"-DWANTED={self.version()}", f"-DCMAKE_C_COMPILER={self.given.c}",
             f"-DCMAKE_CXX_COMPILER={self.given.cxx}"])
        run(["cmake", "--build", built, "--parallel", "2"])
        self.check_sum(built / "sum", clean())
        self.assertEqual(run([built / "gather"]), "gathered: 0\n")
        self.assertEqual(self.by_hand(built / "gather", clean()), "gathered: 0 10\n")

    def use_by_pkg_config(self, name):
        place = clean(PKG_CONFIG_PATH=str(self.prefix / self.lib / "pkgconfig"))
        flags = run(["pkg-config", "--cflags", "--libs", "weft"], env=place).split()
        program = self.folder / name
        run([self.given.c, *C_FLAGS, HERE / "outside" / "sum.c", *flags, "-o", program])
        self.check_sum(program, clean(LD_LIBRARY_PATH=str(self.prefix / self.lib)))
        self.assertEqual(run(["pkg-config", "--modversion", "weft"], env=place).strip(),
                         self.version())

    def version(self):
        header = (ROOT / "include" / "weft" / "weft.h").read_text()
        return ".".join(re.search(rf"WEFT_VERSION_{part} (\d+)", header)[1]
                        for part in ("MAJOR", "MINOR", "PATCH"))

    def test_1_the_library_has_a_soname_and_no_path_of_the_build(self):
        library = self.prefix / self.lib / "libweft.so"
        major = self.version().split(".", maxsplit=1)[0]
        self.assertEqual(dynamic(library)["SONAME"], [f"libweft.so.{major}"])
        self.assertTrue((self.prefix / self.lib / f"libweft.so.{major}").exists())
        for path in [library, *self.binaries()]:
            entries = dynamic(path)
            self.assertNotIn("RPATH", entries)
            for place in entries.get("RUNPATH", []):
                self.assertTrue(place.startswith("$ORIGIN"), f"{path.name}: {place}")
            for needed in entries["NEEDED"]:
                self.assertNotIn("/", needed, path.name)

    def test_1_the_library_exports_what_the_header_declares(self):
        names = exported(self.prefix / self.lib / "libweft.so")
        headers = sorted((self.prefix / "include" / "weft").glob("*.h"))
        declared = {name for header in headers for name in DECLARED.findall(header.read_text())}
        self.assertEqual(names, sorted(declared))

    def test_1_the_tools_start(self):
        for path in self.binaries():
            with self.subTest(path.name):
                run([path, "--help"])
        self.assertIn(self.version(), run([self.prefix / "bin" / "weft", "version"]))

    def test_1_the_headers_are_all_there(self):
        wanted = {p.name for folder in ("include/weft", "adapters/mpi/include/weft")
                  for p in (ROOT / folder).iterdir()}
        there = {p.name for p in (self.prefix / "include" / "weft").iterdir()}
        self.assertEqual(there, wanted)

    def test_2_a_project_finds_it_by_cmake(self):
        self.use_by_cmake("outside")

    def test_2_a_version_that_is_not_there_is_not_found(self):
        done = subprocess.run(
            ["cmake", "-S", HERE / "outside", "-B", self.folder / "wrong", "-DWANTED=99.0",
             f"-DCMAKE_PREFIX_PATH={self.prefix}"],
            env=clean(), text=True, capture_output=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("99.0", done.stderr)

    def test_2_a_program_finds_it_by_pkg_config(self):
        self.use_by_pkg_config("sum")

    def test_2_the_examples_are_built_and_run_against_it(self):
        built = self.folder / "examples"
        run(["cmake", "-S", ROOT / "examples", "-B", built, f"-DCMAKE_PREFIX_PATH={self.prefix}",
             f"-DCMAKE_CXX_COMPILER={self.given.cxx}"])
        run(["cmake", "--build", built, "--parallel", "2"])
        said = self.by_hand(built / "collectives", clean(), ranks=4)
        for row in ("1111", "2222", "3333", "4444"):
            self.assertIn(row, said)
        self.assertIn("loss", self.by_hand(built / "train_mlp", clean()))

    def test_2_an_mpi_program_uses_the_adapter(self):
        if not shutil.which("mpicc") or not shutil.which("mpirun"):
            self.skipTest("no mpicc or no mpirun")
        page = (ROOT / "docs" / "launch" / "mpi_program.md").read_text()
        source = self.folder / "train.c"
        source.write_text(re.search(r"(?ms)^```c\n(.*?)^```$", page)[1])
        place = clean(PKG_CONFIG_PATH=str(self.prefix / self.lib / "pkgconfig"),
                      LD_LIBRARY_PATH=str(self.prefix / self.lib), OMPI_ALLOW_RUN_AS_ROOT="1",
                      OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
        flags = run(["pkg-config", "--cflags", "--libs", "weft"], env=place).split()
        run(["mpicc", *C_FLAGS, source, *flags, "-o", self.folder / "train"])
        said = run(["mpirun", "-n", "3", self.folder / "train"], env=place)
        self.assertEqual(said, "the first sum is 3\n")

    def test_3_moved_as_a_whole_it_works_as_before(self):
        texts = [p for p in (self.prefix / self.lib).rglob("*") if p.suffix in (".cmake", ".pc")]
        self.assertGreater(len(texts), 3)
        for path in texts:
            for place in (self.prefix, ROOT, pathlib.Path(self.given.build).resolve()):
                self.assertNotIn(str(place), path.read_text(), path.name)
        moved = self.folder / "elsewhere" / "second"
        moved.parent.mkdir()
        type(self).prefix = self.prefix.rename(moved)
        self.use_by_cmake("outside-moved")
        self.use_by_pkg_config("sum-moved")
        self.test_1_the_tools_start()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--c", default="cc")
    parser.add_argument("--cxx", default="c++")
    Package.given, rest = parser.parse_known_args()
    for tool in ("cmake", "pkg-config", "readelf", "nm"):
        if not shutil.which(tool):
            print(f"skipped: no {tool} on this machine")
            return 77
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
