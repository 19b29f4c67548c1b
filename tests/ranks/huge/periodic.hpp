// Gigabytes of input in a few megabytes of memory: one stretch of bytes, mapped again and again.
//
// The period divides no power of two, so a counter that wraps at 2^31 or 2^32 ends up at other
// bytes. Lifetime: unmapped with the object. Threads: read by any.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace weft::testing {

class Periodic {
 public:
  static constexpr std::size_t period = 3001 * 4096;

  explicit Periodic(std::size_t bytes);
  ~Periodic();
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

  const void* data() const { return start_; }  // null: the system has no room for it
  static std::uint8_t byte(std::size_t i);     // i below the period

 private:
  std::uint8_t* start_ = nullptr;
  std::size_t mapped_ = 0;
};

// The first of `bytes` that is not expected(i), i counted within the period; `bytes` if there is
// none.
template <class Expected>
std::size_t first_wrong(const std::uint8_t* at, std::size_t bytes, Expected&& expected) {
  std::vector<std::uint8_t> one(Periodic::period);
  for (std::size_t i = 0; i < one.size(); ++i) one[i] = expected(i);
  for (std::size_t done = 0; done < bytes; done += one.size()) {
    const std::size_t now = std::min(one.size(), bytes - done);
    if (std::memcmp(at + done, one.data(), now) == 0) continue;
    return done + (std::mismatch(one.begin(), one.begin() + now, at + done).first - one.begin());
  }
  return bytes;
}

}  // namespace weft::testing
