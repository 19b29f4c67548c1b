#include <gmock/gmock.h>

#include <random>

#include "bootstrap/invitation.hpp"

namespace weft::bootstrap {
namespace {

using testing::HasSubstr;

Ip v4(u8 a, u8 b, u8 c, u8 d) { return {.bytes = {a, b, c, d}}; }
Ip v6(u8 last) {
  return {.v6 = true, .bytes = {0xfd, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, last}};
}

Invitation invitation_to(std::vector<Ip> ips) {
  return {Secret::random(), Contact{4711, std::move(ips)}, true};
}

TEST(UniqueIdText, KeepsEverythingThroughText) {
  for (const auto& ips : {std::vector<Ip>{}, {v4(10, 0, 0, 7)}, {v6(1), v4(1, 2, 3, 4), v6(2)}}) {
    for (const bool open : {false, true}) {
      Invitation invitation = invitation_to(ips);
      invitation.listener_is_open = open;
      const auto id = UniqueId::from_text(encode(invitation).text());
      ASSERT_TRUE(id) << id.error().text;
      const auto read = decode(*id);
      ASSERT_TRUE(read) << read.error().text;
      EXPECT_EQ(read->secret.bytes(), invitation.secret.bytes());
      EXPECT_EQ(read->root, invitation.root);
      EXPECT_EQ(read->listener_is_open, open);
    }
  }
}

TEST(UniqueIdText, HoldsFourV6AndTwoV4AndLeavesOutWhatDoesNotFit) {
  const std::vector<Ip> fit{v6(1), v6(2), v6(3), v6(4), v4(1, 1, 1, 1), v4(2, 2, 2, 2)};
  std::vector<Ip> more = fit;
  more.push_back(v4(3, 3, 3, 3));
  more.push_back(v6(5));
  EXPECT_EQ(decode(encode(invitation_to(fit)))->root.ips, fit);
  EXPECT_EQ(decode(encode(invitation_to(more)))->root.ips, fit);
}

TEST(UniqueIdText, LeavesOutLinkLocalAddresses) {
  const Ip link_local{.v6 = true, .bytes = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 1}, .scope = 2};
  EXPECT_EQ(decode(encode(invitation_to({link_local, v6(1)})))->root.ips, std::vector{v6(1)});
}

TEST(UniqueIdText, EveryFlippedBitIsNoticed) {
  const UniqueId id = encode(invitation_to({v4(10, 0, 0, 7)}));
  for (std::size_t bit = 0; bit < 8 * UniqueId::size; ++bit) {
    UniqueId damaged = id;
    damaged.bytes[bit / 8] = static_cast<char>(damaged.bytes[bit / 8] ^ 1 << bit % 8);
    EXPECT_FALSE(decode(damaged)) << "bit " << bit;
  }
}

TEST(UniqueIdText, CutMistypedAndEmptyTextsAreErrors) {
  const std::string text = encode(invitation_to({v4(10, 0, 0, 7)})).text();
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(UniqueId::from_text(text.substr(0, length))) << length;
  EXPECT_FALSE(UniqueId::from_text(text + "A"));
  EXPECT_FALSE(UniqueId::from_text(" " + text));
  std::string mistyped = text;
  mistyped[60] = mistyped[60] == 'A' ? 'B' : 'A';
  const auto refused = UniqueId::from_text(mistyped);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::invalid_argument);
}

TEST(UniqueIdText, AnIdOfZerosSaysThatItIsNone) {
  const auto refused = decode(UniqueId{});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("no unique id"));
}

TEST(UniqueIdText, AReservedIdNamesTheHost) {
  const auto id = reserve_unique_id("::1", 4711);
  ASSERT_TRUE(id) << id.error().text;
  const auto read = decode(*id);
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->listener_is_open);
  ASSERT_EQ(read->root.addresses().size(), 1u);
  EXPECT_EQ(read->root.addresses()[0].text(), "[::1]:4711");
  EXPECT_FALSE(reserve_unique_id("::1", 0));
  EXPECT_FALSE(reserve_unique_id("", 4711));
}

TEST(UniqueIdText, TwoIdsOfOneProcessDiffer) {
  const auto first = create_unique_id(), second = create_unique_id();
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second);
  EXPECT_TRUE(take_held_listener(*second, 1));
  EXPECT_FALSE(take_held_listener(*second, 1));
  EXPECT_TRUE(take_held_listener(*first, 1));
}

}  // namespace
}  // namespace weft::bootstrap
