// Messages survive their way through bytes; what is cut short or changed is no message and does no
// harm.
#include "control/message.hpp"

#include <gtest/gtest.h>

#include <random>

namespace weft::control {
namespace {

std::vector<Message> all_kinds() {
  const Members members = {0, 0, 1, 1, 2, 5, 8, 11, 3};
  const Entry entry{.rank = 2,
                    .made = 9,
                    .done = 8,
                    .age_ms = 77,
                    .driven = true,
                    .call = 8,
                    .called = "barrier()",
                    .moved = 5,
                    .peers = {1, 3},
                    .waits = "rank 1"};
  return {Beat{},
          Part{},
          Left{{1, 2, 3}},
          Down{4, Fate::frozen, "why"},
          Report{7, 2, Evidence::timed_out, 4, 9, "text", members},
          Verdict{7, 4, "so it is"},
          Inquire{7, latest_call, true, true, members},
          Ask{1, 7, 9},
          Answer{1, 3, {entry, entry}},
          Survey{7, "", members, {entry}},
          Contribution{7, 1, 2, std::string(300, '\0'), members},
          Gathered{7, 1, {{0, "a"}, {3, ""}}},
          Seek{3},
          Seen{3},
          Lacking{7, 1, {2, 3, 9}}};
}

TEST(Messages, ComeBackAsTheyWere) {
  const auto messages = all_kinds();
  ASSERT_EQ(messages.size(), std::variant_size_v<Message>);
  for (const Message& message : messages) {
    const auto read = decode(encode(message));
    ASSERT_TRUE(read) << message.index();
    EXPECT_EQ(read->index(), message.index());
    EXPECT_EQ(encode(*read), encode(message));
  }
  const auto report = std::get<Report>(*decode(encode(messages[4])));
  EXPECT_EQ(report.members, (Members{0, 0, 1, 1, 2, 5, 8, 11, 3}));
}

TEST(Messages, CutShortAreNone) {
  EXPECT_FALSE(decode(""));
  for (const Message& message : all_kinds()) {
    const std::string bytes = encode(message);
    for (std::size_t size = 1; size < bytes.size(); ++size)
      EXPECT_FALSE(decode(std::string_view(bytes).substr(0, size))) << message.index();
    EXPECT_FALSE(decode(bytes + "x"));
  }
}

TEST(Messages, GarbageDoesNoHarm) {
  std::mt19937 random(1);
  const auto messages = all_kinds();
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = encode(messages[random() % messages.size()]);
    for (u32 changes = random() % 4 + 1; changes > 0; --changes)
      bytes[random() % bytes.size()] = char(random());
    if (const auto read = decode(bytes)) (void)encode(*read);
  }
}

TEST(Messages, ManyRanksInARowTakeFewBytes) {
  Members members;
  for (u32 rank = 0; rank < 100000; ++rank) members.push_back(rank);
  EXPECT_LT(encode(Inquire{1, 0, false, false, members}).size(), 64u);
}

}  // namespace
}  // namespace weft::control
