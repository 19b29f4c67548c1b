"""What all launcher tests share: a clean environment, a benchmark to start, its table read back."""
import argparse
import os
import pathlib
import shlex
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
# Variables by which this test may itself have been started.
LAUNCHERS = ("RANK", "WORLD_SIZE", "LOCAL_", "MASTER_", "TORCHELASTIC_", "PMIX_", "PMI_", "OMPI_",
             "SLURM_", "WEFT_")
SIZES = ["-b", "8", "-e", "256K", "-f", "32"]
ROWS = 4  # 8 B, 256 B, 8 KiB, 256 KiB
WRONG_COLUMNS = (8, 12)  # "#wrong", out of place and in place

given = argparse.Namespace()


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}
    # Several ranks on few cores, of any user; and no network but the host's own.
    return {**kept, "WEFT_INTERFACE": "lo", "WEFT_TIMEOUT": "60", "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            **{k: str(v) for k, v in more.items()}}


def benchmark(*more):
    return [str(given.build / "perf" / "all_reduce_perf"), *SIZES, *more]


class Launched(unittest.TestCase):
    """Starts commands, and knows what the output of a benchmark must say."""

    def run_command(self, command, timeout=90, **variables):
        """(status, standard output, standard error)."""
        done = subprocess.run([str(word) for word in command], env=environment(**variables),
                              text=True, capture_output=True, timeout=timeout, check=False)
        return done.returncode, done.stdout, done.stderr

    def run_ranks(self, command, environments):
        """[(status, standard output, standard error)] of one process for each environment."""
        started = [subprocess.Popen(command, env=one, text=True, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE) for one in environments]
        try:
            said = [one.communicate(timeout=90) for one in started]
        finally:
            for one in started:
                one.kill()
                one.wait()
        return [(one.returncode, *texts) for one, texts in zip(started, said)]

    def check_table(self, output, ranks, nodes=1):
        """Every rank is there, on so many nodes, and every row was checked and right."""
        devices = [line.split() for line in output.splitlines() if line.startswith("#  Rank ")]
        self.assertEqual([int(words[2]) for words in devices], list(range(ranks)), output)
        self.assertEqual(len({words[words.index("node") + 1] for words in devices}), nodes, output)
        rows = [line.split() for line in output.splitlines() if line.strip()[:1].isdigit()]
        self.assertEqual(len(rows), ROWS, output)
        for row in rows:
            self.assertEqual([row[c] for c in WRONG_COLUMNS], ["0", "0"], output)
        self.assertIn("# Out of bounds values : 0 OK", output)

    def check_success(self, ran, ranks, nodes=1):
        status, output, errors = ran
        self.assertEqual(status, 0, output + errors)
        self.check_table(output, ranks, nodes)


def needs(program, package):
    """Ends the test, as skipped, where the program is not installed."""
    for folder in os.environ.get("PATH", "").split(":") + ["/usr/sbin", "/sbin"]:
        if os.access(os.path.join(folder, program), os.X_OK):
            return
    print(f"skipped: no {program} on this machine; on Debian: apt-get install {package}")
    sys.exit(SKIPPED)


def main():
    """Reads --build and runs the tests of the calling file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=pathlib.Path)
    _, rest = parser.parse_known_args(namespace=given)
    given.build = given.build.resolve()
    print("benchmark:", shlex.join(benchmark()))
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
