// Who does not know the secret proves nothing; what is sealed can be neither changed nor repeated.
#include "control/session.hpp"

#include <gtest/gtest.h>

namespace weft::control {
namespace {

class Session : public ::testing::Test {
 protected:
  const Secret key_ = Secret::random();
  const Nonce acceptor_ = random_nonce(), caller_ = random_nonce();
};

TEST_F(Session, HelloAndAnswerProveTheSecret) {
  EXPECT_EQ(read_challenge(make_challenge(acceptor_)), acceptor_);
  EXPECT_FALSE(read_challenge("HTTP/1.1 400 Bad Request"));
  const std::string hello = make_hello(key_, acceptor_, {5, 1, 2, caller_});
  ASSERT_EQ(hello.size(), hello_bytes);
  EXPECT_EQ(read_hello(hello).job, 5u);
  EXPECT_EQ(read_hello(hello).nonce, caller_);
  EXPECT_TRUE(proves(key_, acceptor_, hello));
  EXPECT_FALSE(proves(Secret::random(), acceptor_, hello));
  EXPECT_FALSE(proves(key_, random_nonce(), hello));  // said again elsewhere
  for (std::size_t i = 0; i < hello.size(); ++i) {
    std::string changed = hello;
    changed[i] = char(changed[i] ^ 1);
    EXPECT_FALSE(proves(key_, acceptor_, changed)) << i;
  }
  const std::string answer = make_answer(key_, acceptor_, caller_, Welcome::yes);
  EXPECT_EQ(read_answer(key_, acceptor_, caller_, answer), Welcome::yes);
  EXPECT_FALSE(read_answer(key_, acceptor_, random_nonce(), answer));
  std::string declined = answer;
  declined[0] = char(Welcome::declined);
  EXPECT_FALSE(read_answer(key_, acceptor_, caller_, declined));
}

TEST_F(Session, FramesOpenInTheirOrderOnly) {
  Seal out(key_, "there", acceptor_, caller_), in(key_, "there", acceptor_, caller_);
  const std::string first = out.close("first"), second = out.close("second");
  EXPECT_EQ(in.open(first.substr(0, 7))->bytes, 0u);  // not all of it yet
  EXPECT_EQ(in.open(first + second)->payload, "first");
  EXPECT_FALSE(in.open(first));  // repeated
  EXPECT_EQ(in.open(second)->payload, "second");
  Seal back(key_, "back", acceptor_, caller_), late(key_, "there", acceptor_, caller_);
  EXPECT_FALSE(back.open(first));   // reflected
  EXPECT_FALSE(late.open(second));  // one left out
  for (std::size_t i = 4; i < first.size(); ++i) {
    std::string changed = first;
    changed[i] = char(changed[i] ^ 1);
    Seal fresh(key_, "there", acceptor_, caller_);
    EXPECT_FALSE(fresh.open(changed)) << i;
  }
  EXPECT_FALSE(in.open("\xff\xff\xff\xff"));  // longer than any frame
}

}  // namespace
}  // namespace weft::control
