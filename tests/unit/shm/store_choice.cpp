// Stores into a peer's memory follow the machine: what copies take decides.
#include "intranode/shm/store_choice.hpp"

#include <gtest/gtest.h>

namespace weft::shm {
namespace {

// So many copies on a machine of these speeds, in bytes a nanosecond; how many of them streamed.
int copy(StoreChoice& choice, int copies, double ordinary, double streaming) {
  constexpr std::size_t bytes = 131072;
  int streamed = 0;
  for (int i = 0; i < copies; ++i) {
    const StoreChoice::Copy made = choice.next();
    streamed += made.streams;
    const double took = double(bytes) / (made.streams ? streaming : ordinary);
    if (made.timed) choice.took(made, bytes, u64(took));
  }
  return streamed;
}

TEST(StoreChoice, StaysWithOrdinaryStoresWhereStreamingOnesAreTwiceAsFast) {
  StoreChoice choice;
  const int streamed = copy(choice, 51200, 8, 30);
  EXPECT_FALSE(choice.streams());
  EXPECT_EQ(streamed, 100);  // the trials
}

TEST(StoreChoice, StreamsBetweenDistantCoresAndComesBack) {
  StoreChoice choice;
  copy(choice, 5120, 1.8, 14);
  EXPECT_TRUE(choice.streams());
  copy(choice, 5120, 1.8, 14);
  EXPECT_TRUE(choice.streams());
  copy(choice, 5120, 20, 3);
  EXPECT_FALSE(choice.streams());
}

TEST(StoreChoice, IsNotMovedByOneCopyThatWasInterrupted) {
  StoreChoice choice;
  for (int i = 0; i < 10; ++i) {
    copy(choice, 510, 10, 10);
    choice.took(choice.next(), 131072, 5000000);  // ordinary, five milliseconds
    choice.took(choice.next(), 131072, 13000);
    copy(choice, 512, 10, 10);
    EXPECT_FALSE(choice.streams());
  }
}

}  // namespace
}  // namespace weft::shm
