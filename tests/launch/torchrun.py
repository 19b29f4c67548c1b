#!/usr/bin/env python3
"""The variables of torchrun, as its agent sets them, without PyTorch.

The names are those of LocalElasticAgent._start_workers in PyTorch's
torch/distributed/elastic/agent/server/local_elastic_agent.py. The agent of node 0 mostly keeps its
own TCPStore at MASTER_PORT while the ranks run; here another socket holds that port.
"""
import contextlib
import socket

from launched import Launched, benchmark, environment, main

RANKS = 4


@contextlib.contextmanager
def agents_store():
    """A port of 127.0.0.1 on which somebody else listens, and speaks only when spoken to."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as store:
        yield store.getsockname()[1]


def torchrun(port, agent_store, **more):
    """The environments of all ranks of one node."""
    return [environment(
        RANK=rank, LOCAL_RANK=rank, GROUP_RANK=0, ROLE_RANK=rank, ROLE_NAME="default",
        LOCAL_WORLD_SIZE=RANKS, WORLD_SIZE=RANKS, GROUP_WORLD_SIZE=1, ROLE_WORLD_SIZE=RANKS,
        MASTER_ADDR="127.0.0.1", MASTER_PORT=port, TORCHELASTIC_RESTART_COUNT=0,
        TORCHELASTIC_MAX_RESTARTS=0, TORCHELASTIC_RUN_ID="none",
        TORCHELASTIC_USE_AGENT_STORE=agent_store, TORCH_NCCL_ASYNC_ERROR_HANDLING=1,
        OMP_NUM_THREADS=1, **more) for rank in range(RANKS)]


class Torchrun(Launched):
    def check_ranks(self, environments):
        results = self.run_ranks(benchmark(), environments)
        for status, output, errors in results:
            self.assertEqual(status, 0, output + errors)
        self.check_table(results[0][1], RANKS)

    def test_beside_the_agents_store_that_says_so(self):
        with agents_store() as port:
            self.check_ranks(torchrun(port, agent_store=True))

    def test_beside_a_store_that_nobody_mentions(self):
        with agents_store() as port:
            self.check_ranks(torchrun(port, agent_store=False))

    def test_with_nobody_at_the_port(self):
        with agents_store() as port:
            pass
        self.check_ranks(torchrun(port, agent_store=False))

    def test_torchrun_started_by_srun_or_mpirun(self):
        with agents_store() as port:
            self.check_ranks(torchrun(port, agent_store=True, PMIX_RANK=0, PMIX_NAMESPACE="outer",
                                      SLURM_PROCID=0, SLURM_STEP_NUM_TASKS=2))

    def test_a_secret_keeps_out_who_does_not_know_it(self):
        with agents_store() as port:
            ranks = torchrun(port, agent_store=True, WEFT_SECRET="one", WEFT_TIMEOUT=4)
            ranks[3]["WEFT_SECRET"] = "another"
            results = self.run_ranks(benchmark(), ranks)
        self.assertTrue(all(status != 0 for status, _, _ in results))
        self.assertIn("rank 3 has not joined after", results[0][2])
        self.assertIn("is it the id of another job?", results[3][2])

    def test_a_host_that_cannot_be_found(self):
        with agents_store() as port:
            ranks = torchrun(port, agent_store=True, WEFT_TIMEOUT=4)
        ranks[1]["MASTER_ADDR"] = "no-such-host.invalid"
        results = self.run_ranks(benchmark(), ranks[:2])
        self.assertIn('host "no-such-host.invalid"', results[1][2])


if __name__ == "__main__":
    main()
