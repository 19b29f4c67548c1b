"""The tree under test: which files it has, and their text."""
import functools
import os
import pathlib
import subprocess

CODE = (".cpp", ".hpp", ".h", ".c", ".cc", ".cu", ".cuh")
HEADERS = (".hpp", ".h", ".cuh")
TEXT = CODE + (".py", ".sh", ".md", ".txt", ".cmake", ".json", ".yml", ".yaml")


class Skip(Exception):
    """A check that cannot be made here; its text is the reason."""


class Tree:
    """A root folder, and where known the build folder and the compiler that belong to it."""

    def __init__(self, root, build=None, compiler="c++"):
        self.root = pathlib.Path(root).resolve()
        self.build = pathlib.Path(build).resolve() if build else None
        self.compiler = compiler

    @functools.cached_property
    def files(self):
        """Paths relative to the root, with slashes, sorted: what git tracks or would track."""
        command = ["git", "-C", self.root, "ls-files", "-z", "-co", "--exclude-standard"]
        if (self.root / ".git").exists():
            listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            names = set(listed.split("\0")) - {""}
        else:  # an unpacked archive
            names = set()
            for folder, below, found in os.walk(self.root):
                below[:] = [b for b in below if not b.startswith((".git", "build", "__pycache__"))]
                names |= {os.path.relpath(os.path.join(folder, f), self.root) for f in found}
        return sorted(n for n in names if (self.root / n).is_file())

    @functools.cached_property
    def known(self):
        return frozenset(self.files)

    def with_suffix(self, *suffixes):
        return [f for f in self.files if f.endswith(suffixes)]

    @property
    def code(self):
        return self.with_suffix(*CODE)

    @functools.cached_property
    def scripts(self):
        """Files without a suffix that start with #!, such as scripts/test."""
        bare = (f for f in self.files if "." not in f.rsplit("/", 1)[-1])
        return [f for f in bare if self.text(f).startswith("#!")]

    @functools.lru_cache(maxsize=None)
    def text(self, path):
        with open(self.root / path, encoding="utf-8", errors="replace", newline="") as file:
            return file.read()

    def lines(self, path):
        """(number, line) pairs, numbers from 1."""
        return enumerate(self.text(path).split("\n"), start=1)
