#include "schedule/trace.hpp"

#include <gmock/gmock.h>

#include <sstream>

#include "any.hpp"

namespace weft::schedule {
namespace {

RankTrace any_trace(u64 seed) {
  Any any(seed);
  RankTrace trace{.rank = any.below(9), .frames = 1 + any.below(4)};
  for (u32 n = any.below(3); n; --n) {
    const Schedule schedule = any.schedule();
    trace.calls.push_back({.first_instance = any.below(100),
                           .instances = any.below(5),
                           .collective = schedule.collective,
                           .program = schedule.programs[0]});
  }
  for (u32 n = any.below(50); n; --n) {
    Record record{.instance = any.below(9), .step = any.below(9), .retire = any.coin()};
    record.empty = any.coin();
    for (u32 sends = any.below(3); sends; --sends) record.sends.push_back(any.below(1000));
    trace.records.push_back(record);
  }
  if (!trace.records.empty()) trace.records[0].instance = ~u64(0);
  return trace;
}

TEST(Trace, RoundTripIsExact) {
  for (u64 seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const RankTrace trace = any_trace(seed);
    std::stringstream text;
    write(text, trace);
    const auto back = read_trace(text);
    ASSERT_TRUE(back) << back.error().text;
    EXPECT_EQ(back->rank, trace.rank);
    EXPECT_EQ(back->frames, trace.frames);
    EXPECT_EQ(back->records, trace.records);
    ASSERT_EQ(back->calls.size(), trace.calls.size());
    for (std::size_t i = 0; i < trace.calls.size(); ++i) {
      EXPECT_EQ(back->calls[i].first_instance, trace.calls[i].first_instance);
      EXPECT_EQ(back->calls[i].instances, trace.calls[i].instances);
      EXPECT_EQ(back->calls[i].collective, trace.calls[i].collective);
      EXPECT_EQ(back->calls[i].program, trace.calls[i].program);
    }
  }
}

TEST(Trace, MistakesAreLocated) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "expected 'trace'"},
      {"trace rank 0 frames 0\n", "line 1, column 22: expected at least one frame"},
      {"trace rank 0 frames 1\nissued 0 0\n", "line 2, column 1: expected call, issue or retire"},
      {"trace rank 0 frames 1\nissue 0\n", "line 2, column 8: expected a number"},
      {"trace rank 0 frames 1\nretire 0 1 sends\n", "line 2, column 17: expected a number"},
      {"trace rank 0 frames 1\nretire 0 1 sends 4 x\n", "line 2, column 20: expected a number"},
      {"trace rank 0 frames 1\ncall first 0 instances 1\n", "expected 'collective'"},
  };
  for (const auto& [text, error] : cases) {
    std::istringstream in(text);
    const auto trace = read_trace(in);
    ASSERT_FALSE(trace) << text;
    EXPECT_THAT(trace.error().text, testing::HasSubstr(error));
  }
}

}  // namespace
}  // namespace weft::schedule
