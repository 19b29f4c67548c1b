#include "bootstrap/link.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "bootstrap/wire.hpp"

namespace weft::bootstrap {
namespace {

constexpr std::size_t read_ahead_bytes = 256 << 10;

struct Header {
  u32 length;
  FrameType type;
  u32 sequence;
};

std::optional<Header> header_of(std::string_view bytes) {
  if (bytes.size() < Link::header_bytes) return std::nullopt;
  Reader reader(bytes);
  Header header{};
  header.length = reader.number<u32>();
  header.type = static_cast<FrameType>(reader.number<u8>());
  header.sequence = reader.number<u32>();
  return header;
}

}  // namespace

Encoded encode(FrameType type, u32 sequence, std::string_view payload) {
  WEFT_ASSERT(payload.size() <= Link::payload_most_bytes);
  Writer writer;
  writer.number(static_cast<u32>(payload.size())).number(static_cast<u8>(type)).number(sequence);
  return std::make_shared<const std::string>(writer.bytes(payload).get());
}

bool Link::head_is_for_later(u32 sequence) const {
  const auto header = header_of(std::string_view(incoming_).substr(taken_));
  return header && header->sequence > sequence && header->type != FrameType::failure;
}

short Link::events(u32 sequence) const {
  if (ended()) return 0;
  return static_cast<short>((head_is_for_later(sequence) ? 0 : POLLIN) |
                            (outgoing_.empty() ? 0 : POLLOUT));
}

void Link::progress(u32 sequence) {
  flush();
  if (!ended() && !head_is_for_later(sequence)) receive();
}

void Link::flush() {
  while (!outgoing_.empty() && !ended()) {
    const std::string& frame = *outgoing_.front();
    const ssize_t put = ::send(fd(), frame.data() + sent_, frame.size() - sent_, MSG_NOSIGNAL);
    if (put < 0) {
      // What the peer said before it went is still to be read: receive() then finds the end.
      if (errno != EAGAIN && errno != EINTR) outgoing_.clear();
      return;
    }
    sent_ += static_cast<std::size_t>(put);
    if (sent_ < frame.size()) return;
    outgoing_.pop_front();
    sent_ = 0;
  }
}

void Link::receive() {
  char buffer[16 << 10];
  while (incoming_.size() - taken_ < read_ahead_bytes) {
    const ssize_t got = ::recv(fd(), buffer, sizeof buffer, 0);
    if (got > 0) {
      incoming_.append(buffer, static_cast<std::size_t>(got));
      continue;
    }
    if (got == 0) reason_ = "it closed the connection";
    if (got < 0 && errno != EAGAIN && errno != EINTR) reason_ = std::strerror(errno);
    return;
  }
}

std::optional<Frame> Link::next(u32 sequence) {
  const std::string_view rest = std::string_view(incoming_).substr(taken_);
  const auto header = header_of(rest);
  if (!header || head_is_for_later(sequence)) return std::nullopt;
  if (header->length > payload_most_bytes) {
    reason_ = "it sent garbage";
    return std::nullopt;
  }
  if (rest.size() < header_bytes + header->length) return std::nullopt;
  Frame frame{header->type, header->sequence,
              std::string(rest.substr(header_bytes, header->length))};
  taken_ += header_bytes + header->length;
  if (taken_ == incoming_.size() || taken_ > read_ahead_bytes) {
    incoming_.erase(0, taken_);
    taken_ = 0;
  }
  return frame;
}

void Link::finish() {
  flush();
  if (outgoing_.empty()) ::shutdown(fd(), SHUT_WR);
}

}  // namespace weft::bootstrap
