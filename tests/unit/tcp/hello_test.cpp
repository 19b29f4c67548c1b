// The hello: who knows the secret is let in, and nobody else, whatever he changes or replays.
#include "net/tcp/hello.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace weft::tcp {
namespace {

Hello good_hello() {
  Hello hello;
  hello.rails = 2;
  hello.rail = 1;
  hello.from = 1;
  hello.to = 3;
  hello.ranks = 5;
  hello.door_id = 77;
  hello.nonce = fresh_nonce();
  return hello;
}

template <class Message>
Message with_bit_flipped(Message message, std::size_t bit) {
  std::byte bytes[sizeof message];
  std::memcpy(bytes, &message, sizeof message);
  bytes[bit / 8] ^= std::byte{1} << (bit % 8);
  std::memcpy(&message, bytes, sizeof message);
  return message;
}

TEST(Hello, BothEndsOfOneJobAgree) {
  const Secret job = Secret::random();
  const Hello hello = good_hello();
  const Answer answer = answer_to(hello, job);
  EXPECT_TRUE(verify(answer, hello, job));
  EXPECT_TRUE(verify(proof_for(answer, hello, job), answer, hello, job));
}

TEST(Hello, AnotherSecretConvincesNobody) {
  const Secret job = Secret::random(), other = Secret::random();
  const Hello hello = good_hello();
  EXPECT_FALSE(verify(answer_to(hello, other), hello, job));
  const Answer answer = answer_to(hello, job);
  EXPECT_FALSE(verify(proof_for(answer, hello, other), answer, hello, job));
}

TEST(Hello, EveryBitCounts) {
  const Secret job = Secret::random();
  const Hello hello = good_hello();
  const Answer answer = answer_to(hello, job);
  const Proof proof = proof_for(answer, hello, job);
  for (std::size_t bit = 0; bit < 8 * sizeof hello; ++bit) {
    const Hello changed = with_bit_flipped(hello, bit);
    EXPECT_FALSE(verify(answer, changed, job)) << bit;
    EXPECT_FALSE(verify(proof, answer, changed, job)) << bit;
  }
  for (std::size_t bit = 0; bit < 8 * sizeof answer; ++bit)
    EXPECT_FALSE(verify(with_bit_flipped(answer, bit), hello, job)) << bit;
  for (std::size_t bit = 0; bit < 8 * sizeof proof; ++bit)
    EXPECT_FALSE(verify(with_bit_flipped(proof, bit), answer, hello, job)) << bit;
}

TEST(Hello, AnAnswerIsNoProofAndNothingIsGoodTwice) {
  const Secret job = Secret::random();
  const Hello hello = good_hello();
  const Answer answer = answer_to(hello, job);
  EXPECT_FALSE(verify(Proof{answer.mac}, answer, hello, job)) << "reflected";
  const Proof proof = proof_for(answer, hello, job);
  EXPECT_FALSE(verify(proof, answer_to(hello, job), hello, job)) << "replayed to a fresh nonce";
  Hello again = hello;
  again.nonce = fresh_nonce();
  EXPECT_FALSE(verify(answer, again, job)) << "replayed to a fresh hello";
}

TEST(Hello, TheDoorSaysWhatIsWrong) {
  const DoorPlate plate{3, 5, 77, 2};
  const Hello good = good_hello();
  EXPECT_EQ(objection(good, plate), "");
  const auto objects_to = [&](auto change, const char* word) {
    Hello hello = good;
    change(hello);
    EXPECT_NE(objection(hello, plate).find(word), std::string::npos) << objection(hello, plate);
  };
  objects_to([](Hello& hello) { hello.magic = 1; }, "speak weft");
  objects_to([](Hello& hello) { hello.version = 2; }, "version 2");
  objects_to([](Hello& hello) { hello.to = 2; }, "rank 2");
  objects_to([](Hello& hello) { hello.door_id = 78; }, "another endpoint");
  objects_to([](Hello& hello) { hello.ranks = 6; }, "of 6");
  objects_to([](Hello& hello) { hello.from = 3; }, "rank 3");
  objects_to([](Hello& hello) { hello.from = 4; }, "rank 4");
  objects_to([](Hello& hello) { hello.rails = 3; }, "3 sockets");
  objects_to([](Hello& hello) { hello.rail = 2; }, "sockets");
}

}  // namespace
}  // namespace weft::tcp
