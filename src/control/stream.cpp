#include "control/stream.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace weft::control {

// What the peer said before it went is still read: the end is told by receive() alone.
void Stream::move() {
  flush();
  receive();
}

void Stream::flush() {
  while (unsent() > 0) {
    const ssize_t put = ::sendto(socket_.get(), outgoing_.data() + sent_, unsent(),
                                 MSG_NOSIGNAL | MSG_DONTWAIT, nullptr, 0);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) return;
    if (put < 0) break;
    sent_ += std::size_t(put);
  }
  outgoing_.clear();
  sent_ = 0;
}

void Stream::receive() {
  char buffer[4096];
  while (!ended() && incoming().size() < most_) {
    const std::size_t room = std::min(sizeof buffer, most_ - incoming().size());
    const ssize_t got = ::recvfrom(socket_.get(), buffer, room, MSG_DONTWAIT, nullptr, nullptr);
    if (got > 0) {
      incoming_.append(buffer, std::size_t(got));
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    reason_ = got == 0 ? "its connection ended" : std::strerror(errno);
  }
}

void Stream::take(std::size_t bytes) {
  taken_ += bytes;
  if (taken_ == incoming_.size() || taken_ > 64 << 10) {
    incoming_.erase(0, taken_);
    taken_ = 0;
  }
}

}  // namespace weft::control
