#!/usr/bin/env python3
"""srun --mpi=pmix, under a Slurm that scripts/slurm-here sets up on this machine."""
import os
import pathlib
import signal
import subprocess
import time

from launched import ROOT, Launched, benchmark, environment, main, needs

SLURM_HERE = ROOT / "scripts" / "slurm-here"


def mentioned(text):
    """Command lines of this machine's processes that hold the text."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in line:
            found.append(line)
    return found


class Srun(Launched):
    def test_ranks_of_one_node_meet_through_pmix(self):
        self.check_success(self.run_command([SLURM_HERE, "--ranks", 4, "--", *benchmark()]), 4)

    def test_ranks_of_two_nodes_meet_through_pmix(self):
        ran = self.run_command([SLURM_HERE, "--ranks", 4, "--nodes", 2, "--", *benchmark()])
        self.check_success(ran, 4, nodes=2)

    def test_without_pmix_the_ranks_refuse_to_run_alone(self):
        status, output, errors = self.run_command([SLURM_HERE, "--mpi", "none", "--", *benchmark()])
        self.assertEqual(status, 3, output + errors)
        self.assertIn("SLURM_STEP_NUM_TASKS=2 says that a launcher has started several", errors)
        self.assertIn("srun --mpi=pmix", errors)

    def test_a_rank_that_does_not_come_is_named(self):
        script = '[ "$PMIX_RANK" = 2 ] && exit 5; exec "$0" "$@"'
        command = [SLURM_HERE, "--ranks", 3, "--", "sh", "-c", script, *benchmark()]
        status, output, errors = self.run_command(command, WEFT_TIMEOUT=4)
        self.assertNotEqual(status, 0, output + errors)
        self.assertIn("rank 2 has not joined after", errors)


class SlurmHere(Launched):
    """The script itself: the status it ends with, and what it leaves behind."""

    def test_the_status_is_that_of_the_command(self):
        status, _, errors = self.run_command([SLURM_HERE, "--", "sh", "-c", "exit 7"])
        self.assertEqual(status, 7, errors)

    def test_what_cannot_be_is_a_wrong_call(self):
        status, _, errors = self.run_command([SLURM_HERE, "--ranks", 1, "--nodes", 2, "--", "true"])
        self.assertEqual(status, 2)
        self.assertIn("a rank for each", errors)

    def check_nothing_is_left(self, number, status):
        sleep = f"sleep {1000 + os.getpid()}"
        told = f'echo "$SLURM_CONF"; exec {sleep}'
        command = [SLURM_HERE, "--ranks", "1", "--", "sh", "-c", told]
        with subprocess.Popen(command, env=environment(), text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as script:
            folder = pathlib.Path(script.stdout.readline().strip()).parent
            self.assertTrue(folder.name.startswith("slurm-"), folder)
            script.send_signal(number)
            self.assertEqual(script.wait(40), status)
        # After a kill its worker still has to clear up; otherwise this has happened already.
        deadline = time.monotonic() + 40
        while number == signal.SIGKILL and folder.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertFalse(folder.exists())
        self.assertEqual(mentioned(sleep) + mentioned(str(folder)), [])

    def test_an_interrupt_leaves_nothing_behind(self):
        self.check_nothing_is_left(signal.SIGINT, 128 + signal.SIGINT)

    def test_a_kill_leaves_nothing_behind(self):
        self.check_nothing_is_left(signal.SIGKILL, -signal.SIGKILL)


if __name__ == "__main__":
    needs("slurmctld", "slurm-wlm")
    needs("munged", "munge")
    main()
