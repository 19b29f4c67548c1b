// Slices in frames: one message an instance, over and over.
#include "toy.hpp"

namespace weft::simulate {
namespace {

using schedule::Step;
using schedule::Verb;

// Rank 0 sends its vector to rank 1: one step each.
Written one_message(u32 nodes) {
  schedule::Schedule s{.collective = {.kind = schedule::Kind::broadcast}};
  for (u32 rank : {0u, 1u}) {
    schedule::Program p{.rank = rank, .ranks = 2, .lanes = 1};
    p.levels = {{.rank = {0, 1}, .me = rank, .cut = {0, 1}}};
    Step step;
    step.verb = rank ? Verb::recv : Verb::send, step.count = 1, step.peer = 1 - rank;
    (rank ? step.target : step.source) = {0, rank ? schedule::output : schedule::input};
    p.steps = {step};
    s.programs.push_back(p);
  }
  schedule::Shape shape{.size = nodes == 2 ? std::vector<u32>{1, 1} : std::vector<u32>{2}};
  return Written(std::move(s), std::move(shape));
}

Time time_of(u32 nodes, u64 slices, u32 frames, u64 slice_floats, const Machine& machine) {
  const auto cast =
      lower(one_message(nodes),
            {.count = slices * slice_floats, .element_bytes = 4, .slice_elements = slice_floats});
  EXPECT_TRUE(cast) << cast.error().text;
  EXPECT_EQ(cast->slices, slices);
  return simulate(*cast, machine, {.frames = frames})->time;
}

class Frames : public testing::TestWithParam<u32> {};

// The port is busy, or the frame of D slices ago must first have come back on both sides.
TEST_P(Frames, to_the_target) {
  const Machine machine = toy_machine(never);
  const u32 nodes = GetParam();
  const Link& l = nodes == 2 ? machine.inter : machine.intra;
  const Terms t{machine, l};
  const u64 floats = 4096;
  const Time w = t.occupied(floats * 4);
  ASSERT_GT(w, machine.frame + machine.issue + t.post() + l.signal + l.receive_overhead);
  for (u32 frames = 1; frames <= 9; ++frames)
    for (u64 slices : {1, 2, 3, 8, 20}) {
      const Time restart = machine.frame + machine.issue + t.post();
      std::vector<Time> arrival;
      for (u64 s = 0; s < slices; ++s) {
        Time at = machine.call + restart + l.latency + l.launch + w + l.latency;
        if (s > 0) at = arrival[s - 1] + w;
        if (s >= frames)
          at = std::max(at, arrival[s - frames] + l.latency +
                                std::max(l.signal, l.receive_overhead) + restart + l.launch + w +
                                l.latency);
        arrival.push_back(at);
      }
      EXPECT_EQ(time_of(nodes, slices, frames, floats, machine),
                arrival.back() + std::max(l.receive_overhead, t.acknowledged()))
          << slices << " slices in " << frames << " frames";
    }
}

// With slots the sender need not wait for the receive, but for the receiver's frame.
TEST_P(Frames, in_slots) {
  const Machine machine = toy_machine(always);
  const u32 nodes = GetParam();
  const Link& l = nodes == 2 ? machine.inter : machine.intra;
  const Terms t{machine, l};
  const u64 floats = 16'384;
  const Time w = t.occupied(floats * 4), kept = l.receive_overhead + t.copy(floats * 4);
  for (u32 frames = 1; frames <= 9; ++frames)
    for (u64 slices : {1, 2, 3, 8, 20}) {
      std::vector<Time> arrival;
      for (u64 s = 0; s < slices; ++s) {
        Time at = t.start() + t.hop(floats * 4);
        if (s > 0) at = arrival[s - 1] + w;
        if (s >= frames) {
          const Time before = arrival[s - frames];
          const Time sender = before + t.acknowledged() + machine.frame + machine.issue + t.post();
          const Time receiver = before + kept + machine.frame + l.latency;
          at = std::max(at, std::max(sender, receiver) + l.launch + w + l.latency);
        }
        arrival.push_back(at);
      }
      EXPECT_EQ(time_of(nodes, slices, frames, floats, machine),
                arrival.back() + std::max(kept, t.acknowledged()))
          << slices << " slices in " << frames << " frames";
    }
}

INSTANTIATE_TEST_SUITE_P(levels, Frames, testing::Values(1u, 2u));

TEST(FramesOf, none_is_refused) {
  const auto cast = lower(one_message(1), {.count = 16, .element_bytes = 4});
  EXPECT_FALSE(simulate(*cast, toy_machine(never), {.frames = 0}));
}

}  // namespace
}  // namespace weft::simulate
