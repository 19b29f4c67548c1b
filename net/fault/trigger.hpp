// Whether a rule's conditions are met by a message: the books of every fault but rate.
//
// Messages that meet rank, peer and operation are counted, and so are their bytes; number, byte and
// chance are then a function of these counts and the seed, so the same messages are hit whenever
// they are sent. A post that was refused and is tried again meets the same answer.
#pragma once
#include "net/fault/policy.hpp"

namespace weft::fault {

class Trigger final : public Policy {
 public:
  explicit Trigger(Rule rule) : rule_(std::move(rule)) {}

  Verdict judge(const Post& post, TimePoint now) const override;
  void went(const Post& post, TimePoint now) override;
  std::optional<Kind> saw(transport::Peer peer, u64 operation) override;
  void struck() override { spent_ = true; }

 private:
  bool counts(transport::Peer peer, u64 operation) const {
    return rule_.peers.holds(peer) && rule_.operations.holds(operation);
  }
  u64 dice(u64 throw_number) const;  // by seed and number of the message

  Rule rule_;
  u64 messages_ = 0, bytes_ = 0;  // that counted, so far
  bool spent_ = false;
};

}  // namespace weft::fault
