#include "bootstrap/handshake.hpp"

#include <gtest/gtest.h>

namespace weft::bootstrap {
namespace {

const Nonce a = random_nonce(), c = random_nonce(), other = random_nonce();
const Secret secret = Secret::random(), wrong = Secret::random();
const Hello hello{.purpose = Purpose::adopt,
                  .rank = 7,
                  .ranks = 9,
                  .instance = other,
                  .contact = {4711, {Ip{.bytes = {127, 0, 0, 1}}}}};

TEST(Handshake, BothSidesReadWhatTheOtherWrote) {
  EXPECT_EQ(make_challenge(a).size(), challenge_bytes);
  EXPECT_EQ(read_challenge(make_challenge(a)), a);
  const std::string greeting = make_hello(secret, a, c, hello);
  EXPECT_EQ(greeting.size(), hello_bytes);
  const auto proven = read_hello(secret, a, greeting);
  ASSERT_TRUE(proven);
  EXPECT_EQ(proven->caller, c);
  EXPECT_EQ(proven->hello.purpose, hello.purpose);
  EXPECT_EQ(proven->hello.rank, hello.rank);
  EXPECT_EQ(proven->hello.ranks, hello.ranks);
  EXPECT_EQ(proven->hello.instance, hello.instance);
  EXPECT_EQ(proven->hello.contact, hello.contact);
  const Answer answer{.error = {Code::timed_out, "late"}, .rank = 3, .position = 5};
  const auto read = read_answer(secret, a, c, make_answer(secret, a, c, answer).substr(2));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->error.text, "late");
  EXPECT_EQ(read->error.code, Code::timed_out);
  EXPECT_EQ(read->position, 5u);
}

TEST(Handshake, AnotherSecretNonceOrDirectionProvesNothing) {
  EXPECT_FALSE(read_hello(wrong, a, make_hello(secret, a, c, hello)));
  EXPECT_FALSE(read_hello(secret, other, make_hello(secret, a, c, hello)));
  const std::string answer = make_answer(secret, a, c, {}).substr(2);
  EXPECT_TRUE(read_answer(secret, a, c, answer));
  EXPECT_FALSE(read_answer(wrong, a, c, answer));
  EXPECT_FALSE(read_answer(secret, other, c, answer));
  EXPECT_FALSE(read_answer(secret, a, other, answer));
  EXPECT_FALSE(read_answer(secret, c, a, answer));
}

TEST(Handshake, EveryChangedOrMissingByteIsNoticed) {
  const std::string greeting = make_hello(secret, a, c, hello);
  const std::string answer = make_answer(secret, a, c, {.error = {Code::ok, "text"}}).substr(2);
  const std::string challenge = make_challenge(a);
  for (std::size_t i = 0; i < greeting.size(); ++i) {
    std::string changed = greeting;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(read_hello(secret, a, changed)) << i;
    EXPECT_FALSE(read_hello(secret, a, greeting.substr(0, i)));
  }
  for (std::size_t i = 0; i < answer.size(); ++i) {
    std::string changed = answer;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(read_answer(secret, a, c, changed)) << i;
    EXPECT_FALSE(read_answer(secret, a, c, answer.substr(0, i)));
  }
  for (std::size_t i = 0; i < challenge.size(); ++i)
    EXPECT_FALSE(read_challenge(challenge.substr(0, i)));
  EXPECT_FALSE(read_challenge("SSH-2.0-OpenSSH_9.2xx"));
}

TEST(Handshake, ALongErrorIsCutToFit) {
  const Answer answer{.error = {Code::remote_error, std::string(100000, 'x')}};
  const std::string bytes = make_answer(secret, a, c, answer);
  EXPECT_EQ(bytes.size(), answer_most_bytes + 2);
  EXPECT_TRUE(read_answer(secret, a, c, bytes.substr(2)));
}

}  // namespace
}  // namespace weft::bootstrap
