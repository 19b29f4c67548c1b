#!/usr/bin/env python3
"""Checks of the tree itself, one a name; ctest runs each as tidy.<name>.

    python3 tests/tidy/tidy.py [--build FOLDER] [--compiler C++] [CHECK...]

Prints one line a problem and exits 1; exits 77 with the reason where a check cannot be made here.
"""
import argparse
import pathlib
import sys

import check_build
import check_documents
import check_rooms
import check_size
import check_text
from tree import Skip, Tree

CHECKS = {**check_rooms.CHECKS, **check_size.CHECKS, **check_text.CHECKS,
          **check_documents.CHECKS, **check_build.CHECKS}
SKIPPED = 77


def run(tree, name):
    """Problems of one check; prints them."""
    try:
        problems = list(CHECKS[name](tree))
    except Skip as reason:
        print(f"skipped: {name}: {reason}")
        return SKIPPED
    for problem in problems:
        print(problem)
    print(f"{name}: {len(problems)} problems ({(CHECKS[name].__doc__ or '').strip()})")
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=pathlib.Path(__file__).parents[2])
    parser.add_argument("--build", help="the build folder, for headers and symbols")
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=", ".join(CHECKS))
    given = parser.parse_args()
    unknown = [c for c in given.checks if c not in CHECKS]
    if unknown:
        parser.error(f"no check named {unknown[0]}; there are {', '.join(CHECKS)}")
    tree = Tree(given.root, given.build, given.compiler)
    outcomes = [run(tree, name) for name in given.checks or CHECKS]
    if 1 in outcomes:
        return 1
    return SKIPPED if outcomes and set(outcomes) == {SKIPPED} else 0


if __name__ == "__main__":
    sys.exit(main())
