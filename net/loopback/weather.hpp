// An endpoint under weather: what real networks do to timing, from a seed, in one process.
//
// A post is answered busy, done at once, or kept back: its source is read only in a later poll and
// its completion told later still, so that a caller who reuses a source too early is found out. A
// notice that came may wait until others have overtaken it. Within one (peer, rail) nothing is
// reordered. It allocates as it likes: it is an instrument for tests, not a transport for work.
// Threads: one, as any transport.
#pragma once
#include <deque>
#include <random>

#include "net/loopback/endpoint.hpp"
#include "net/loopback/loopback.hpp"

namespace weft::loopback {

class Weathered final : public transport::Transport, private transport::Sink {
 public:
  Weathered(std::unique_ptr<Endpoint> endpoint, const Weather& weather, u32 rank, u32 ranks);

  const char* name() const override { return "loopback"; }
  transport::Rail rails() const override { return endpoint_->rails(); }
  bool shares_address_space() const override { return true; }
  std::string address() const override { return endpoint_->address(); }
  Status connect(transport::Peer peer, const std::string& address) override {
    return endpoint_->connect(peer, address);
  }
  bool connected(transport::Peer peer) const override { return endpoint_->connected(peer); }
  Result<transport::Region> allocate(std::size_t bytes) override {
    return endpoint_->allocate(bytes);
  }
  Result<transport::Region> register_memory(std::span<std::byte> memory) override {
    return endpoint_->register_memory(memory);
  }
  void release(transport::RegionKey key) override { endpoint_->release(key); }
  std::span<std::byte> map(transport::Peer peer, transport::RegionKey key) override {
    return endpoint_->map(peer, key);
  }
  transport::Posted put(transport::Peer peer, transport::Rail rail, transport::RemoteAddress to,
                        std::span<const transport::Piece> pieces, transport::Notice notice,
                        transport::Cookie cookie) override;
  transport::Posted notify(transport::Peer peer, transport::Rail rail,
                           transport::Notice notice) override;
  bool fence(transport::Peer peer) override;
  // Here in posts, which serves as well.
  u64 posted(transport::Peer peer, transport::Rail rail) const override {
    return kept_[peer * rails() + rail];
  }
  u64 departed(transport::Peer peer, transport::Rail rail) const override {
    return posted(peer, rail) - lanes_[peer * rails() + rail].size();
  }
  void cut(transport::Peer peer) override { endpoint_->cut(peer); }
  std::size_t poll(transport::Sink& sink) override;
  int wait_fd() const override { return endpoint_->wait_fd(); }
  bool arm() override;
  void disarm() override { endpoint_->disarm(); }
  std::string describe(transport::Peer peer) const override { return endpoint_->describe(peer); }
  transport::Counters counters() const override { return endpoint_->counters(); }

 private:
  struct Post {  // kept back
    bool is_put;
    transport::RemoteAddress to;
    std::vector<transport::Piece> pieces;
    std::vector<std::byte> notice;
    transport::Cookie cookie;
  };
  struct Event {  // for the sink, in order per peer
    enum class Kind { arrived, broken } kind;
    std::vector<std::byte> notice;
    Error why;
  };

  void arrived(transport::Peer from, transport::Notice notice) override;
  void completed(transport::Peer to, transport::Cookie cookie) override;
  void broken(transport::Peer peer, const Error& why) override;

  bool chance(u32 percent) { return dice_() % 100 < percent; }
  std::deque<Post>& lane(transport::Peer peer, transport::Rail rail) {
    return lanes_[peer * rails() + rail];
  }
  transport::Posted busy();
  transport::Posted keep_back(transport::Peer peer, transport::Rail rail, Post post);
  transport::Posted post_now(transport::Peer peer, transport::Rail rail, const Post& post);
  std::size_t move_lane(std::size_t index);
  std::size_t deliver(transport::Sink& sink);

  std::unique_ptr<Endpoint> endpoint_;
  Weather weather_;
  std::mt19937_64 dice_;
  u64 posts_ = 0;
  bool answered_busy_ = false;            // by the weather: there is no room to wait for
  std::vector<u64> kept_;                 // by peer and rail: posts ever kept back
  std::vector<std::deque<Post>> lanes_;   // by peer and rail: kept back on the way out
  std::vector<std::deque<Event>> inbox_;  // by peer: kept back on the way in
  std::vector<std::vector<transport::Cookie>> copied_;  // by peer: done, not told yet
};

}  // namespace weft::loopback
