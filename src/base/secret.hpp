// The job's secret: who knows it belongs to the job. Keyed hashes by libsodium; the secret itself
// never travels on a data connection.
//
// Threads: immutable values.
#pragma once
#include <array>
#include <span>
#include <string>

#include "base/result.hpp"
#include "base/types.hpp"

namespace weft {

class Secret {
 public:
  static constexpr std::size_t size = 32;
  using Bytes = std::array<std::byte, size>;
  using Mac = std::array<std::byte, 32>;

  static Secret random();
  explicit Secret(const Bytes& bytes) : bytes_(bytes) {}
  const Bytes& bytes() const { return bytes_; }

  Mac mac(std::span<const std::byte> message) const;
  bool verify(std::span<const std::byte> message, const Mac& mac) const;  // in constant time
  Secret derive(
      const std::string& purpose) const;  // another secret, from which this one cannot be had

 private:
  Bytes bytes_;
};

void fill_random(std::span<std::byte> bytes);
std::string to_base64(std::span<const std::byte> bytes);
Result<std::string> from_base64(const std::string& text);  // the bytes, as a string
std::string to_hex(std::span<const std::byte> bytes);

}  // namespace weft
