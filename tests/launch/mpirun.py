#!/usr/bin/env python3
"""mpirun of Open MPI, whose ranks meet through PMIx; the program has no MPI."""
from launched import Launched, benchmark, main, needs


class Mpirun(Launched):
    def test_ranks_meet_through_pmix(self):
        self.check_success(self.run_command(["mpirun", "-n", 4, *benchmark()]), 4)

    def test_ranks_of_two_emulated_nodes(self):
        ran = self.run_command(["mpirun", "-n", 4, *benchmark("--nodes", "1+3")])
        self.check_success(ran, 4, nodes=2)

    def test_settings_that_differ_are_named(self):
        script = '[ "$PMIX_RANK" = 1 ] && export WEFT_ALGORITHM=ring; exec "$0" "$@"'
        status, output, errors = self.run_command(["mpirun", "-n", 2, "sh", "-c", script,
                                                   *benchmark()])
        self.assertNotEqual(status, 0, output + errors)
        self.assertIn('WEFT_ALGORITHM differs: "" on rank 0', errors)


if __name__ == "__main__":
    needs("mpirun", "openmpi-bin")
    main()
