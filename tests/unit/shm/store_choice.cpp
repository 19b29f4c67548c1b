// Stores into a peer's memory follow the machine: what copies take decides.
#include "intranode/shm/store_choice.hpp"

#include <gtest/gtest.h>

#include <random>

namespace weft::shm {
namespace {

constexpr u32 a_while = 10 * StoreChoice::period;

// So many copies on a machine of these speeds, in bytes a nanosecond, some of which are interrupted
// for a millisecond; how many of them streamed.
u32 copy(StoreChoice& choice, u32 copies, double ordinary, double streaming,
         double interrupted = 0) {
  constexpr std::size_t bytes = 131072;
  static std::mt19937 dice(7);
  std::bernoulli_distribution falls(interrupted);
  u32 streamed = 0;
  for (u32 i = 0; i < copies; ++i) {
    const StoreChoice::Copy made = choice.next();
    streamed += made.streams;
    const double took = double(bytes) / (made.streams ? streaming : ordinary);
    if (made.timed) choice.took(made, bytes, u64(took) + (falls(dice) ? 1000000 : 0));
  }
  return streamed;
}

TEST(StoreChoice, StaysWithOrdinaryStoresWhereStreamingOnesAreThriceAsFast) {
  StoreChoice choice;
  const u32 streamed = copy(choice, a_while, 8, 30);
  EXPECT_FALSE(choice.streams());
  EXPECT_EQ(streamed, 10 * StoreChoice::trial_copies / 2);
}

TEST(StoreChoice, StreamsBetweenDistantCoresAndComesBackWhenTheyMove) {
  StoreChoice choice;
  copy(choice, a_while, 1.8, 14);
  EXPECT_TRUE(choice.streams());
  copy(choice, a_while, 1.8, 14);
  EXPECT_TRUE(choice.streams());
  copy(choice, a_while, 8, 30);
  EXPECT_FALSE(choice.streams());
}

TEST(StoreChoice, IsNotMovedByCopiesThatAreInterrupted) {
  for (int link = 0; link < 200; ++link) {
    StoreChoice choice;
    for (int i = 0; i < 20; ++i) {
      copy(choice, a_while, 8, 30, 0.03);
      ASSERT_FALSE(choice.streams());
    }
  }
}

}  // namespace
}  // namespace weft::shm
