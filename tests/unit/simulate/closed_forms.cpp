// Times equal to formulas derived by hand, to the picosecond.

#include "toy.hpp"

namespace weft::simulate {
namespace {

using schedule::Shape;
constexpr auto all_reduce = schedule::Kind::all_reduce;

Call floats(u64 count) { return {.count = count, .element_bytes = 4}; }

// 2 (p - 1) rounds, each waiting for the one before: first sums, then copies out of slots.
TEST(ClosedForm, ring_all_reduce_in_slots) {
  const Machine machine = toy_machine(always);
  const Terms t{machine, machine.intra};
  for (u64 p : {2, 3, 4, 5, 8, 11})
    for (u64 floats_each : {16, 4096, 160'000}) {
      const u64 n = floats_each * 4, rounds = 2 * (p - 1);
      const Time o = machine.intra.receive_overhead;
      const Time expected = t.start() + rounds * t.hop(n) + (p - 1) * (o + t.sum(n)) +
                            (p - 2) * (o + t.copy(n)) + std::max(o + t.copy(n), t.acknowledged());
      EXPECT_EQ(time_of("ring", all_reduce, Shape::flat(u32(p)), floats(floats_each * p), machine),
                expected)
          << p << " ranks, " << n << " bytes";
    }
}

// The first message waits for its grant, which the receiver sends after its own send; later grants
// come long before they are needed. No copies.
TEST(ClosedForm, ring_all_reduce_to_the_target) {
  const Machine machine = toy_machine(never);
  const Terms t{machine, machine.intra};
  for (u64 p : {4, 5, 7, 16})
    for (u64 floats_each : {16, 160'000}) {
      const u64 n = floats_each * 4, rounds = 2 * (p - 1);
      const Link& l = machine.intra;
      const Time o = l.receive_overhead;
      const Time first =
          2 * (machine.issue + t.post()) + l.latency + l.launch + t.occupied(n) + l.latency;
      const Time expected = t.start() + first + (rounds - 1) * t.hop(n) + (p - 1) * (o + t.sum(n)) +
                            (p - 2) * o + std::max(o, t.acknowledged());
      EXPECT_EQ(time_of("ring", all_reduce, Shape::flat(u32(p)), floats(floats_each * p), machine),
                expected)
          << p << " ranks, " << n << " bytes";
    }
}

TEST(ClosedForm, recursive_doubling) {
  const Machine machine = toy_machine(always);
  const Terms t{machine, machine.intra};
  for (u64 rounds : {2, 3, 4, 6})
    for (u64 count : {2, 4096, 1'000'003}) {
      const u64 n = count * 4;
      const Time added = machine.intra.receive_overhead + t.sum(n);
      const Time expected =
          t.start() + rounds * t.hop(n) + (rounds - 1) * added + std::max(added, t.acknowledged());
      EXPECT_EQ(time_of("recursive_doubling", all_reduce, Shape::flat(1u << rounds), floats(count),
                        machine),
                expected)
          << rounds << " rounds, " << n << " bytes";
    }
}

// Whoever has the data sends it to its children, farthest first, one after the other through one
// port; the root copies to its output at the end.
struct Tree {
  Terms t;
  u64 n;
  u32 ranks;
  Time end = 0;

  // A rank whose data is there at `ready` and whose subtree has 2^log2 ranks.
  Time serve(Time ready, u32 log2) {
    Time last_ack = 0;
    for (u32 j = 0; j < log2; ++j) {
      const Time arrival = ready + t.hop(n) + j * t.occupied(n);
      last_ack = arrival + t.acknowledged();
      end = std::max(end, last_ack);
      const Time there = arrival + t.l.receive_overhead + t.copy(n);
      end = std::max(end, there);
      serve(there, log2 - 1 - j);
    }
    return last_ack;
  }
};

TEST(ClosedForm, binomial_broadcast) {
  const Machine machine = toy_machine(always);
  for (u32 log2 : {1, 2, 3, 5})
    for (u64 count : {4096, 1'000'003}) {
      const u64 n = count * 4;
      Tree tree{{machine, machine.intra}, n, 1u << log2};
      const Time acked = tree.serve(tree.t.start(), log2);
      const Time expected = std::max(tree.end, acked + machine.issue + tree.t.copy(n));
      EXPECT_EQ(time_of("binomial", schedule::Kind::broadcast, Shape::flat(1u << log2),
                        floats(count), machine),
                expected)
          << log2 << " rounds, " << n << " bytes";
    }
}

// Both shots keep ports busy from the first message to the last, since no two ranks send to the
// same one at a time.
TEST(ClosedForm, two_shot) {
  const Machine machine = toy_machine(always);
  const Terms t{machine, machine.intra};
  for (u64 p : {2, 3, 5, 8})
    for (u64 floats_each : {256, 1024}) {
      const u64 n = floats_each * 4, others = p - 1;
      const Time o = machine.intra.receive_overhead;
      ASSERT_GT(t.occupied(n), 2 * machine.issue + t.post());
      ASSERT_LT(p * t.occupied(n) + t.sum(others * n) + p * t.post() + o, machine.intra.latency);
      const Time shot = t.hop(n) + (others - 1) * t.occupied(n);
      const Time expected = t.start() + shot + o + t.sum(others * n) + shot +
                            std::max(o + t.copy(n), t.acknowledged());
      EXPECT_EQ(
          time_of("two_shot", all_reduce, Shape::flat(u32(p)), floats(floats_each * p), machine),
          expected)
          << p << " ranks, " << n << " bytes";
    }
}

// The hierarchical form without costs of the progress thread, each rank on a rail of its own:
// two-shot in the node, halving and doubling between nodes, two-shot back.
TEST(ClosedForm, two_shot_halving_doubling) {
  Machine machine = toy_machine(never);
  machine.issue = machine.frame = 0;
  for (Link* l : {&machine.intra, &machine.inter})
    l->send_overhead = l->receive_overhead = l->doorbell = l->signal = 0;
  const Terms in{machine, machine.intra}, between{machine, machine.inter};
  const Time here = machine.intra.latency, there = machine.inter.latency;
  for (u64 each : {2, 4, 8})
    for (u64 rounds : {1, 2, 3, 5}) {
      const u64 nodes = u64{1} << rounds, shard = 4096 * nodes, n = shard * each;
      Time time = machine.call;
      // Granted one latency after the start; the last of each - 1 blocks; their sum.
      time += here + machine.intra.launch + (each - 1) * in.occupied(shard) + here;
      time += in.sum((each - 1) * shard);
      for (u64 r = 1; r <= rounds; ++r) {
        // A sum reads what the sum before it wrote, so its grant leaves only now.
        time += there + between.occupied(shard >> r) + there;
        if (r < rounds) time += in.sum(shard >> r);
      }
      // What doubling overwrites must have left, and then its grants be sent: three latencies less
      // the one that a last sum hides.
      time += std::max(in.sum(shard >> rounds), 2 * there);
      for (u64 r = rounds; r >= 1; --r) time += between.occupied(shard >> r) + there;
      time += machine.intra.launch + (each - 1) * in.occupied(shard) + here;
      time += here;  // the last completion
      Shape shape{.size = std::vector<u32>(nodes, u32(each)), .rails = u32(each)};
      EXPECT_EQ(time_of("two_shot/halving_doubling", all_reduce, shape, floats(n / 4), machine),
                time)
          << nodes << " nodes of " << each;
    }
}

}  // namespace
}  // namespace weft::simulate
