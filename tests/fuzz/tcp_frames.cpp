// The frames of the tcp transport, cut as the first byte says: nothing outside a region is written.
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>

#include "net/tcp/inbox.hpp"
#include "net/tcp/sockets.hpp"

using namespace weft;

namespace {

struct Ear : transport::Sink {
  void arrived(transport::Peer, transport::Notice notice) override {
    WEFT_ASSERT(notice.size() <= transport::max_notice_bytes);
  }
  void completed(transport::Peer, transport::Cookie) override {}
  void broken(transport::Peer, const Error&) override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  int ends[2];
  WEFT_ASSERT(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
  const Fd peer(ends[0]), own(ends[1]);
  transport::RegionTable regions;
  WEFT_ASSERT(regions.allocate(4096).has_value());
  std::vector<std::byte> scratch(4096);
  transport::Counters counters;
  Ear ear;
  tcp::Inbox inbox;
  const std::size_t part = std::max<std::size_t>(1, data[0]);
  for (std::size_t at = 1; at < size; at += part) {
    (void)!::send(peer.get(), data + at, std::min(part, size - at), MSG_NOSIGNAL);
    const auto read = inbox.read(own.get(), {regions, scratch, counters, ear, 0});
    if (read.outcome == tcp::Inbox::Outcome::violated)
      return WEFT_ASSERT(!inbox.violation().empty()), 0;
  }
  return 0;
}
