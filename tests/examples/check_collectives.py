#!/usr/bin/env python3
"""The tables of examples/collectives are those of the textbook, on any split into nodes.

    python3 tests/examples/check_collectives.py --program FILE

Exit status 77: there is no mpirun here.
"""
import sys

from jobs import SPLITS, ExampleTest, main, run

TABLES = {
    "broadcast from rank 0": ["1 2 3"] * 4,
    "reduce to rank 0, sum": ["10", "", "", ""],
    "all-reduce, sum": ["10"] * 4,
    "reduce-scatter, sum": ["1111", "2222", "3333", "4444"],
    "scan, sum": ["1", "3", "6", "10"],
    "scatter from rank 0": ["A", "B", "C", "D"],
    "gather to rank 0": ["A B C D", "", "", ""],
    "all-gather": ["A B C D"] * 4,
    "all-to-all": ["A0 B0 C0 D0", "A1 B1 C1 D1", "A2 B2 C2 D2", "A3 B3 C3 D3"],
    "all-to-all-v": ["B0 C0 C0", "A1 B1 B1 D1", "A2 A2 C2 D2 D2", "B3 C3 C3"],
    "barrier: has anybody passed before rank 0 came? (0: no)": ["0"] * 4,
}


class Collectives(ExampleTest):
    def test_every_rank_ends_with_its_row(self):
        for split in SPLITS:
            with self.subTest(split):
                tables, rows = {}, None
                lines = self.said(split).splitlines()
                for line in lines[:-1]:
                    if line.startswith("  rank"):
                        rows.append(line.split("->")[1].strip())
                    else:
                        rows = tables[line] = []
                self.assertEqual(tables, TABLES)
                self.assertEqual(lines[-1], "all as it should be")

    def test_another_number_of_ranks_is_told_what_is_wanted(self):
        done = run("3", [self.program])
        self.assertEqual(done.returncode, 2)
        self.assertIn("wants 4 ranks, not 3", done.stderr)


if __name__ == "__main__":
    sys.exit(main(Collectives))
