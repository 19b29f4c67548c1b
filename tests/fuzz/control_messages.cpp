// What control processes tell each other: what can be read is written as it was.
#include <cstdint>

#include "control/message.hpp"
#include "control/session.hpp"

using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)control::read_challenge(bytes);
  if (const auto message = control::decode(bytes)) {
    const std::string again = control::encode(*message);
    const auto second = control::decode(again);
    WEFT_ASSERT(second && control::encode(*second) == again);
  }
  return 0;
}
