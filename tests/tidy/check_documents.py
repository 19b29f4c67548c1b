"""READMEs are where they should be, and the environment variables are those of the code.

    python3 tests/tidy/check_documents.py --write

renews README.md's table from src/base/config.cpp.
"""
import pathlib
import re
import sys

import rooms
from tree import Tree

README_LINES = range(8, 41)  # ten to thirty, give or take; measurements in a table come on top
TABLE = "src/base/config.cpp"
BEGIN, END = "<!-- variables: begin -->", "<!-- variables: end -->"

# const Variable node{"WEFT_NODE", "", "Any string, " "equal on ..."};
VARIABLE = re.compile(r'\bVariable\s+\w+\s*\{\s*"(?P<name>WEFT_\w+)"\s*,'
                      r'\s*"(?P<fallback>[^"]*)"\s*,'
                      r'\s*(?P<help>"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*)\s*\}')
NAME = re.compile(r'"(WEFT_[A-Z0-9_]+)"')


def check_readmes(tree):
    """Each room and each top-level folder has a README.md of ten to thirty lines."""
    folders = {r for r in rooms.ROOMS if any(f.startswith(r + "/") for f in tree.code)}
    folders |= {f.split("/")[0] for f in tree.files
                if "/" in f and not f.startswith((".", "cmake/"))}
    for folder in sorted(folders):
        readme = folder + "/README.md"
        if readme not in tree.files:
            yield f"{readme}: is missing"
            continue
        lines = tree.text(readme).count("\n")
        if lines > README_LINES[-1]:
            lines = len([l for l in tree.text(readme).splitlines() if not l.startswith("|")])
        if folder != "docs" and lines not in README_LINES:
            yield f"{readme}: {lines} lines, write {README_LINES[0]} to {README_LINES[-1]}"


def variables(tree):
    """[(name, fallback, help)] in the order of config.cpp."""
    if TABLE not in tree.files:
        return []
    found = VARIABLE.finditer(tree.text(TABLE))
    joined = lambda text: "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))
    return [(m["name"], m["fallback"], joined(m["help"])) for m in found]


def check_variables(tree):
    """A WEFT_ variable that the code names is in the table of config.cpp."""
    known = {name for name, _, _ in variables(tree)}
    for path in tree.code:
        if path.startswith("tests/") or path == TABLE:
            continue
        for number, line in tree.lines(path):
            for name in NAME.findall(line):
                if name not in known:
                    yield f"{path}:{number}: {name} is not in the table of {TABLE}"


def readme_table(tree):
    rows = ["| variable | default | what it does |", "|---|---|---|"]
    for name, fallback, text in variables(tree):
        rows.append(f"| `{name}` | {f'`{fallback}`' if fallback else ''} | {text} |")
    return "\n".join(rows)


def check_readme_table(tree):
    """README.md's table of variables is that of config.cpp."""
    text = tree.text("README.md") if "README.md" in tree.files else ""
    if BEGIN not in text or END not in text:
        yield f"README.md: has no table between {BEGIN} and {END}"
    elif text.split(BEGIN)[1].split(END)[0].strip() != readme_table(tree).strip():
        yield ("README.md: its variables differ from src/base/config.cpp; "
               "run python3 tests/tidy/check_documents.py --write")


LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)#\s]+)(?:#[^)]*)?\)")


def check_document_links(tree):
    """A relative link of a document leads to a file or folder that is there."""
    for path in tree.with_suffix(".md"):
        for number, line in tree.lines(path):
            for link in LINK.finditer(line):
                target = link["target"]
                if re.match(r"[a-z]+:", target):
                    continue
                if not ((tree.root / path).parent / target).exists():
                    yield f"{path}:{number}: {target} is not there"


CHECKS = {"readmes": check_readmes, "variables": check_variables,
          "readme_table": check_readme_table, "document_links": check_document_links}

if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    here = Tree(pathlib.Path(__file__).parents[2])
    before, rest = here.text("README.md").split(BEGIN)
    after = rest.split(END)[1]
    text = f"{before}{BEGIN}\n{readme_table(here)}\n{END}{after}"
    (here.root / "README.md").write_text(text, encoding="utf-8")
