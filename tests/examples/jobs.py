"""Runs an example on some ranks under mpirun, as if they were on several nodes."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

SPLITS = ("4", "2+2", "1+1+1+1")
LAUNCHER_VARIABLES = ("RANK", "WORLD_SIZE", "MASTER_", "PMIX_", "PMI_", "OMPI_", "SLURM_", "WEFT_")


def environment(**more):
    """This process's, without any launcher and with the host's own loopback alone."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHER_VARIABLES)}
    return {**kept, "WEFT_INTERFACE": "lo", **more}


def command(split, words):
    """mpirun's for the split "2+2": two nodes of two ranks."""
    line = ["mpirun", "--allow-run-as-root", "--oversubscribe"]
    for node, ranks in enumerate(split.split("+")):
        if node > 0:
            line.append(":")
        line += ["-n", ranks, "-x", f"WEFT_NODE=node{node}", *map(str, words)]
    return line


def run(split, words, **variables):
    return subprocess.run(command(split, words), env=environment(**variables), text=True,
                          capture_output=True, check=False, timeout=120)


class ExampleTest(unittest.TestCase):
    program = None

    def said(self, split, *words, **variables):
        """Standard output of a job that ends well."""
        done = run(split, [self.program, *words], **variables)
        if done.returncode != 0:
            self.fail(f"{split} {words} {variables}: status {done.returncode}\n"
                      f"{done.stdout}{done.stderr}")
        return done.stdout


def main(case):
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=pathlib.Path)
    given, rest = parser.parse_known_args()
    case.program = given.program
    version = shutil.which("mpirun") and subprocess.run(
        ["mpirun", "--version"], text=True, capture_output=True, check=False)
    if not version or "Open MPI" not in version.stdout:
        print("skipped: no mpirun of Open MPI on this machine")
        return 77
    unittest.main(module=sys.modules["__main__"], argv=[sys.argv[0], *rest], verbosity=2)
    return 0
