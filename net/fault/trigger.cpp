#include "net/fault/trigger.hpp"

namespace weft::fault {
namespace {

// The finaliser of splitmix64: every bit of the argument matters to every bit of the result.
u64 mix(u64 x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

}  // namespace

u64 Trigger::dice(u64 throw_number) const {
  return mix(mix(mix(rule_.seed) + messages_) + throw_number);
}

Verdict Trigger::judge(const Post& post, TimePoint now) const {
  if (spent_ || !post.message || !counts(post.peer, post.message->operation)) return {};
  const u64 bytes = post.message->bytes;
  if (!rule_.messages.holds(messages_ + 1)) return {};
  if (rule_.at && (*rule_.at < bytes_ || *rule_.at - bytes_ >= bytes)) return {};
  if (rule_.chance < 1 && double(dice(0) >> 11) * 0x1p-53 >= rule_.chance) return {};
  if (rule_.kind == Kind::corrupt && bytes == 0) return {};
  Verdict verdict{.fault = rule_.kind, .when = now + rule_.delay};
  if (rule_.kind == Kind::corrupt) {
    const u64 byte = rule_.at ? *rule_.at - bytes_ : dice(1) % bytes;
    verdict.at = byte * 8 + dice(2) % 8;
  }
  return verdict;
}

void Trigger::went(const Post& post, TimePoint) {
  if (!post.message || !counts(post.peer, post.message->operation)) return;
  ++messages_;
  bytes_ += post.message->bytes;
}

// A rank that sends nothing in an operation takes part in it all the same.
std::optional<Kind> Trigger::saw(transport::Peer peer, u64 operation) {
  const bool by_operation =
      rule_.operations.is_given() && !rule_.messages.is_given() && !rule_.at && rule_.chance == 1;
  if (rule_.kind < Kind::close || spent_ || !by_operation || !counts(peer, operation))
    return std::nullopt;
  return rule_.kind;
}

}  // namespace weft::fault
