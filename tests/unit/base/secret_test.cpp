// Who has the secret can prove it, nobody else can; text forms are exact inverses.
#include "base/secret.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace weft {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(secret, knows_its_own_macs) {
  const Secret secret = Secret::random();
  for (const std::string message : {"", "a", "the same message", "the same message "})
    EXPECT_TRUE(secret.verify(bytes_of(message), secret.mac(bytes_of(message)))) << message;
}

TEST(secret, every_flipped_bit_is_seen) {
  const Secret secret = Secret::random();
  const std::string message = "rank 3 of 8";
  const Secret::Mac right = secret.mac(bytes_of(message));
  for (std::size_t bit = 0; bit < right.size() * 8; ++bit) {
    Secret::Mac wrong = right;
    wrong[bit / 8] ^= std::byte(1 << (bit % 8));
    EXPECT_FALSE(secret.verify(bytes_of(message), wrong)) << "mac bit " << bit;
  }
  for (std::size_t bit = 0; bit < message.size() * 8; ++bit) {
    std::string other = message;
    other[bit / 8] = char(other[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(secret.verify(bytes_of(other), right)) << "message bit " << bit;
  }
}

TEST(secret, another_secret_gives_another_mac) {
  const Secret one = Secret::random(), other = Secret::random();
  ASSERT_NE(one.bytes(), other.bytes());
  EXPECT_FALSE(other.verify(bytes_of("message"), one.mac(bytes_of("message"))));
}

TEST(secret, derived_ones_depend_on_secret_and_purpose_only) {
  const Secret one = Secret::random(), other = Secret::random();
  EXPECT_EQ(one.derive("tcp").bytes(), Secret(one.bytes()).derive("tcp").bytes());
  std::set<Secret::Bytes> distinct{one.bytes(), one.derive("tcp").bytes(),
                                   one.derive("shm").bytes(), one.derive("").bytes(),
                                   other.derive("tcp").bytes()};
  EXPECT_EQ(distinct.size(), 5u);
}

TEST(text_forms, base64_is_a_round_trip_at_every_length) {
  std::vector<std::byte> bytes;
  for (std::size_t size = 0; size <= 130; ++size) {
    bytes.resize(size);
    fill_random(bytes);
    const std::string text = to_base64(bytes);
    const auto back = from_base64(text);
    ASSERT_TRUE(back) << text;
    EXPECT_TRUE(std::ranges::equal(bytes_of(*back), bytes)) << text;
  }
}

TEST(text_forms, base64_needs_no_quoting_in_a_shell_or_an_url) {
  std::vector<std::byte> every_value(256);
  for (std::size_t i = 0; i < every_value.size(); ++i) every_value[i] = std::byte(i);
  const std::string text = to_base64(every_value);
  EXPECT_EQ(
      text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
      std::string::npos)
      << text;
}

TEST(text_forms, what_is_not_base64_is_refused) {
  EXPECT_EQ(from_base64("").value(), "");
  for (const char* text : {"A", "AA==", "AB", "A A", "AAAA\n", "++++", "AAAA.", "AAAAA"}) {
    const auto result = from_base64(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().code, Code::invalid_argument);
  }
}

TEST(text_forms, hex_is_two_lower_case_digits_a_byte) {
  EXPECT_EQ(to_hex({}), "");
  EXPECT_EQ(to_hex(std::vector{std::byte{0}, std::byte{0x0f}, std::byte{0xff}}), "000fff");
}

}  // namespace
}  // namespace weft
