// A digest of a rank's results, to compare runs, layouts and algorithms bit by bit.
//
// XXH3 with 128 bits: no two runs that differ agree by chance; it is no protection against intent.
// Threads: one a digest.
#pragma once
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace weft::perf {

struct DigestValue {
  std::uint64_t high = 0, low = 0;
  bool operator==(const DigestValue&) const = default;
};

class Digest {
 public:
  Digest() : state_(XXH3_createState()) { XXH3_128bits_reset(state_.get()); }
  void update(const void* bytes, std::size_t count) {
    XXH3_128bits_update(state_.get(), bytes, count);
  }
  DigestValue value() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    return {hash.high64, hash.low64};
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

// 32 hexadecimal digits over the digests of all ranks in order.
std::string text_of(std::span<const DigestValue> ranks);

// The first rank whose digest is not that of rank 0; -1 if all agree.
int first_that_differs(std::span<const DigestValue> ranks);

}  // namespace weft::perf
