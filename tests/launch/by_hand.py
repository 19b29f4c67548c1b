#!/usr/bin/env python3
"""Ranks that somebody starts one by one, with an id from `weft unique-id`."""
import socket

from launched import Launched, benchmark, environment, given, main


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


class ByHand(Launched):
    def unique_id(self):
        status, output, errors = self.run_command(
            [given.build / "weft", "unique-id", "--host", "127.0.0.1", "--port", free_port()])
        self.assertEqual(status, 0, errors)
        return output.strip()

    def ranks(self, count, **more):
        unique = self.unique_id()
        return [environment(RANK=rank, WORLD_SIZE=count, WEFT_UNIQUE_ID=unique, **more)
                for rank in range(count)]

    def test_three_ranks(self):
        results = self.run_ranks(benchmark(), self.ranks(3))
        for ran in results[1:]:
            self.assertEqual(ran[0], 0, ran[2])
        self.check_success(results[0], 3)

    def test_two_names_of_nodes_on_one_host(self):
        ranks = [dict(one, WEFT_NODE=f"node{i // 2}") for i, one in enumerate(self.ranks(4))]
        self.check_success(self.run_ranks(benchmark(), ranks)[0], 4, nodes=2)

    def test_a_rank_that_does_not_come_is_named(self):
        results = self.run_ranks(benchmark(), self.ranks(3, WEFT_TIMEOUT=3)[:2])
        for status, _, errors in results:
            self.assertNotEqual(status, 0)
            self.assertIn("rank 2 has not joined after", errors)

    def test_one_rank_given_twice_is_named(self):
        ranks = self.ranks(3, WEFT_TIMEOUT=10)
        ranks[2]["RANK"] = "1"
        for status, _, errors in self.run_ranks(benchmark(), ranks):
            self.assertNotEqual(status, 0)
            self.assertIn("joined as rank 1", errors)

    def test_an_id_that_was_cut(self):
        (rank,) = self.ranks(1)
        (ran,) = self.run_ranks(benchmark(), [dict(rank, WEFT_UNIQUE_ID="abc")])
        self.assertNotEqual(ran[0], 0)
        self.assertIn("was it cut when copied?", ran[2])

    def test_without_a_launcher_it_is_a_job_of_one_rank(self):
        self.check_success(self.run_command(benchmark()), 1)


if __name__ == "__main__":
    main()
