#include "verify/matching.hpp"

#include <algorithm>
#include <bit>

#include "verify/explain.hpp"

namespace weft::verify {
namespace {

// Messages of one end, in the order of the lane: a list through Matcher::next_. A message is an
// entry of Layout::peer.
struct End {
  u32 head = none, tail = none, count = 0, lane = none;
};

struct Channel {
  u32 sender, receiver;
  u8 port;
  End sends, receives;
};

class Matcher {
 public:
  explicit Matcher(const Layout& layout)
      : layout_(layout),
        next_(layout.peer.size(), none),
        task_of_(layout.peer.size()),
        mates_(layout.peer.size(), none),
        bucket_(std::bit_ceil(2 * layout.peer.size() + 1), none) {}

  Result<Mates> match() {
    for (u32 t = 0; t < layout_.task.size(); ++t) WEFT_TRY(enter(t));
    for (const Channel& channel : channels_) WEFT_TRY(pair(channel));
    return std::move(mates_);
  }

 private:
  Status enter(u32 t) {
    const Task& task = layout_.task[t];
    const bool sends = task.step->sends();
    for (u32 m = task.first_peer; m < task.first_peer + task.peer_count; ++m) {
      const u32 peer = layout_.peer[m];
      Channel& channel =
          sends ? find(task.rank, peer, task.step->port) : find(peer, task.rank, task.step->port);
      End& end = sends ? channel.sends : channel.receives;
      if (end.count && end.lane != task.lane)
        return fail(Code::invalid_argument,
                    "{} and {} are one end of the channel from rank {} to rank {} on port {}, and "
                    "they are on two lanes: their order is not defined",
                    describe(layout_, task_of_[end.tail]), describe(layout_, t), channel.sender,
                    channel.receiver, channel.port);
      end.lane = task.lane;
      task_of_[m] = t;
      (end.count++ ? next_[end.tail] : end.head) = m;
      end.tail = m;
    }
    return {};
  }

  // Open addressing; twice as many buckets as messages, so it never fills.
  Channel& find(u32 sender, u32 receiver, u8 port) {
    u64 hash = (u64(sender) << 32 | receiver) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 29 ^ port) * 0xbf58476d1ce4e5b9u;
    for (u64 i = hash >> 32;; ++i) {
      u32& bucket = bucket_[i & (bucket_.size() - 1)];
      if (bucket == none) {
        bucket = u32(channels_.size());
        return channels_.emplace_back(Channel{sender, receiver, port, {}, {}});
      }
      Channel& c = channels_[bucket];
      if (c.sender == sender && c.receiver == receiver && c.port == port) return c;
    }
  }

  Status pair(const Channel& channel) {
    u32 s = channel.sends.head, r = channel.receives.head;
    for (; s != none && r != none; s = next_[s], r = next_[r]) {
      const Task &send = layout_.task[task_of_[s]], &receive = layout_.task[task_of_[r]];
      const auto out = layout_.atoms_of(send), in = layout_.atoms_of(receive);
      if (!std::equal(out.begin(), out.end(), in.begin(), in.end()))
        return fail(Code::invalid_argument,
                    "the two ends of a message differ in extent: {} sends atoms {}, {} expects "
                    "atoms {}",
                    describe(layout_, task_of_[s]), list_of(out), describe(layout_, task_of_[r]),
                    list_of(in));
      mates_[s] = task_of_[r];
      mates_[r] = task_of_[s];
    }
    if (s == none && r == none) return {};
    return fail(Code::invalid_argument,
                "the channel from rank {} to rank {} on port {} has {} sends and {} receives: {} "
                "has no partner",
                channel.sender, channel.receiver, channel.port, channel.sends.count,
                channel.receives.count, describe(layout_, task_of_[s != none ? s : r]));
  }

  const Layout& layout_;
  std::vector<u32> next_, task_of_;  // message -> the next of its end; its task
  Mates mates_;
  std::vector<u32> bucket_;
  std::vector<Channel> channels_;
};

}  // namespace

Result<Mates> match(const Layout& layout) { return Matcher(layout).match(); }

}  // namespace weft::verify
