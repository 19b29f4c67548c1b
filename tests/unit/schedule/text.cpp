#include "schedule/text.hpp"

#include <gmock/gmock.h>

#include <sstream>

#include "any.hpp"
#include "schedule/words.hpp"

namespace weft::schedule {
namespace {

using testing::HasSubstr;

std::string written(const auto& value) {
  std::ostringstream out;
  write(out, value);
  return out.str();
}

Result<Schedule> read(const std::string& text) {
  std::istringstream in(text);
  return read_schedule(in);
}

const std::string sound =
    "collective all_reduce root 0\n"
    "tiling vector shards 2 sub 1\n"
    "program rank 0 of 2 atoms 2 planes 1 lanes 2\n"
    "level me 0 ranks 0..1 cuts 0..2\n"
    "lane 0 send source input[1] to 1\n"
    "lane 1 recv_reduce target output[0] source input[0] right from 1 after 0:1 and 1:0\n"
    "end\n"
    "program rank 1 of 2 atoms 2 planes 0 lanes 3\n"
    "level me 1 ranks 0..1 cuts 0..2\n"
    "lane 2 join\n"
    "end\n";

TEST(Text, RoundTripIsExact) {
  for (u64 seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Schedule schedule = Any(seed).schedule();
    const std::string text = written(schedule);
    const auto back = read(text);
    ASSERT_TRUE(back) << back.error().text << "\n" << text;
    EXPECT_TRUE(*back == schedule) << text << "\n---\n" << written(*back);
    EXPECT_EQ(written(*back), text);
  }
}

TEST(Text, ReadsWhatAPersonWrites) {
  const auto plain = read(sound);
  ASSERT_TRUE(plain) << plain.error().text;
  std::string edited = "# by hand\n\n" + sound;
  edited.insert(edited.find("lane 2"), "   ");
  edited.insert(edited.find("join") + 4, "   # nothing to do");
  const auto same = read(edited);
  ASSERT_TRUE(same) << same.error().text;
  EXPECT_EQ(*same, *plain);
}

TEST(Text, StepsReadAsSentences) {
  Step s{.source = {.first = 3, .buffer = input}, .count = 1, .peer = 2, .verb = Verb::send};
  EXPECT_EQ(text(s), "lane 0 send source input[3] to 2");
  s.fan = 4, s.count = 5, s.source.stride = 3, s.port = 7, s.level = 1;
  s.set_wait(0, {.lane = 2, .steps = 9});
  EXPECT_EQ(text(s), "lane 0 send source input[3 x5 by 8] to 2..5 port 7 level 1 after 2:9");
  EXPECT_EQ(text(Step{.lane = 4}), "lane 4 join");
}

TEST(Text, ListsAreCompactAndExact) {
  const std::pair<std::vector<u32>, std::string> cases[] = {
      {{}, "-"},
      {{5}, "5"},
      {{0, 1}, "0..1"},
      {{0, 1, 2, 3}, "0..3"},
      {{0, 2, 4}, "0..4/2"},
      {{7, 7, 7}, "7*3"},
      {{3, 1, 2}, "3,1..2"},
      {{0, 0, 1, 4}, "0*2,1,4"},
      {{~0u - 1, ~0u}, "4294967294..4294967295"}};
  for (const auto& [list, form] : cases) {
    EXPECT_EQ(text(list), form);
    std::istringstream in(form);
    Words words(in);
    words.next_line();
    EXPECT_EQ(words.list(), list);
    EXPECT_TRUE(words.good()) << form;
  }
  for (u64 seed = 1; seed <= 200; ++seed) {
    Any any(seed);
    std::vector<u32> list(any.below(12));
    for (u32& value : list) value = any.below(4);
    std::istringstream in(text(list));
    Words words(in);
    words.next_line();
    EXPECT_EQ(words.list(), list) << "seed " << seed << ": " << text(list);
  }
}

// Replaces one piece of a sound text; the error must name the place and what was expected.
TEST(Text, MistakesAreLocated) {
  struct Case {
    std::string old, now, error;
  };
  const Case cases[] = {
      {"send source", "sent source", "line 5, column 8: expected send, recv"},
      {"input[1]", "inputs[1]", "line 5, column 20: expected input, output or plane0 to plane0"},
      {"input[1]", "plane1[1]", "line 5, column 20: expected input, output or plane0"},
      {"input[1] to", "input[1 to", "line 5, column 28: expected ']', found 'to'"},
      {"input[1] to", "input[1 x2 by 3] to", "expected a power of two"},
      {"output[0]", "output[0 x2]", "expected 2 chunks in every span, not 1"},
      {"to 1", "to one", "line 5, column 32: expected a number up to 4294967295, found 'one'"},
      {"to 1", "to 1 level 1", "expected a number up to 0, found '1'"},
      {"to 1", "from 1", "line 5, column 29: expected the end of the line, found 'from'"},
      {"after 0:1", "after 2:1", "expected a number up to 1, found '2'"},
      {"lane 1", "lane 2", "line 6, column 6: expected a number up to 1, found '2'"},
      {"ranks 0..1", "ranks 0..2", "expected ranks below 2"},
      {"ranks 0..1", "ranks 1..0", "expected a run"},
      {"ranks 0..1", "ranks 0..1/0", "expected a run"},
      {"ranks 0..1", "ranks 0*4294967295", "expected at most"},
      {"me 0", "me 2", "expected 'me' to be one of the positions"},
      {"cuts 0..2", "cuts 0..3", "expected two or more rising cuts up to 2"},
      {"cuts 0..2", "cuts 0", "expected two or more rising cuts up to 2"},
      {"shards 2", "shards 3", "expected the program of rank 0 of 2 with 3 atoms"},
      {"shards 2", "shards 0", "expected between 1 and 2^32 - 1 atoms"},
      {"rank 1 of 2", "rank 0 of 2", "line 11, column 4: expected the program of rank 1 of 2"},
      {"root 0", "root 2", "expected a root that is a rank"},
      {"all_reduce", "all_reduced", "line 1, column 12: expected the name of a collective"},
      {"join\nend\n", "join\n", "expected 'end'"},
  };
  for (const auto& [old, now, error] : cases) {
    std::string text = sound;
    ASSERT_NE(text.find(old), std::string::npos) << old;
    text.replace(text.find(old), old.size(), now);
    const auto read_back = read(text);
    ASSERT_FALSE(read_back) << "accepted: " << now;
    EXPECT_THAT(read_back.error().text, HasSubstr(error)) << now;
    EXPECT_THAT(read_back.error().text, HasSubstr("line ")) << now;
  }
  EXPECT_FALSE(read(""));
}

// Whatever is cut off or garbled gives an error or a sound schedule, never a crash.
TEST(Text, SurvivesGarbledText) {
  for (u64 seed = 1; seed <= 500; ++seed) {
    Any any(seed);
    std::string text = sound;
    for (u32 n = 1 + any.below(3); n; --n)
      text[any.below(u32(text.size()))] = char(32 + any.below(95));
    text.resize(text.size() - any.below(40));
    const auto schedule = read(text);
    if (!schedule) {
      EXPECT_THAT(schedule.error().text, HasSubstr("line ")) << "seed " << seed;
      continue;
    }
    for (const Program& program : schedule->programs)
      for (const Step& step : program.steps) {
        EXPECT_LT(step.level, program.levels.size()) << "seed " << seed;
        EXPECT_LT(step.lane, program.lanes) << "seed " << seed;
      }
  }
}

}  // namespace
}  // namespace weft::schedule
