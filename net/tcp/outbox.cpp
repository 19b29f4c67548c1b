#include "net/tcp/outbox.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace weft::tcp {

using transport::Cookie;
using transport::Notice;
using transport::Piece;
using transport::Posted;

Result<Outbox> Outbox::make() {
  WEFT_ASSIGN(Mapping ring, Mapping::anonymous(ring_bytes));
  return Outbox(std::move(ring));
}

Posted Outbox::post(const Head& head, std::span<const Piece> pieces, Notice notice, Cookie cookie) {
  const bool copied = head.put_bytes <= copy_at_most;
  const u64 to_copy = sizeof head + notice.size() + (copied ? head.put_bytes : 0);
  const std::size_t segments = 1 + (copied ? 0 : pieces.size());
  if (to_copy > ring_bytes - (ring_in_ - ring_out_) || segments > segments_.room())
    return Posted::busy;
  const bool told = !copied && cookie;
  if (told && finished_.room() <= unfinished_) return Posted::busy;

  copy_in(std::as_bytes(std::span(&head, 1)));
  copy_in(notice);
  for (const Piece& piece : pieces)
    if (copied)
      copy_in(piece);
    else if (!piece.empty())
      refer_to(piece, 0);
  if (!copied) segments_.back().cookie = cookie;
  unfinished_ += told;
  return copied ? Posted::done : Posted::pending;
}

void Outbox::copy_in(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  std::byte* const ring = ring_.bytes().data();
  const std::size_t at = ring_in_ % ring_bytes;
  const std::size_t before_end = std::min(bytes.size(), ring_bytes - at);
  std::memcpy(ring + at, bytes.data(), before_end);
  std::memcpy(ring, bytes.data() + before_end, bytes.size() - before_end);
  ring_in_ += bytes.size();
  queued_bytes_ += bytes.size();
  if (segments_.empty() || segments_.back().source) segments_.push({});
  segments_.back().bytes += bytes.size();
}

void Outbox::refer_to(std::span<const std::byte> bytes, Cookie cookie) {
  segments_.push({bytes.data(), bytes.size(), cookie});
  queued_bytes_ += bytes.size();
}

int Outbox::flush(int socket) {
  while (!segments_.empty()) {
    std::array<iovec, 64> gathered;
    msghdr message{};
    message.msg_iov = gathered.data();
    message.msg_iovlen = gather(gathered);
    u64 offered = 0;
    for (std::size_t i = 0; i < message.msg_iovlen; ++i) offered += gathered[i].iov_len;
    // A small message in one piece is spared the kernel's look at the header and the list.
    const int flags = MSG_NOSIGNAL | MSG_DONTWAIT;
    const ssize_t taken = message.msg_iovlen == 1
                              ? ::send(socket, gathered[0].iov_base, gathered[0].iov_len, flags)
                              : ::sendmsg(socket, &message, flags);
    if (taken < 0 && errno == EINTR) continue;
    if (taken < 0 && errno != EAGAIN) return errno;
    if (taken > 0) sent(static_cast<u64>(taken));
    if (taken < 0 || static_cast<u64>(taken) < offered) {
      blocked_ = true;
      break;
    }
  }
  return 0;
}

// The first segments as the kernel wants them; a run that wraps around the ring is two.
std::size_t Outbox::gather(std::span<iovec> into) {
  std::byte* const ring = ring_.bytes().data();
  u64 ring_at = ring_out_;
  std::size_t used = 0;
  for (std::size_t i = 0; i < segments_.size() && used + 2 <= into.size(); ++i) {
    const Segment& segment = segments_[i];
    if (segment.source) {
      into[used++] = {const_cast<std::byte*>(segment.source), segment.bytes};
      continue;
    }
    const std::size_t at = ring_at % ring_bytes;
    const std::size_t before_end = std::min<std::size_t>(segment.bytes, ring_bytes - at);
    into[used++] = {ring + at, before_end};
    if (before_end < segment.bytes) into[used++] = {ring, segment.bytes - before_end};
    ring_at += segment.bytes;
  }
  return used;
}

void Outbox::sent(u64 bytes) {
  queued_bytes_ -= bytes;
  flushed_bytes_ += bytes;
  while (bytes > 0) {
    Segment& first = segments_[0];
    const u64 part = std::min(bytes, first.bytes);
    if (first.source)
      first.source += part;
    else
      ring_out_ += part;
    first.bytes -= part;
    bytes -= part;
    if (first.bytes > 0) break;
    if (const Cookie cookie = segments_.pop().cookie) {
      finished_.push(cookie);
      --unfinished_;
    }
  }
}

}  // namespace weft::tcp
