// Bytes of the rendezvous protocol: little-endian integers and byte strings, written and read with
// bounds.
//
// A Reader never reads past the end: it then gives zeros and says so in ok(), so a parser checks
// once, at its end. Lifetime: a Reader borrows its bytes. Threads: values.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/types.hpp"

namespace weft::bootstrap {

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

class Writer {
 public:
  template <class T>
  Writer& number(T value) {
    static_assert(std::is_unsigned_v<T>);
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes_.push_back(static_cast<char>(value >> 8 * i));
    return *this;
  }
  Writer& bytes(std::string_view data) {
    bytes_.append(data);
    return *this;
  }
  template <class Bytes>
  Writer& bytes(const Bytes& data) {
    const auto view = std::as_bytes(std::span(data));
    return bytes(std::string_view(reinterpret_cast<const char*>(view.data()), view.size()));
  }
  const std::string& get() const { return bytes_; }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T number() {
    static_assert(std::is_unsigned_v<T>);
    const std::string_view raw = bytes(sizeof(T));
    T value = 0;
    for (std::size_t i = 0; i < raw.size(); ++i)
      value = static_cast<T>(value | static_cast<T>(static_cast<u8>(raw[i])) << 8 * i);
    return value;
  }
  std::string_view bytes(std::size_t count) {
    if (count > rest_.size()) {
      ok_ = false;
      return rest_ = {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  template <class Bytes>
  Bytes array() {
    Bytes data{};
    const std::string_view raw = bytes(sizeof(Bytes));
    raw.copy(reinterpret_cast<char*>(data.data()), raw.size());
    return data;
  }
  std::string_view rest() { return bytes(rest_.size()); }
  bool ok() const { return ok_; }
  bool ended() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace weft::bootstrap
