#include "net/tcp/inbox.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace weft::tcp {

// In one call of read, so that a peer who sends without end does not keep the others waiting.
static constexpr int reads_at_most = 16;
// And so that large puts are taken out of their slots while the cache still has them.
static constexpr u64 bytes_at_most = 256 << 10;

Inbox::Read Inbox::read(int socket, const Context& context) {
  Read done{Outcome::more};
  u64 total = 0;
  for (int i = 0; i < reads_at_most && total < bytes_at_most; ++i) {
    const std::size_t room = ahead(context.scratch.size());
    iovec parts[2] = {{}, {context.scratch.data(), room}};
    const u64 rest = in_put_ ? head_.put_bytes - put_have_ : 0;
    if (rest) {
      std::byte* const place = target(context);
      if (!place) return {Outcome::violated, 0, done.events};
      parts[0] = {place, rest};
    }
    const ssize_t got = rest ? ::readv(socket, parts, 2)
                             : ::recv(socket, context.scratch.data(), room, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return {Outcome::drained, 0, done.events};
    if (got < 0) return {Outcome::failed, errno, done.events};
    if (got == 0) return {Outcome::ended, 0, done.events};
    const u64 bytes = static_cast<u64>(got);
    total += bytes;
    const u64 placed = std::min(bytes, rest);
    put_have_ += placed;
    deliver_if_whole(context, &done.events);
    if (!take(context.scratch.first(bytes - placed), context, &done.events))
      return {Outcome::violated, 0, done.events};
    // Less than was asked for: the socket is empty, another call would only say so.
    if (bytes < rest + room) return {Outcome::drained, 0, done.events};
  }
  return done;
}

// How much is read behind the rest of the put under way: as much as there is room for, or no more
// than a head like the last one.
std::size_t Inbox::ahead(std::size_t room) const {
  if (small_frames_ >= among_small) return room;
  return std::min(room, sizeof head_ + head_.notice_bytes - (in_put_ ? 0 : head_have_));
}

// Works off bytes that came through the scratch buffer; false if the peer broke the protocol.
bool Inbox::take(std::span<const std::byte> bytes, const Context& context, std::size_t* events) {
  while (!bytes.empty()) {
    if (!in_put_ && !take_head(&bytes, context)) return false;
    if (in_put_) {
      const u64 part = std::min<u64>(bytes.size(), head_.put_bytes - put_have_);
      if (part) {
        std::byte* const place = target(context);
        if (!place) return false;
        std::memcpy(place, bytes.data(), part);
        bytes = bytes.subspan(part);
        put_have_ += part;
      }
    }
    deliver_if_whole(context, events);
  }
  return true;
}

// Collects head and notice, which may come in parts; checks the head as soon as it is whole.
bool Inbox::take_head(std::span<const std::byte>* bytes, const Context& context) {
  const auto collect = [&](std::size_t whole) {
    const std::size_t part = std::min(bytes->size(), whole - head_have_);
    std::memcpy(head_bytes_.data() + head_have_, bytes->data(), part);
    *bytes = bytes->subspan(part);
    head_have_ += part;
    return head_have_ == whole;
  };
  if (head_have_ < sizeof head_) {
    if (!collect(sizeof head_)) return true;
    std::memcpy(&head_, head_bytes_.data(), sizeof head_);
    const bool known = head_.kind == Head::Kind::put || head_.kind == Head::Kind::notice;
    if (!known || head_.notice_bytes > transport::max_notice_bytes) return false;
    if (head_.kind == Head::Kind::notice && head_.put_bytes) return false;
    put_have_ = 0;
    small_frames_ = head_.put_bytes >= large_put_bytes ? 0 : small_frames_ + 1;
    if (head_.kind == Head::Kind::put && !target_in_region(context)) return false;
  }
  in_put_ = collect(sizeof head_ + head_.notice_bytes);
  return true;
}

// Where the next byte of the put goes; null if the rest of it is not all in a region.
std::byte* Inbox::target(const Context& context) const {
  const auto notice = std::span(head_bytes_).subspan(sizeof head_, head_.notice_bytes);
  std::byte* const elsewhere =
      notice.empty() ? nullptr : context.sink.place(context.from, notice, head_.put_bytes);
  return elsewhere ? elsewhere + put_have_ : target_in_region(context);
}

std::byte* Inbox::target_in_region(const Context& context) const {
  if (head_.offset + put_have_ < head_.offset) return nullptr;
  return context.regions.target({head_.key, head_.offset + put_have_}, head_.put_bytes - put_have_);
}

void Inbox::deliver_if_whole(const Context& context, std::size_t* events) {
  if (!in_put_ || put_have_ < head_.put_bytes) return;
  in_put_ = false;
  head_have_ = 0;
  context.counters.bytes_received += head_.put_bytes;
  if (head_.notice_bytes == 0) return;
  ++context.counters.notices_received;
  ++*events;
  context.sink.arrived(context.from,
                       std::span(head_bytes_).subspan(sizeof head_, head_.notice_bytes));
}

std::string Inbox::violation() const {
  if (head_.kind == Head::Kind::put && head_.notice_bytes <= transport::max_notice_bytes)
    return fmt::format(
        "it put {} bytes at offset {} of region {}, which are not all in a region "
        "of this rank",
        head_.put_bytes, head_.offset, head_.key);
  return "what it sent is no frame of this protocol";
}

}  // namespace weft::tcp
