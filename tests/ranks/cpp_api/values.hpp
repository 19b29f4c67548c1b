// What ranks give to collectives and what they have to get.
//
// Lifetime, threads: values.
#pragma once
#include <gtest/gtest.h>

#include <vector>

#include "weft/weft.hpp"

namespace weft::testing {

// Element i of rank r's input; small, so that sums are exact in any type.
template <class T>
std::vector<T> input_of(Rank rank, std::size_t count) {
  std::vector<T> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<T>(rank.index() + 1 + i % 5);
  return made;
}
template <class T>
std::vector<T> sum_of(std::size_t ranks, std::size_t count) {
  std::vector<T> made(count);
  for (std::size_t i = 0; i < count; ++i)
    made[i] = static_cast<T>(ranks * (ranks + 1) / 2 + ranks * (i % 5));
  return made;
}
template <class T>
std::vector<T> block_of(const std::vector<T>& all, Rank rank, std::size_t ranks) {
  const auto size = std::ptrdiff_t(all.size() / ranks);
  const auto begin = all.begin() + size * rank.value;
  return {begin, begin + size};
}
template <class T>
std::vector<T> gathered(std::size_t ranks, std::size_t count) {
  std::vector<T> made;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    for (const T value : input_of<T>(Rank{int(rank)}, count)) made.push_back(value);
  return made;
}

// One collective on one rank: what its buffers hold before and after, apart and in place.
template <class T>
struct Case {
  std::vector<T> input, output, both;
  std::vector<T> wanted, wanted_in_place;
};

// Each of `forms(input, output, both)` runs the collective apart and in place.
template <class T, class... Forms>
void in_every_form(const Case<T>& given, Forms... forms) {
  int number = 0;
  const auto one = [&](auto form) {
    std::vector<T> output = given.output, both = given.both;
    form(given.input, output, both);
    EXPECT_EQ(output, given.wanted) << "form " << number;
    EXPECT_EQ(both, given.wanted_in_place) << "form " << number << ", in place";
    ++number;
  };
  (one(forms), ...);
}

}  // namespace weft::testing
