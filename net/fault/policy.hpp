// What a fault does to a post: asked before it goes, told after it has gone.
//
// The decorator asks its policies in order; the first that does not let a post go decides. A policy
// keeps its own books and reads no clock of its own, so that the same posts at the same times give
// the same answers. Dropping, delaying or corrupting a post would be further verdicts. Threads:
// those of the transport.
#pragma once
#include "base/clock.hpp"
#include "transport/transport.hpp"

namespace weft::fault {

struct Post {
  transport::Peer peer;
  transport::Rail rail;
  u64 bytes;  // of all pieces and of the notice
};

struct Verdict {
  bool goes = true;
  TimePoint when{};  // if it does not go: from when on it may
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual Verdict judge(const Post& post, TimePoint now) const = 0;
  // The transport inside has accepted it.
  virtual void went(const Post& post, TimePoint now) = 0;
};

}  // namespace weft::fault
