#!/usr/bin/env python3
"""perf/check: what it compares, what it calls short, what it refuses."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "perf" / "check"


def report(size=8, time=2.0, states=(), nodes=1, wrong=0.0, transport="shm", **config):
    devices = [{"rank": rank, "device": rank % nodes, "device_info": transport}
               for rank in range(2)]
    return {"args": ["build/perf/all_reduce_perf", "-b", "8"],
            "config": {"devices": devices, "buffers": "private", **config},
            "results": [{"size": size, "type": "float", "redop": "sum",
                         "out_of_place": {"time": time, "nwrong": wrong},
                         "compare_states": [{"state": s, "backend": "mpi", "ratio": r}
                                            for s, r in states]}]}


def line(**more):
    row = {"program": "all_reduce_perf", "ranks": 2, "nodes": 1, "transport": "shm",
           "buffers": "private", "type": "float", "redop": "sum", "size": 8, "threshold": 0.8}
    return {**row, **more}


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def check(self, lines, *reports, options=()):
        """(exit status, standard output, standard error)."""
        baseline = self.path / "baseline.jsonl"
        if lines is not None:
            baseline.write_text("".join(json.dumps(l) + "\n" for l in lines))
        files = []
        for number, one in enumerate(reports):
            files.append(self.path / f"{number}.json")
            files[-1].write_text(one if isinstance(one, str) else json.dumps(one))
        done = subprocess.run([sys.executable, str(CHECK), *options, str(baseline), *map(str, files)],
                              text=True, capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_a_ratio_may_fall_to_its_threshold_and_no_further(self):
        lines = [line(backend="mpi", state="near", ratio=2.0)]
        for ratio, status in ((1.6, 0), (1.61, 0), (5.0, 0), (1.59, 1), (0.1, 1)):
            with self.subTest(ratio=ratio):
                self.assertEqual(self.check(lines, report(states=[("near", ratio)]))[0], status)
        _, said, _ = self.check(lines, report(states=[("near", 1.0)]))
        self.assertEqual(said, "short: all_reduce_perf 2 ranks on 1 node, shm, private buffers, "
                               "float sum, 8 B, near: ratio to mpi 1, was 2: 0.50 of it, 0.8 asked for\n"
                               "1 of 1 rows compared, 1 fell short\n")

    def test_a_time_may_rise_to_its_threshold_and_no_further(self):
        for time, status in ((2.49, 0), (1.0, 0), (2.51, 1)):
            with self.subTest(time=time):
                self.assertEqual(self.check([line(time=2.0)], report(time=time))[0], status)

    def test_only_the_same_row_in_the_same_state_is_compared(self):
        near = line(backend="mpi", state="near", ratio=2.0)
        for other in (report(states=[("mid", 0.1)]), report(size=16, states=[("near", 0.1)]),
                      report(nodes=2, states=[("near", 0.1)]),
                      report(buffers="shared", states=[("near", 0.1)]),
                      report(transport="tcp", states=[("near", 0.1)])):
            status, said, _ = self.check([near], other)
            self.assertEqual(status, 2)
            self.assertIn("not measured: all_reduce_perf 2 ranks on 1 node, shm, private buffers, "
                          "float sum, 8 B, near", said)
        both = [near, line(backend="mpi", state="mid", ratio=3.0)]
        status, said, _ = self.check(both, report(states=[("mid", 2.9)]))
        self.assertEqual(status, 0)
        self.assertIn("1 of 2 rows compared, 0 fell short", said)

    def test_several_runs_count_by_their_median(self):
        lines = [line(backend="mpi", state="near", ratio=1.0)]
        runs = [report(states=[("near", r)]) for r in (0.1, 0.9, 1.1)]
        self.assertEqual(self.check(lines, *runs)[0], 0)
        self.assertEqual(self.check(lines, *runs[:2], runs[0])[0], 1)

    def test_what_is_written_is_met_by_the_same_run(self):
        run = report(states=[("near", 1.5), ("mid", 0.7)])
        status, said, _ = self.check(None, run, options=["--write", "--times"])
        self.assertEqual((status, said.split(": ")[1]), (0, "3 rows\n"))
        self.assertEqual(self.check(None, run)[0], 0)
        self.assertEqual(self.check(None, report(states=[("near", 1.2), ("mid", 0.7)]))[0], 1)
        rows = [json.loads(l) for l in (self.path / "baseline.jsonl").read_text().splitlines()]
        self.assertEqual({r.get("state"): r.get("ratio") for r in rows},
                         {"near": 1.5, "mid": 0.7, None: None})
        for row in rows:
            self.assertEqual(row["threshold"], 0.85)
            self.assertTrue(row["date"] and row["machine"])

    def test_times_of_a_peer_are_not_times_of_weft(self):
        self.assertEqual(self.check([line(time=2.0)], report(time=2.0, backend="mpi"))[0], 2)

    def test_what_cannot_be_read_is_refused(self):
        good = report(states=[("near", 1.0)])
        for lines, run in (([line()], good), ([{"size": 8}], good),
                           ([line(time=1.0, threshold=1.5)], good), ([line(time=1.0)], "{}"),
                           ([line(time=1.0)], "no JSON"), ([line(time=2.0)], report(wrong=3.0))):
            with self.subTest(lines=lines, run=run):
                status, _, errors = self.check(lines, run)
                self.assertEqual(status, 2)
                self.assertTrue(errors.startswith("check: "), errors)


if __name__ == "__main__":
    unittest.main(verbosity=2)
