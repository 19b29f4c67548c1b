#!/usr/bin/env python3
"""perf/compare_peers: the table of reports that are there, and the plan behind it."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PERF = pathlib.Path(__file__).resolve().parents[2] / "perf"
sys.path.insert(0, str(PERF))
import compare_report
import launchers
import plan


def entry(backend, state, ratio, weft=2.0, **more):
    return {"state": state, "backend": backend, "time": weft * ratio, "weft_time": weft,
            "ratio": ratio, "points": 9, "weft_points": 9, **more}


def report(*states, **more):
    return {"results": [{"size": 8, "compare_states": list(states), **more}]}


class Table(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def lines(self, section, **reports):
        """Rows of the table of one section, from {setting: report}, of 8 bytes."""
        for setting, one in reports.items():
            path = self.folder / f"{section}-all_reduce-8-{setting.replace('_', '+')}.json"
            path.write_text(json.dumps(one))
        text = compare_report.table(self.folder, [section], None)
        return [line for line in text.splitlines() if "| all_reduce |" in line]

    def test_the_best_peer_of_a_state_has_the_least_ratio(self):
        lines = self.lines("shared", mpi_bound=report(entry("mpi", "near", 3.0),
                                                      entry("bound", "near", 0.9, form="direct"),
                                                      entry("mpi", "mid", 1.5)),
                           gloo=report(entry("gloo", "near", 1.25, weft=4.0, form="ring"),
                                       entry("gloo", "mid", 40.0)))
        self.assertEqual(lines, [
            "| 2 ranks, shared | all_reduce | 8 | near | 4.00 | gloo ring, of 2 | 5.00 | 1.25 | bound direct | 1.80 "
            "| 0.90 |",
            "| 2 ranks, shared | all_reduce | 8 | mid | 2.00 | mpi, of 2 | 3.00 | 1.50 | - | - | - |"])

    def test_a_size_whose_cores_never_stayed_is_said(self):
        self.assertEqual(self.lines("four", mpi=report()),
                         ["| 4 ranks | all_reduce | 8 | - | - | - | - | - | - | - | - |"])
        self.assertEqual(self.lines("eight"), [])  # nothing was run

    def test_a_state_that_few_peers_met_says_nothing_of_the_best(self):
        lines = self.lines("private", mpi_pipe=report(entry("mpi", "near", 3.0)),
                           gloo=report(entry("gloo", "near", 9.0), entry("gloo", "far", 0.1)),
                           mpich=report(entry("mpich", "near", 2.0)))
        self.assertEqual([line.split(" | ")[3:6:2] for line in lines], [["near", "mpich, of 3"]])

    def test_several_runs_count_by_the_median_of_each_state(self):
        runs = [report(entry("mpi", "near", ratio)) for ratio in (3.0, 1.0, 2.0)]
        runs.append(report(entry("mpi", "mid", 7.0)))
        name = self.folder / "four-all_reduce-8-mpi.json"
        for number, one in enumerate(runs):
            name.with_name(name.name + (f".{number}" if number else "")).write_text(json.dumps(one))
        lines = [line for line in compare_report.table(self.folder, ["four"], None).splitlines()
                 if "| all_reduce |" in line]
        self.assertEqual([line.split(" | ")[7] for line in lines], ["2.00", "7.00"])

    def test_what_a_stopped_run_leaves_is_named(self):
        left = self.folder / "four-all_reduce-8-mpi.json"
        for text in ("", "{}"):
            left.write_text(text)
            with self.assertRaisesRegex(SystemExit, f"{left}.*delete it"):
                compare_report.table(self.folder, ["four"], None)

    def test_growth_is_held_against_that_of_the_reference(self):
        def rows(*times):
            return {("all_reduce", str(size)): [{"compare_states": [
                entry("bound", "near", reference / weft, weft=weft), entry("mpi", "near", 9.0)]}]
                for size, weft, reference in times}
        self.assertEqual(compare_report.growth_lines(rows((1, 1.0, 1.0), (2, 2.4, 2.0))), [])
        self.assertEqual(compare_report.growth_lines(rows((1, 1.0, 1.0), (2, 2.6, 2.0))), [
            "near, from 1 to 2: Weft's time grows 2.60 times, that of bound 2.00 times"])
        self.assertEqual(len(compare_report.growth_lines(rows((1, 1.0, 1.0), (2, 0.9, 2.0)))), 1)

    def test_weft_itself_has_columns_of_its_own(self):
        lines = self.lines("itself", fast_grouped_bf16_unaligned=report(
            entry("fast", "near", 0.98), entry("grouped", "near", 0.5), entry("fast", "mid", 7.0),
            out_of_place={"time": 2.0},
            details={"first_us": 9.0, "p99_over_p50": 1.5, "cpu_us": 1.9}))
        self.assertEqual(lines, ["| 2 ranks | all_reduce | 8 | near | 2.00 | 4.5 | 1.50 | 1.90 | 0.98 | 0.50 "
                                 "| - | - |"])


class Plan(unittest.TestCase):
    def test_every_setting_can_be_launched_and_has_a_report_of_its_own(self):
        for name, section in plan.SECTIONS.items():
            names = [setting.name() for setting in section.settings]
            self.assertEqual(len(set(names)), len(names), name)
            for setting in section.settings:
                command, _ = launchers.LAUNCHERS[setting.launcher](section.ranks)
                self.assertIn(str(section.ranks), command)

    def test_what_is_asked_for_must_be_there(self):
        for options in (["--only", "nowhere"], ["--table"]):
            done = subprocess.run([sys.executable, "-B", str(PERF / "compare_peers"), *options],
                                  text=True, capture_output=True, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
