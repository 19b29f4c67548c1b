#include "runtime/user_operator.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace weft::runtime {
namespace {

constexpr std::size_t tile_bytes = 4096;

// One tile of operands, combined into memory of our own: targets and operands of the caller may
// overlap and have any alignment, and the function should not have to know.
class Tile {
 public:
  Tile(const UserReduction& user, const std::byte* const* operands, std::size_t offset,
       std::size_t bytes)
      : user_(user), operands_(operands), offset_(offset), bytes_(bytes) {}

  // C(first, first + count) into `to`, which is aligned.
  void combine(std::size_t first, std::size_t count, std::byte* to) const {
    if (count == 1) {
      std::memcpy(to, operands_[first] + offset_, bytes_);
      return;
    }
    alignas(cache_line_bytes) std::byte right[tile_bytes];
    const std::size_t left_count = std::bit_floor(count - 1);
    combine(first, left_count, to);
    combine(first + left_count, count - left_count, right);
    user_.function(to, right, to, bytes_ / bytes_of(user_.type), weft_datatype_t(user_.type),
                   user_.context);
  }

 private:
  const UserReduction& user_;
  const std::byte* const* operands_;
  std::size_t offset_, bytes_;
};

}  // namespace

void reduce_by_user(std::byte* target, const std::byte* const* operands, std::size_t operand_count,
                    std::size_t elements, const void* context) {
  const auto& user = *static_cast<const UserReduction*>(context);
  const std::size_t bytes = elements * bytes_of(user.type);
  alignas(cache_line_bytes) std::byte result[tile_bytes];
  for (std::size_t at = 0; at < bytes; at += tile_bytes) {
    const std::size_t part = std::min(tile_bytes, bytes - at);
    Tile(user, operands, at, part).combine(0, operand_count, result);
    std::memcpy(target + at, result, part);
  }
}

}  // namespace weft::runtime
