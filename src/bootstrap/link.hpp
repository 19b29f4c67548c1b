// One connection of the tree: frames over a non-blocking socket.
//
// A frame is its payload's length, its type, the number of the collective it belongs to, and the
// payload. Frames of a collective that this rank has not reached stay unread, so a rank that runs
// ahead is held back by TCP and nothing is buffered for it. Threads: one at a time.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "base/handle.hpp"
#include "base/result.hpp"
#include "bootstrap/address.hpp"

namespace weft::bootstrap {

enum class FrameType : u8 {
  contribution = 1,  // up: rank, kind of collective, blob
  blob,              // down: rank, blob
  done,              // down: the collective is over
  impatient,         // up: this rank's deadline has passed; who is missing?
  failure,           // both ways: code, text; the job is over
  roll_call,         // down: the deadline has passed; who is there?
  present,           // up: rank
};

struct Frame {
  FrameType type;
  u32 sequence = 0;
  std::string payload;
};

// Encoded once, sent to many.
using Encoded = std::shared_ptr<const std::string>;
Encoded encode(FrameType type, u32 sequence, std::string_view payload);

class Link {
 public:
  static constexpr std::size_t header_bytes = 9;
  static constexpr std::size_t payload_most_bytes = 68 << 10;

  Link(Fd socket, u32 rank, const Address& at) : socket_(std::move(socket)), rank_(rank), at_(at) {}

  int fd() const { return socket_.get(); }
  u32 rank() const { return rank_; }
  const Address& at() const { return at_; }

  short events(u32 sequence) const;  // for poll: what this link waits for
  void send(Encoded frame) { outgoing_.push_back(std::move(frame)); }
  // Moves bytes both ways as far as the socket goes; the caller then takes every frame with next().
  void progress(u32 sequence);
  void flush();
  // The next whole frame that belongs to `sequence` or before, or is a failure.
  std::optional<Frame> next(u32 sequence);
  bool flushed() const { return outgoing_.empty() || ended(); }
  // Says that nothing more will be sent, once all has been.
  void finish();
  bool ended() const { return !reason_.empty(); }
  const std::string& reason() const { return reason_; }  // why it ended: closed, reset, garbage

 private:
  void receive();
  bool head_is_for_later(u32 sequence) const;

  Fd socket_;
  u32 rank_;
  Address at_;
  std::deque<Encoded> outgoing_;
  std::size_t sent_ = 0;  // of the first in outgoing_
  std::string incoming_;
  std::size_t taken_ = 0;  // of incoming_
  std::string reason_;
};

}  // namespace weft::bootstrap
