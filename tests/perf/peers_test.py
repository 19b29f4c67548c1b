#!/usr/bin/env python3
"""The tools with real peers under mpirun: two libraries in one process, on the same buffers.

Says nothing of how fast either is.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
STATES = ("near", "mid", "far")
COLLECTIVES = ("all_reduce", "reduce_scatter", "all_gather", "broadcast")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "perf"))
import launchers

given = argparse.Namespace()


def environment():
    kept = {k: v for k, v in os.environ.items()
            if not k.startswith(("PMIX_", "PMI_", "OMPI_", "WEFT_", "RANK", "WORLD_SIZE"))}
    return {**kept, "WEFT_INTERFACE": "lo", "WEFT_TIMEOUT": "60", "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


class Peers(unittest.TestCase):
    def report(self, collective, ranks, *options, launcher="openmpi"):
        """(table, JSON report) of one run that must end well."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.json"
            done = self.run_tool(collective, ranks, "-b", "64", "-e", "16K", "-f", "256", "-J",
                                 str(path), *options, launcher=launcher)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return done.stdout, json.loads(path.read_text())

    @staticmethod
    def run_tool(collective, ranks, *options, launcher="openmpi"):
        launch, variables = launchers.LAUNCHERS[launcher](ranks)
        return subprocess.run([*launch, str(given.build / "perf" / f"{collective}_perf"), "-n", "3",
                               *options], env={**environment(), **variables}, text=True,
                              capture_output=True, timeout=300, check=False)

    def check_right(self, report):
        wrong = [row[place]["nwrong"] for row in report["results"]
                 for place in ("out_of_place", "in_place")]
        self.assertEqual(set(wrong), {0.0}, report["results"])

    def test_mpi_and_weft_take_turns(self):
        for collective in COLLECTIVES:
            with self.subTest(collective=collective):
                said, report = self.report(collective, 2, "--compare", "mpi")
                self.assertTrue(report["config"]["peer"].startswith("mpi, "))
                self.assertEqual(len(report["results"]), 2, said)
                for row in report["results"]:
                    self.assertNotIn("compare_refused", row)
                    self.check_comparison(row)

    def check_comparison(self, row):
        if not row["compare_states"]:  # the cores were moved all the time: possible, and said
            self.assertGreater(row["compare_dropped"], 0)
            return
        first = row["compare_states"][0]
        self.assertEqual(row["compare"], {k: first[k] for k in ("backend", "time", "ratio",
                                                                "state")})
        for state in row["compare_states"]:
            self.assertIn(state["state"], STATES)
            self.assertGreaterEqual(min(state["points"], state["weft_points"]), 9)
            self.assertAlmostEqual(state["ratio"], state["time"] / state["weft_time"])

    def test_mpi_runs_the_table_and_is_right(self):
        for collective in COLLECTIVES:
            with self.subTest(collective=collective):
                said, report = self.report(collective, 3, "--backend", "mpi", "-d", "double", "-o",
                                           "all")
                self.assertEqual(report["config"]["backend"], "mpi")
                self.assertTrue(report["results"], said)
                self.check_right(report)

    def test_reference_code_is_right_and_takes_turns(self):
        for peer, buffers in (("bound", "shared"), ("pipe", "private"), ("pipe", "shared")):
            with self.subTest(peer=peer, buffers=buffers):
                chosen = ("--buffers", buffers)
                # Sizes that end within a line and within a chunk; addresses off any vector.
                for more in ((), ("--offset", "4")):
                    _, report = self.report("all_reduce", 2, "--backend", peer, *chosen, "-b", "4",
                                            "-e", "1300012", "-f", "11", *more)
                    self.check_right(report)
                _, report = self.report("all_reduce", 2, "--compare", f"mpi,{peer}", *chosen, "-e",
                                        "1M")
                for row in report["results"]:
                    self.assertNotIn("compare_refused", row)
                    if row["compare_states"]:
                        self.assertEqual(row["compare"]["backend"], "mpi")
                        self.assertEqual({s["backend"] for s in row["compare_states"]},
                                         {"mpi", peer})

    def test_reference_code_says_what_it_needs(self):
        private = self.run_tool("all_reduce", 2, "-b8", "-e8", "--compare", "bound")
        self.assertEqual(private.returncode, 3, private.stderr)
        self.assertIn("--buffers shared", private.stderr)
        three = self.run_tool("all_reduce", 3, "-b8", "-e8", "--compare", "pipe")
        self.assertEqual(three.returncode, 3, three.stderr)
        self.assertIn("2 ranks", three.stderr)

    def test_weft_takes_turns_with_itself(self):
        _, report = self.report("all_reduce", 2, "--compare", "fast,grouped,bf16,unaligned",
                                "-e", "64")
        for row in report["results"]:
            self.assertNotIn("compare_refused", row)
            self.check_comparison(row)

    def test_a_barrier_is_compared(self):
        _, report = self.report("barrier", 2, "--compare", "mpi")
        self.assertEqual([row["size"] for row in report["results"]], [0])
        self.check_comparison(report["results"][0])

    def needs(self, peer):
        if not (given.build / "perf" / f"libweft_perf_{peer}.so").exists():
            self.skipTest(f"{peer} was not there when this was built")

    def test_gloo_is_right(self):
        self.needs("gloo")
        for collective in COLLECTIVES:
            for ranks in (2, 4):
                with self.subTest(collective=collective, ranks=ranks):
                    self.check_right(self.report(collective, ranks, "--backend", "gloo")[1])
        _, report = self.report("all_reduce", 2, "--compare", "gloo", "-b", "1K", "-e", "1K")
        for row in report["results"]:
            self.assertNotIn("compare_refused", row)  # all of its algorithms are right

    def test_mpich_launches_both(self):
        self.needs("mpich")
        if not launchers.is_here("mpich"):
            self.skipTest("mpiexec.mpich is not here")
        for collective in COLLECTIVES:
            with self.subTest(collective=collective):
                _, report = self.report(collective, 2, "--compare", "mpich", launcher="mpich")
                self.assertIn("MPICH", report["config"]["peer"])
                for row in report["results"]:
                    self.assertNotIn("compare_refused", row)

    def test_more_ranks_than_cores_on_two_nodes(self):
        _, report = self.report("all_reduce", 4, "--compare", "mpi", "--nodes", "2")
        for row in report["results"]:
            self.check_comparison(row)

    def test_every_schedule_is_measured_against_the_chosen_one(self):
        for nodes in ((), ("--nodes", "2")):
            listed = self.listed("2x1" if nodes else "2")
            said, report = self.report("all_reduce", 2, "--sweep-algorithms", *nodes)
            for row in report["results"]:
                self.assertNotIn("compare_refused", row)
                if not row["algorithms"]:
                    continue
                best_state = row["regret"]["state"]
                here = [a for a in row["algorithms"] if a["state"] == best_state]
                self.assertEqual({a["name"]: a["order"] for a in here}, listed, said)
                self.assertGreaterEqual(row["regret"]["regret"], 1)
                least = min(a["time"] for a in here if a["keeps_order"])
                self.assertEqual(row["regret"]["best_time"], min(least, row["regret"]["time"]))
                self.assertIn(row["regret"]["chosen"], listed)

    def listed(self, shape):
        done = subprocess.run([str(given.build / "weft"), "algorithms", "--kind", "all_reduce",
                               "--nodes", shape], text=True, capture_output=True, check=True)
        return {words[1]: words[2] for words in map(str.split, done.stdout.splitlines())}

    def test_ranks_of_one_process_have_no_peer(self):
        tool = str(given.build / "perf" / "all_reduce_perf")
        done = subprocess.run([tool, "-g", "2", "--compare", "mpi"], env=environment(), text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 255)
        self.assertIn("one rank a process", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=pathlib.Path)
    _, rest = parser.parse_known_args(namespace=given)
    given.build = given.build.resolve()
    if not shutil.which("mpirun") or not (given.build / "perf" / "libweft_perf_mpi.so").exists():
        print("skipped: no MPI here; on Debian: apt-get install libopenmpi-dev openmpi-bin")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
