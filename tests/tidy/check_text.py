"""Layout: blanks, left-over marks, paths of one machine, and clang-format."""
import re
import shutil
import subprocess

from tree import CODE, TEXT, Skip

MARKS = re.compile(r"\b(?:%s)\b" % "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")))
# Folders of one machine. The system's own, such as /proc, /usr and /tmp, are the same everywhere.
FOREIGN_PATHS = re.compile(r"(?<![\w.}$*-])/(?:%s)/[\w.-]+" % "|".join(
    ("home", "Users", "root", "work", "mnt", "data", "workspace", "builds")))
IMAGES = "examples/kubernetes/"  # paths in there are those of a container's image
FORMATTER_VERSION = 14  # Debian 12's; other versions lay out a few things differently


def texts(tree):
    return tree.with_suffix(*TEXT) + tree.scripts


def check_blanks(tree):
    """No trailing blanks, no tabs, no carriage returns, one newline at the end."""
    for path in texts(tree):
        for number, line in tree.lines(path):
            if line != line.rstrip():
                yield f"{path}:{number}: trailing blanks"
            if "\t" in line:
                yield f"{path}:{number}: a tab"
        text = tree.text(path)
        if text and (not text.endswith("\n") or text.endswith("\n\n")):
            yield f"{path}: does not end in exactly one newline"


def check_marks(tree):
    """What is left to do is an issue, not a comment."""
    for path in texts(tree):
        for number, line in tree.lines(path):
            found = MARKS.search(line)
            if found:
                yield f"{path}:{number}: {found.group()}: do it, or open an issue"


def check_paths(tree):
    """No folder of the machine that somebody happened to build on."""
    for path in texts(tree):
        if path.startswith(IMAGES):
            continue
        for number, line in tree.lines(path):
            found = FOREIGN_PATHS.search(line)
            if found:
                yield f"{path}:{number}: {found.group()} exists on one machine only"


def check_format(tree):
    """clang-format would change nothing."""
    tool = shutil.which("clang-format")
    if not tool:
        raise Skip("no clang-format here; scripts/install-deps --lint installs it")
    version = subprocess.run([tool, "--version"], check=True, capture_output=True, text=True).stdout
    if f"version {FORMATTER_VERSION}." not in version:
        raise Skip(f"the layout is clang-format {FORMATTER_VERSION}'s, here is {version.strip()}")
    files = tree.with_suffix(*CODE)
    if not files:
        return
    command = [tool, "--dry-run", "--Werror", *files]
    done = subprocess.run(command, cwd=tree.root, capture_output=True, text=True, check=False)
    unclean = sorted({l.split(":")[0] for l in done.stderr.splitlines() if "error:" in l})
    if done.returncode != 0 and not unclean:
        unclean = [done.stderr.strip() or "clang-format failed"]
    for path in unclean:
        yield f"{path}: run clang-format -i {path}"


CHECKS = {"blanks": check_blanks, "marks": check_marks, "paths": check_paths,
          "format": check_format}
