// A connected, non-blocking socket with what waits to be sent and what has come.
//
// Unix or TCP; nothing blocks. Lifetime: the socket closes with it. Threads: one at a time.
#pragma once
#include <poll.h>

#include <string>
#include <string_view>

#include "base/handle.hpp"

namespace weft::control {

class Stream {
 public:
  Stream() = default;
  // At most so many bytes are read before somebody takes some.
  Stream(Fd socket, std::size_t most) : socket_(std::move(socket)), most_(most) {}
  void allow(std::size_t most) { most_ = most; }

  void put(std::string_view bytes) { outgoing_.append(bytes); }
  void move();  // bytes both ways, as far as the socket goes
  std::string_view incoming() const { return std::string_view(incoming_).substr(taken_); }
  void take(std::size_t bytes);
  std::size_t unsent() const { return outgoing_.size() - sent_; }
  bool ended() const { return !reason_.empty(); }
  const std::string& reason() const { return reason_; }
  pollfd watched() const {
    const bool full = incoming().size() >= most_;  // nothing more is read before some is taken
    return {socket_.get(), short((full ? 0 : POLLIN) | (unsent() ? POLLOUT : 0)), 0};
  }
  int fd() const { return socket_.get(); }

 private:
  void flush();
  void receive();

  Fd socket_;
  std::string outgoing_, incoming_, reason_;
  std::size_t sent_ = 0, taken_ = 0, most_ = 0;
};

}  // namespace weft::control
