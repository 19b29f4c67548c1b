// What a fault does to a post: asked before it goes, told after it has gone.
//
// The decorator asks its policies in order; the first that does not let a post go decides. A policy
// keeps its own books and reads no clock of its own, so that the same posts at the same times give
// the same answers. Threads: those of the transport.
#pragma once
#include "net/fault/fault.hpp"

namespace weft::fault {

struct Post {
  transport::Peer peer = 0;
  transport::Rail rail = 0;
  u64 bytes = 0;                   // of all pieces and of the notice
  std::optional<Message> message;  // that it brings
};

struct Verdict {
  std::optional<Kind> fault = {};  // none: it goes
  TimePoint when{};                // rate, delay: from when on it may
  u64 at = 0;                      // corrupt: which bit of its data
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual Verdict judge(const Post& post, TimePoint now) const = 0;
  // It was accepted: by the transport inside, or by a fault that keeps or loses it.
  virtual void went(const Post& post, TimePoint now) = 0;
  // A message of this operation has come from the peer: does something befall the rank now?
  virtual std::optional<Kind> saw(transport::Peer, u64 /*operation*/) { return std::nullopt; }
  // What it announced has been carried out, and is not to be again.
  virtual void struck() {}
};

}  // namespace weft::fault
