// Values to reduce: awkward ones of every type, and operands drawn at random from pools of them.
// Threads: one at a time.
#pragma once
#include <random>

#include "tests/unit/host/oracle.hpp"

namespace weft::host::test {

// Awkward elements of a type, one after the other: limits, zeros of both signs, NaNs with payloads.
Bytes palette_of(DataType type);

// Calm: numbers near one, equal values of pairs, so that results are neither NaN nor infinite.
// Mixed: one in 16 from the palette. Awkward: half from the palette, the rest any bits.
enum class Mood { calm, mixed, awkward };
Bytes random_values(DataType type, Mood mood, std::size_t elements, std::mt19937_64& random);

// Random values, read again and again from random places: quick also under sanitizers.
class Pool {
 public:
  explicit Pool(std::mt19937_64& random);
  Bytes operand(DataType type, Mood mood, std::size_t count);
  Mood any_mood() { return Mood(random_() % 3); }

 private:
  std::mt19937_64& random_;
  std::vector<Bytes> values_;  // for each type, one a mood
};

}  // namespace weft::host::test
