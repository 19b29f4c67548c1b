// One wrong schedule for each class of fault, and the words that explain it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hand.hpp"
#include "verify/verify.hpp"

namespace weft::verify {
namespace {

using namespace hand;
using schedule::Collective;
using schedule::Kind;
using testing::AllOf;
using testing::HasSubstr;

using Programs = std::vector<Program>;

std::string fault(const Programs& programs, Collective collective = {}, Options options = {}) {
  return verify(programs, collective, options).fault;
}

TEST(Fault, none_in_the_schedules_that_the_others_spoil) {
  EXPECT_EQ(fault(pair_all_reduce()), "");
  for (u32 p : {2u, 3u, 4u, 5u, 7u, 70u}) EXPECT_EQ(fault(one_shot(p)), "") << p;
  const Verdict verdict = verify(one_shot(6), {});
  EXPECT_EQ(verdict.order, Order::canonical);
}

TEST(Fault, spans_of_different_atoms) {
  const auto p = program(0, 1, 2, 1, 0, {on(0, copy(at(output, 0), at(input, 1)))});
  EXPECT_THAT(fault({p}), AllOf(HasSubstr("rank 0 step 0"), HasSubstr("spans of different atoms")));
}

TEST(Fault, an_atom_named_twice) {
  const auto p = program(0, 1, 2, 1, 0, {on(0, copy(at(output, 0, 1), at(input, 0, 1), 2))});
  EXPECT_THAT(fault({p}), HasSubstr("names atom 0 twice"));
}

TEST(Fault, the_input_written) {
  const auto p = program(0, 1, 1, 1, 0, {on(0, copy(at(input, 0), at(output, 0)))});
  EXPECT_THAT(fault({p}), HasSubstr("writes the input"));
}

TEST(Fault, outside_the_window) {
  const auto p = program(0, 2, 2, 1, 0, {on(0, copy(at(output, 1), at(input, 1)))});
  const auto q = program(1, 2, 2, 1, 0, {});
  EXPECT_THAT(
      fault({p, q}, {.kind = Kind::all_gather}),
      AllOf(HasSubstr("outside the window"), HasSubstr("the input of rank 0 has no atom 1")));
}

TEST(Fault, a_plane_that_does_not_exist) {
  auto programs = pair_all_reduce();
  programs[0].planes = 0;
  EXPECT_THAT(fault(programs), HasSubstr("uses plane 0, and the program has 0 planes"));
}

TEST(Fault, a_wait_for_more_steps_than_there_are) {
  auto programs = pair_all_reduce();
  programs[1].steps[2].set_wait(0, {0, 2});
  EXPECT_THAT(fault(programs), AllOf(HasSubstr("rank 1 step 2"),
                                     HasSubstr("waits for 2 steps of lane 0, which has 1")));
}

TEST(Fault, a_message_without_partner) {
  auto programs = one_shot(3);
  programs[2].steps[0].fan = 2;  // to ranks 0 and 1, as before: its own position was the third
  EXPECT_EQ(fault(programs), "");
  programs[2].steps[0].fan = 1;
  EXPECT_THAT(fault(programs),
              AllOf(HasSubstr("from rank 2 to rank 1"), HasSubstr("0 sends and 1 receives")));
}

TEST(Fault, two_ends_of_different_extent) {
  const auto p = program(0, 2, 2, 1, 0, {on(0, send(1, at(input, 0), 2))});
  const auto q = program(1, 2, 2, 1, 0, {on(0, recv(0, at(output, 1), 2))});
  EXPECT_THAT(fault({p, q}, {.kind = Kind::broadcast}),
              AllOf(HasSubstr("differ in extent"), HasSubstr("sends atoms 0 and 1"),
                    HasSubstr("expects atoms 1 and 0")));
}

TEST(Fault, a_channel_on_two_lanes) {
  const auto p =
      program(0, 2, 2, 2, 0, {on(0, send(1, at(input, 0))), on(1, send(1, at(input, 1)))});
  const auto q =
      program(1, 2, 2, 1, 0, {on(0, recv(0, at(output, 0))), on(0, recv(0, at(output, 1)))});
  EXPECT_THAT(fault({p, q}, {.kind = Kind::broadcast}), HasSubstr("on two lanes"));
}

TEST(Fault, a_circle_of_ranks_is_explained_link_by_link) {
  Programs programs;
  for (u32 r = 0; r < 3; ++r)  // each sends only after it has received
    programs.push_back(program(
        r, 3, 1, 2, 1,
        {on(0, send((r + 1) % 3, at(input, 0)), {1, 1}), on(1, recv((r + 2) % 3, at(plane, 0)))}));
  const std::string text = fault(programs);
  EXPECT_THAT(text, HasSubstr("deadlock"));
  for (const char* link : {"rank 0 step 1", "rank 1 step 1", "rank 2 step 1"})
    EXPECT_THAT(text, HasSubstr(link));
  EXPECT_THAT(text, HasSubstr("waits until 1 steps of lane 1 have retired"));
}

TEST(Fault, a_lane_that_holds_receives_behind_sends_deadlocks_without_buffers) {
  Programs programs;
  for (u32 r = 0; r < 2; ++r)
    programs.push_back(program(
        r, 2, 1, 1, 1, {on(0, send(1 - r, at(input, 0))), on(0, recv(1 - r, at(plane, 0)))}));
  EXPECT_THAT(fault(programs), AllOf(HasSubstr("deadlock"), HasSubstr("has issued and waits for")));
}

TEST(Fault, a_bounded_window_is_told_apart) {
  EXPECT_EQ(fault(one_shot(4), {}, {.window = 1}), "");
  Programs programs;  // the send to 2 stands behind the send to 1, which waits for 2's token
  programs.push_back(
      program(0, 3, 1, 1, 0, {on(0, send(1, at(input, 0))), on(0, send(2, at(input, 0)))}));
  programs.push_back(program(
      1, 3, 1, 1, 1, {on(0, recv(2, at(plane, 0))), on(0, recv(0, at(output, 0)), {0, 1})}));
  programs.push_back(program(
      2, 3, 1, 2, 0, {on(1, recv(0, at(output, 0))), on(0, send(1, at(output, 0)), {1, 1})}));
  EXPECT_EQ(fault(programs, {.kind = Kind::broadcast}),
            "rank 0: atom 0 of the output holds nothing at the end; no step wrote it");
  EXPECT_THAT(fault(programs, {.kind = Kind::broadcast}, {.window = 1}), HasSubstr("deadlock"));
}

TEST(Fault, a_read_of_what_nothing_has_written) {
  auto programs = pair_all_reduce();
  programs[0].planes = 2;
  programs[0].steps[2].second = at(plane + 1, 0);
  EXPECT_THAT(fault(programs),
              AllOf(HasSubstr("rank 0 step 2"), HasSubstr("reads atom 0 of the plane 1"),
                    HasSubstr("nothing has written before")));
}

TEST(Fault, a_leftover_of_the_instance_before_is_not_data) {
  // Reads the plane before it is written: only the second instance would find something there.
  const auto p =
      program(0, 1, 1, 1, 1,
              {on(0, copy(at(output, 0), at(plane, 0))), on(0, copy(at(plane, 0), at(input, 0)))});
  EXPECT_THAT(fault({p}, {}, {.instances = 3}), HasSubstr("nothing has written before"));
}

TEST(Fault, a_contribution_counted_twice) {
  auto programs = pair_all_reduce();
  programs[0].steps[2].second = at(input, 0);
  EXPECT_THAT(fault(programs),
              AllOf(HasSubstr("rank 0 step 2"), HasSubstr("counts a contribution twice"),
                    HasSubstr("both hold rank 0")));
}

TEST(Fault, a_contribution_that_is_missing) {
  auto programs = pair_all_reduce();
  Step& last = programs[1].steps[2];
  last.verb = Verb::copy, last.second = {};
  EXPECT_THAT(fault(programs), AllOf(HasSubstr("rank 1: atom 0 of the output"),
                                     HasSubstr("lacks the contribution of rank 1: it holds 0"),
                                     HasSubstr("last to write it was rank 1 step 2")));
}

TEST(Fault, ranks_with_different_trees) {
  auto programs = pair_all_reduce();
  std::swap(programs[1].steps[2].source, programs[1].steps[2].second);
  EXPECT_THAT(fault(programs),
              AllOf(HasSubstr("is added up as (1+0), on rank 0 as (0+1)"), HasSubstr("same bits")));
}

TEST(Fault, another_order_than_promised) {
  auto programs = pair_all_reduce();
  for (auto& p : programs) std::swap(p.steps[2].source, p.steps[2].second);
  EXPECT_EQ(fault(programs), "");
  EXPECT_THAT(fault(programs, {}, {.promise = Order::canonical}),
              HasSubstr("in the order `fast`, and `canonical` was promised"));
}

TEST(Fault, a_race_names_both_steps_and_what_is_known) {
  auto programs = pair_all_reduce();
  programs[0].steps[2].set_wait(1, {});  // reads the plane without waiting for the receive
  EXPECT_THAT(fault(programs),
              AllOf(HasSubstr("race: rank 0 step 1 (`lane 1 recv "),
                    HasSubstr("writes atom 0 of the plane 0"), HasSubstr("rank 0 step 2"),
                    HasSubstr("reads it"), HasSubstr("only 0 of the 1 steps of lane 1")));
}

TEST(Fault, a_race_that_is_one_in_place_only) {
  auto programs = pair_all_reduce();
  for (auto& p : programs) p.steps[2].set_wait(0, {});  // writes the output while the input is sent
  EXPECT_EQ(fault(programs, {}, {.buffers = Buffers::apart}), "");
  EXPECT_THAT(fault(programs), AllOf(HasSubstr("race in place"), HasSubstr("rank 0 step 0")));
}

// Rank 0 writes atom 1, sends atom 0 round through rank 1, then reads atom 1 on another lane. In a
// call where atom 0 is empty no message flies, and nothing orders the two.
TEST(Fault, an_empty_message_orders_nothing) {
  const auto p =
      program(0, 2, 2, 2, 2,
              {on(0, copy(at(plane, 1), at(input, 1))), on(0, send(1, at(input, 0))),
               on(1, recv(1, at(plane + 1, 0))), on(1, copy(at(output, 1), at(plane, 1)))});
  const auto q =
      program(1, 2, 2, 2, 1, {on(0, recv(0, at(plane, 0))), on(1, send(0, at(plane, 0)), {0, 1})});
  EXPECT_THAT(fault({p, q}), HasSubstr("race: rank 0 step 0"));
  EXPECT_THAT(fault({p, q}, {}, {.edges = Edges::all}), testing::Not(HasSubstr("race")));
}

TEST(Fault, a_rank_that_leaves_the_barrier_early) {
  Programs programs;
  for (u32 r = 0; r < 3; ++r)  // one round of two
    programs.push_back(
        program(r, 3, 1, 2, 1,
                {on(0, send((r + 1) % 3, at(input, 0))), on(1, recv((r + 2) % 3, at(plane, 0)))}));
  EXPECT_THAT(fault(programs, {.kind = Kind::barrier}),
              HasSubstr("rank 0 leaves the barrier without knowing that rank 1 has come"));
}

// In place the copy writes what it reads, and is still a write: a send must not run beside it.
TEST(Fault, the_wrong_block) {
  Programs programs;
  for (u32 r = 0; r < 2; ++r)
    programs.push_back(program(
        r, 2, 2, 3, 0,
        {on(2, copy(at(output, r), at(input, r))), on(0, send(1 - r, at(output, r)), {2, 1}),
         on(1, recv(1 - r, at(output, 1 - r)))}));
  const Collective gather{.kind = Kind::all_gather};
  EXPECT_EQ(fault(programs, gather), "");
  auto beside = programs;
  beside[0].steps[1].source.buffer = input;
  beside[0].steps[1].set_wait(0, {});
  EXPECT_EQ(fault(beside, gather, {.buffers = Buffers::apart}), "");
  EXPECT_THAT(fault(beside, gather), HasSubstr("race in place"));
  auto lost = beside;  // the own block is not copied: right in place only
  lost[0].steps.erase(lost[0].steps.begin());
  EXPECT_EQ(fault(lost, gather, {.buffers = Buffers::in_place}), "");
  EXPECT_THAT(fault(lost, gather), HasSubstr("rank 0: atom 0 of the output holds nothing"));
  EXPECT_THAT(fault(programs, {.kind = Kind::all_gather, .owner = {1, 0}}),
              HasSubstr("outside the window"));
}

TEST(Fault, programs_that_do_not_belong_together) {
  auto programs = pair_all_reduce();
  EXPECT_THAT(fault({programs[0]}), HasSubstr("program 0 of 1 says that it is rank 0 of 2"));
  programs[1].atoms = 2;
  EXPECT_THAT(fault(programs), HasSubstr("rank 1 cuts the vector into 2 atoms, rank 0 into 1"));
  EXPECT_THAT(fault(pair_all_reduce(), {.kind = Kind::broadcast, .root = 2}),
              HasSubstr("the root is rank 2"));
}

}  // namespace
}  // namespace weft::verify
