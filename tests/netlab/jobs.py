#!/usr/bin/env python3
"""scripts/netlab: a benchmark across namespaces, how ranks fail, and what is left when it ends."""
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "launch"))
from launched import ROOT, SKIPPED, Launched, benchmark, environment, given, main  # noqa: E402

NETLAB = ROOT / "scripts" / "netlab"


def running(word):
    """What the processes with the word in their command line run."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and word.encode() in (entry / "cmdline").read_bytes():
                found.append((entry / "comm").read_text().strip())
        except OSError:
            pass  # it has ended meanwhile
    return found


class Netlab(Launched):
    def lab(self, *arguments, **variables):
        return self.run_command([NETLAB, *arguments], timeout=120, **variables)

    def test_every_row_is_right_on_two_nodes_of_two_ranks(self):
        self.check_success(self.lab(2, 2, "200mbit", *benchmark()), 4, nodes=2)

    def test_ranks_dealt_in_turn_are_on_the_nodes_they_say(self):
        ran = self.lab("--place", "alternate", 2, 2, "200mbit", *benchmark())
        self.check_success(ran, 4, nodes=2)
        nodes = [line.split()[line.split().index("node") + 1] for line in ran[1].splitlines()
                 if line.startswith("#  Rank ")]
        self.assertEqual(nodes[0], nodes[2])
        self.assertNotEqual(nodes[0], nodes[1])

    def test_containers_of_one_host_are_nodes_without_being_told(self):
        for transport in ("auto", "tcp"):
            ran = self.lab(2, 2, "none", "env", "-u", "WEFT_NODE", *benchmark(),
                           WEFT_TRANSPORT=transport)
            self.check_success(ran, 4, nodes=2)

    def test_what_a_rank_is_told_and_what_passes_through(self):
        status, output, errors = self.lab(
            2, 2, "none", "sh", "-c",
            'echo $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE $WEFT_NODE $MY_OWN "$1"', "sh",
            "an argument", MY_OWN="kept", OMPI_COMM_WORLD_RANK="3")
        self.assertEqual(status, 0, errors)
        self.assertEqual(sorted(output.splitlines()),
                         [f"{r}/4 {r % 2}/2 node{r // 2} kept an argument" for r in range(4)])

    def test_the_link_is_as_slow_as_it_should_be(self):
        # A busy machine may bring less, or late what came before the time that is measured: a
        # quarter of a second, and three quarters are measured.
        status, output, errors = self.lab("--probe", 2, 1, "50mbit")
        self.assertEqual(status, 0, errors)
        rate = float(output.split("payload of one link ")[1].split()[0])
        self.assertGreater(rate, 0)
        self.assertLess(rate, 50 / 8 * 1.4)

    def test_the_status_is_that_of_the_first_rank_that_fails(self):
        status, _, errors = self.lab(
            "--grace", "1", 2, 2, "none", "sh", "-c", "[ $RANK != 2 ] || exit 7; sleep 60")
        self.assertEqual(status, 7, errors)
        self.assertIn("rank 2 on node 1 ended first, with status 7", errors)
        self.assertIn("ended 3 ranks", errors)
        status, _, errors = self.lab("--grace", "1", 1, 2, "none", "sh", "-c", "kill -SEGV $$")
        self.assertEqual(status, 128 + signal.SIGSEGV, errors)

    def test_nothing_is_left_however_it_ends(self):
        word = f"86400.{os.getpid()}"  # of a sleep that only this test has started
        for number, status in ((signal.SIGINT, 128 + signal.SIGINT),
                               (signal.SIGTERM, 128 + signal.SIGTERM),
                               (signal.SIGKILL, -signal.SIGKILL)):
            with self.subTest(signal=number):
                with subprocess.Popen([NETLAB, "2", "2", "1mbit", "sleep", word],
                                      env=environment(), start_new_session=True) as lab:
                    deadline = time.monotonic() + 60
                    while running(word).count("sleep") < 4:
                        self.assertLess(time.monotonic(), deadline)
                        time.sleep(0.05)
                    lab.send_signal(number)
                    self.assertEqual(lab.wait(60), status)
                while running(word):
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.05)

    def test_mistakes_are_named(self):
        for arguments, word in (((2, 2, "fast", "true"), "is not a rate"),
                                ((0, 2, "1gbit", "true"), "1 to 250 nodes"),
                                ((2, 2, "1gbit"), "no COMMAND")):
            status, _, errors = self.lab(*arguments)
            self.assertEqual(status, 2)
            self.assertIn(word, errors)
        status, _, errors = self.lab(1, 1, "none", "/there/is/no/such/program")
        self.assertEqual(status, 127)
        self.assertIn("cannot start /there/is/no/such/program", errors)


if __name__ == "__main__":
    trial = subprocess.run([NETLAB, "1", "1", "none", "true"], text=True, capture_output=True,
                           check=False)
    if trial.returncode == SKIPPED:
        print("skipped:", trial.stderr.strip().replace("\n", " "))
        sys.exit(SKIPPED)
    main()
