// The rendezvous: challenge, hello, answer and contact from anybody, frames from a socket.
#include <sys/socket.h>

#include <cstdint>

#include "bootstrap/handshake.hpp"
#include "bootstrap/link.hpp"
#include "bootstrap/wire.hpp"

using namespace weft;
using namespace weft::bootstrap;

namespace {

void read_hellos(std::string_view bytes) {
  static const Secret secret{Secret::Bytes{}};
  const Nonce nonce{};
  (void)read_challenge(bytes);
  WEFT_ASSERT(!read_hello(secret, nonce, bytes));  // nobody guesses a mac
  (void)read_answer(secret, nonce, nonce, bytes);
  // What was written once is written so again. Not all that is read is: link-local addresses do not
  // travel.
  Reader reader(bytes);
  Writer first, second;
  Contact::read(reader).write(first);
  Reader again(first.get());
  Contact::read(again).write(second);
  WEFT_ASSERT(first.get() == second.get());
}

void read_frames(std::string_view bytes) {
  int ends[2];
  WEFT_ASSERT(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
  const Fd peer(ends[0]);
  Link link(Fd(ends[1]), 1, {});
  (void)!::send(peer.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  link.progress(~0u);
  while (const auto frame = link.next(~0u))
    WEFT_ASSERT(frame->payload.size() <= Link::payload_most_bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_hellos(bytes);
  read_frames(bytes);
  return 0;
}
