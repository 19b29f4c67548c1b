#include "base/secret.hpp"

#include <sodium.h>

#include <cstring>

namespace weft {
namespace {

void start_sodium() { WEFT_ASSERT(sodium_init() >= 0); }  // any number of times, from any thread

unsigned char* raw(std::byte* b) { return reinterpret_cast<unsigned char*>(b); }
const unsigned char* raw(const std::byte* b) { return reinterpret_cast<const unsigned char*>(b); }

}  // namespace

Secret Secret::random() {
  Bytes bytes;
  fill_random(bytes);
  return Secret(bytes);
}

Secret::Mac Secret::mac(std::span<const std::byte> message) const {
  start_sodium();
  Mac mac;
  static_assert(sizeof(Mac) >= crypto_generichash_BYTES_MIN);
  crypto_generichash(raw(mac.data()), mac.size(), raw(message.data()), message.size(),
                     raw(bytes_.data()), bytes_.size());
  return mac;
}

bool Secret::verify(std::span<const std::byte> message, const Mac& mac) const {
  const Mac right = this->mac(message);
  return sodium_memcmp(right.data(), mac.data(), right.size()) == 0;
}

Secret Secret::derive(const std::string& purpose) const {
  return Secret(mac(std::as_bytes(std::span(purpose))));
}

void fill_random(std::span<std::byte> bytes) {
  start_sodium();
  if (!bytes.empty()) randombytes_buf(bytes.data(), bytes.size());  // data() may be null
}

std::string to_base64(std::span<const std::byte> bytes) {
  const int variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
  std::string text(sodium_base64_encoded_len(bytes.size(), variant), '\0');
  sodium_bin2base64(text.data(), text.size(), raw(bytes.data()), bytes.size(), variant);
  text.pop_back();  // the terminating zero
  return text;
}

Result<std::string> from_base64(const std::string& text) {
  std::string bytes(text.size(), '\0');
  std::size_t size = 0;
  const char* end = nullptr;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &size, &end,
                        sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
      end != text.data() + text.size())
    return fail(Code::invalid_argument, "not base64 (URL-safe alphabet, no padding): \"{}\"", text);
  bytes.resize(size);
  return bytes;
}

std::string to_hex(std::span<const std::byte> bytes) {
  std::string text(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), raw(bytes.data()), bytes.size());
  text.pop_back();
  return text;
}

}  // namespace weft
