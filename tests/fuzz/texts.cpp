// Texts: the unique id, rules of faults, addresses of the tcp transport, numbers of bytes.
#include <cstdint>

#include "base/bytes.hpp"
#include "bootstrap/bootstrap.hpp"
#include "net/fault/fault.hpp"
#include "net/tcp/addresses.hpp"

using namespace weft;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto id = bootstrap::UniqueId::from_text(text))
    WEFT_ASSERT(bootstrap::UniqueId::from_text(id->text()) == *id);
  if (const auto plan = fault::Plan::parse(text, {"loopback", "shm", "tcp"}))
    (void)plan->rules("tcp", 3);
  if (const auto contact = tcp::Contact::from_text(text)) {
    const auto again = tcp::Contact::from_text(contact->text());
    WEFT_ASSERT(again && again->text() == contact->text());
  }
  (void)parse_bytes(text);
  return 0;
}
