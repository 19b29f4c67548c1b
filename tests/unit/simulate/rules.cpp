// The rules of the contract one at a time, on schedules written by hand: each costs what it should.
#include <gmock/gmock.h>

#include "toy.hpp"

namespace weft::simulate {
namespace {

using schedule::Lane;
using schedule::Step;
using schedule::Verb;
using schedule::Wait;
using testing::HasSubstr;

constexpr u64 n = 65'536;  // bytes of a chunk, of which every vector has four

Step send(u32 peer, Lane lane = 0, u32 chunk = 0) {
  Step s;
  s.verb = Verb::send, s.source = {chunk, schedule::input}, s.count = 1;
  s.peer = peer, s.lane = lane;
  return s;
}
Step recv(u32 peer, Lane lane = 0, u32 chunk = 0) {
  Step s;
  s.verb = Verb::recv, s.target = {chunk, schedule::output}, s.count = 1;
  s.peer = peer, s.lane = lane;
  return s;
}
Step join(Lane lane) {
  Step s;
  s.lane = lane;
  return s;
}
Step after(Step s, Lane lane, u32 steps) {
  s.set_wait(0, {lane, steps});
  return s;
}

Result<Time> time_of(const schedule::Shape& shape, std::vector<std::vector<Step>> steps,
                     const Machine& machine, u64 bytes = 4 * n) {
  schedule::Schedule s{.collective = {.kind = schedule::Kind::broadcast}, .tiling = {.shards = 4}};
  for (u32 rank = 0; rank < steps.size(); ++rank) {
    schedule::Program p{.rank = rank, .ranks = u32(steps.size()), .atoms = 4};
    schedule::Level level{.me = rank, .cut = {0, 1, 2, 3, 4}};
    for (u32 r = 0; r < steps.size(); ++r) level.rank.push_back(r);
    p.levels = {level};
    p.steps = steps[rank];
    for (const Step& step : p.steps) p.lanes = std::max<u32>(p.lanes, step.lane + 1u);
    s.programs.push_back(p);
  }
  WEFT_ASSIGN(const Cast cast, lower(Written(std::move(s), shape), {.count = bytes / 4}));
  WEFT_ASSIGN(const Outcome outcome, simulate(cast, machine, {.path = true}));
  Time sum = 0;
  for (Time term : outcome.path) sum += term;
  EXPECT_EQ(sum, outcome.time);
  return outcome.time;
}

class Rules : public testing::Test {
 protected:
  Machine machine = toy_machine(always);
  Terms in{machine, machine.intra}, between{machine, machine.inter};
  schedule::Shape pair = schedule::Shape::flat(2);
  Time first_arrival = in.start() + in.hop(n);
};

TEST_F(Rules, sends_overlap_and_queue_at_the_port) {
  EXPECT_EQ(*time_of(pair, {{send(1), send(1, 0, 1)}, {recv(0), recv(0, 0, 1)}}, machine),
            first_arrival + in.occupied(n) + in.acknowledged());
}

TEST_F(Rules, a_send_after_a_receive_on_its_lane_waits_for_it) {
  const Time back = first_arrival + machine.intra.receive_overhead + in.copy(n) + in.hop(n);
  EXPECT_EQ(*time_of(pair, {{send(1), recv(1, 1)}, {recv(0), send(0)}}, machine),
            back + in.acknowledged());
  // On lanes of their own the two messages pass each other, the second send one issue later.
  EXPECT_EQ(*time_of(pair, {{send(1), recv(1, 1)}, {recv(0), send(0, 1)}}, machine),
            first_arrival + machine.issue + in.acknowledged());
}

TEST_F(Rules, a_wait_holds_when_the_steps_have_retired) {
  const Time kept = first_arrival + machine.intra.receive_overhead + in.copy(n);
  EXPECT_EQ(*time_of(pair, {{send(1), recv(1, 1)}, {recv(0), after(send(0, 1), 0, 1)}}, machine),
            kept + in.hop(n) + in.acknowledged());
  // A join in between costs its issue, and so does one that nobody waits for.
  EXPECT_EQ(
      *time_of(pair, {{send(1), recv(1, 1)}, {recv(0), after(join(1), 0, 1), send(0, 1)}}, machine),
      kept + machine.issue + in.hop(n) + in.acknowledged());
}

TEST_F(Rules, a_wait_for_a_send_is_for_its_completion) {
  const Time sent = first_arrival + in.acknowledged();
  Step second = after(send(1, 1, 1), 0, 1), second_recv = recv(0, 1, 1);
  second.port = second_recv.port = 1;
  EXPECT_EQ(*time_of(pair, {{send(1), second}, {recv(0), second_recv}}, machine),
            sent + in.hop(n) + in.acknowledged());
}

TEST_F(Rules, an_empty_message_is_none) {
  // 64 bytes fill the last of four chunks only: cuts fall on 64 bytes.
  const Time expected = in.start() + machine.issue;
  EXPECT_EQ(*time_of(pair, {{send(1)}, {recv(0)}}, machine, 64), expected);
}

TEST_F(Rules, ranks_of_a_node_share_a_card) {
  schedule::Shape shape{.size = {2, 2}, .rails = 1};
  const std::vector<std::vector<Step>> steps{{send(2)}, {send(3)}, {recv(0)}, {recv(1)}};
  const Time arrival = between.start() + between.hop(n);
  EXPECT_EQ(*time_of(shape, steps, machine),
            arrival + between.occupied(n) + between.acknowledged());
  shape.rails = 2;
  EXPECT_EQ(*time_of(shape, steps, machine), arrival + between.acknowledged());
}

TEST_F(Rules, two_senders_queue_at_the_receivers_port) {
  EXPECT_EQ(
      *time_of(schedule::Shape::flat(3), {{send(2)}, {send(2)}, {recv(0), recv(1, 1, 1)}}, machine),
      first_arrival + in.occupied(n) + in.acknowledged());
}

// All ranks send one span to all: the k-th message of each goes k places on, so no two meet.
TEST_F(Rules, fans_begin_after_the_own_position) {
  std::vector<std::vector<Step>> steps(4);
  for (u32 rank = 0; rank < 4; ++rank) {
    Step all = send(0);
    all.fan = 4, all.source.first = rank;
    steps[rank] = {all};
    for (u32 peer = 0; peer < 4; ++peer)
      if (peer != rank) steps[rank].push_back(recv(peer, Lane(1 + peer), peer));
  }
  EXPECT_EQ(*time_of(schedule::Shape::flat(4), steps, machine),
            first_arrival + 2 * in.occupied(n) + in.acknowledged());
}

TEST_F(Rules, small_messages_occupy_a_port_for_the_gap) {
  machine.intra.gap = 3 * in.occupied(n);
  EXPECT_EQ(*time_of(pair, {{send(1), send(1, 0, 1)}, {recv(0), recv(0, 0, 1)}}, machine),
            in.start() + in.hop(n) + machine.intra.gap + in.acknowledged());
}

TEST_F(Rules, what_never_ends_is_said) {
  const auto outcome = time_of(pair, {{recv(1), send(1)}, {recv(0), send(0)}}, machine);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().text, HasSubstr("deadlock"));
}

TEST_F(Rules, programs_that_do_not_match_are_refused) {
  auto error = [&](std::vector<std::vector<Step>> steps) {
    const auto outcome = time_of(schedule::Shape::flat(2), std::move(steps), machine);
    return outcome ? "" : outcome.error().text;
  };
  EXPECT_THAT(error({{send(1)}, {}}), HasSubstr("rank 0 sends more than rank 1 has for it"));
  EXPECT_THAT(error({{}, {recv(0)}}), HasSubstr("rank 1 receives more than rank 0 has for it"));
  EXPECT_THAT(error({{send(0)}, {}}), HasSubstr("no other rank"));
  EXPECT_THAT(error({{send(7)}, {}}), HasSubstr("no other rank"));
  Step both = send(1);
  both.count = 2;
  EXPECT_THAT(error({{both}, {recv(0)}}), HasSubstr("which expects"));
}

}  // namespace
}  // namespace weft::simulate
