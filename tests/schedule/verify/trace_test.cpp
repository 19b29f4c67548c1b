// Recorded executions are recognised, spoilt ones are not.
#include "verify/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/table.hpp"
#include "recorder.hpp"

namespace weft::verify {
namespace {

using schedule::Kind;
using schedule::RankTrace;
using schedule::Record;
using schedule::Shape;
using testing::HasSubstr;
using Traces = std::vector<RankTrace>;

RecordedCall call(const char* algorithm, Kind kind, const char* nodes, u64 instances) {
  auto schedule = algorithms::emit_all(algorithm, kind, *Shape::parse(nodes), 0);
  EXPECT_TRUE(schedule) << algorithm;
  return {
      .collective = schedule->collective, .programs = schedule->programs, .instances = instances};
}

std::vector<RecordedCall> some_calls() {
  auto uneven = call("two_shot/ring", Kind::all_reduce, "3+2", 3);
  uneven.is_empty = [](u64 instance, u32 atom) { return instance == 2 && atom % 2; };
  return {call("ring", Kind::all_reduce, "5", 4), std::move(uneven),
          call("dissemination", Kind::barrier, "5", 1),
          call("halving_doubling", Kind::all_reduce, "5", 2)};
}

class Trace : public testing::TestWithParam<u64> {
 protected:
  u64 seed() const { return GetParam(); }
  Traces good() const { return record(some_calls(), 1 + u32(seed() % 3), seed()); }
};

TEST_P(Trace, an_execution_is_recognised) {
  const auto verdict = check_trace(good());
  EXPECT_EQ(verdict.fault, "") << "seed " << seed();
  EXPECT_EQ(verdict.calls, 4u);
  EXPECT_GT(verdict.records, 0u);
}

TEST_P(Trace, a_record_dropped_or_doubled_is_a_fault) {
  const Traces traces = good();
  std::mt19937_64 dice(seed());
  for (int i = 0; i < 50; ++i) {
    const std::size_t r = dice() % traces.size(), k = dice() % traces[r].records.size();
    Traces less = traces, more = traces;
    less[r].records.erase(less[r].records.begin() + long(k));
    more[r].records.insert(more[r].records.begin() + long(k), traces[r].records[k]);
    EXPECT_FALSE(check_trace(less).ok()) << "seed " << seed() << " rank " << r << " record " << k;
    EXPECT_FALSE(check_trace(more).ok()) << "seed " << seed() << " rank " << r << " record " << k;
  }
}

TEST_P(Trace, the_two_records_of_a_step_swapped_are_a_fault) {
  const Traces traces = good();
  std::mt19937_64 dice(seed());
  for (int i = 0; i < 50; ++i) {
    const std::size_t r = dice() % traces.size(), k = dice() % traces[r].records.size();
    Traces spoilt = traces;
    auto& records = spoilt[r].records;
    const auto other = std::find_if(records.begin(), records.end(), [&](const Record& x) {
      return x.instance == records[k].instance && x.step == records[k].step &&
             x.retire != records[k].retire;
    });
    ASSERT_NE(other, records.end());
    std::swap(records[k], *other);
    EXPECT_FALSE(check_trace(spoilt).ok()) << "seed " << seed() << " rank " << r << " record " << k;
  }
}

TEST_P(Trace, an_instance_entered_early_is_a_fault) {
  const Traces traces = good();
  const u32 frames = traces[0].frames;
  for (u32 r = 0; r < traces.size(); ++r) {
    Traces spoilt = traces;
    auto& records = spoilt[r].records;
    // The first step of instance `frames` goes before the last record of instance 0.
    const auto entry = std::find_if(records.begin(), records.end(),
                                    [&](const Record& x) { return x.instance == frames; });
    const auto last = std::find_if(records.rbegin(), records.rend(),
                                   [](const Record& x) { return x.instance == 0; });
    std::rotate(std::prev(last.base()), entry, entry + 1);
    EXPECT_THAT(check_trace(spoilt).fault, HasSubstr("enters its frame early")) << "rank " << r;
  }
}

TEST_P(Trace, another_message_than_the_one_that_meets_it_is_a_fault) {
  const Traces traces = good();
  for (u32 r = 0; r < traces.size(); ++r) {
    Traces spoilt = traces;
    auto& records = spoilt[r].records;
    const auto taken = std::find_if(records.begin(), records.end(),
                                    [](const Record& x) { return !x.sends.empty(); });
    ASSERT_NE(taken, records.end());
    ++taken->sends[0];
    EXPECT_THAT(check_trace(spoilt).fault, HasSubstr("took the message of issue")) << "rank " << r;
  }
}

TEST_P(Trace, emptiness_is_one_at_both_ends) {
  const Traces traces = good();
  for (u32 r = 0; r < traces.size(); ++r) {
    const auto& steps = traces[r].calls[0].program.steps;
    const auto message = std::find_if(steps.begin(), steps.end(),
                                      [](const schedule::Step& s) { return !s.is_local(); });
    ASSERT_NE(message, steps.end());
    Traces spoilt = traces;
    for (Record& x : spoilt[r].records)
      if (x.instance == 0 && x.step == message - steps.begin()) x.empty = true, x.sends.clear();
    EXPECT_THAT(check_trace(spoilt).fault, HasSubstr("at the other end is not")) << "rank " << r;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Trace, testing::Range(u64(1), u64(7)));

// Each rank's record is right by itself, and each says that the other's message came first.
TEST(TraceCausality, a_circle_of_messages_is_a_fault) {
  schedule::Level level{.rank = {0, 1}, .me = 0, .cut = {0, 1}};
  RecordedCall call{.collective = {}};
  for (u32 r = 0; r < 2; ++r) {
    level.me = r;
    schedule::Step send{.source = {.buffer = schedule::input},
                        .count = 1,
                        .peer = 1 - r,
                        .verb = schedule::Verb::send,
                        .lane = 0};
    schedule::Step recv{.target = {.buffer = schedule::output},
                        .count = 1,
                        .peer = 1 - r,
                        .verb = schedule::Verb::recv,
                        .lane = 1};
    call.programs.push_back({.rank = r,
                             .ranks = 2,
                             .atoms = 1,
                             .planes = 0,
                             .lanes = 2,
                             .levels = {level},
                             .steps = {send, recv}});
  }
  Traces traces = record({call}, 1, 1);
  ASSERT_EQ(check_trace(traces).fault, "");
  for (RankTrace& trace : traces) {  // the receive has retired before the send issues
    trace.records = {{.instance = 0, .step = 1},
                     {.instance = 0, .step = 1, .retire = true, .sends = {1}},
                     {.instance = 0, .step = 0},
                     {.instance = 0, .step = 0, .retire = true}};
  }
  EXPECT_THAT(check_trace(traces).fault, HasSubstr("no order of all records"));
}

TEST(TraceRanks, all_of_them_once_and_of_the_same_calls) {
  const Traces traces = record(some_calls(), 2, 1);
  EXPECT_THAT(check_trace({}).fault, HasSubstr("no rank"));
  EXPECT_THAT(check_trace(std::span(traces).first(4)).fault, HasSubstr("rank"));
  Traces twice = traces;
  twice[3] = twice[2];
  EXPECT_THAT(check_trace(twice).fault, HasSubstr("trace of rank 3 is missing"));
  Traces other = traces;
  other[1].calls[2].instances = 2;
  EXPECT_THAT(check_trace(other).fault, HasSubstr("call 2 is another one on rank 1"));
  Traces reversed(traces.rbegin(), traces.rend());
  EXPECT_EQ(check_trace(reversed).fault, "");
}

}  // namespace
}  // namespace weft::verify
