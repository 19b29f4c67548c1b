// The decorator of fault.hpp: forwards all but what a policy holds back, loses or changes.
//
// A post held back is answered busy, and the time it may go is news like any other: poll() counts
// it, and a sleeper is woken for it by a timer beside the inner transport's descriptor.
#pragma once
#include "base/handle.hpp"
#include "net/fault/detour.hpp"

namespace weft::fault {

class Endpoint final : public transport::Transport, private transport::Sink {
 public:
  using Policies = std::vector<std::unique_ptr<Policy>>;
  struct Seat {
    u32 rank = 0;
    Look look = nullptr;     // none: every post is a message
    bool sees_all = false;   // no byte may pass but in a post
    std::string rules = {};  // as text, for describe
  };
  static Result<std::unique_ptr<Endpoint>> make(std::unique_ptr<transport::Transport> inner,
                                                Policies policies, Seat seat);

  const char* name() const override { return inner_->name(); }
  transport::Rail rails() const override { return inner_->rails(); }
  bool shares_address_space() const override { return inner_->shares_address_space(); }
  std::string address() const override { return inner_->address(); }
  Status connect(transport::Peer peer, const std::string& address) override;
  bool connected(transport::Peer peer) const override { return inner_->connected(peer); }
  Result<transport::Region> allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
  Result<transport::Region> register_memory(std::span<std::byte> memory) override {
    return inner_->register_memory(memory);
  }
  void release(transport::RegionKey key) override { inner_->release(key); }
  std::span<std::byte> map(transport::Peer peer, transport::RegionKey key) override {
    return inner_->map(peer, key);
  }
  bool maps_regions() const override { return inner_->maps_regions(); }
  Result<transport::RegionKey> share_file(int file, std::size_t bytes) override {
    return inner_->share_file(file, bytes);
  }
  transport::Posted put(transport::Peer peer, transport::Rail rail, transport::RemoteAddress to,
                        std::span<const transport::Piece> pieces, transport::Notice notice,
                        transport::Cookie cookie) override;
  transport::Posted notify(transport::Peer peer, transport::Rail rail,
                           transport::Notice notice) override;
  bool fence(transport::Peer peer) override {
    return !detour_.is_waiting(peer) && inner_->fence(peer);
  }
  // While something waits here, only the fence can tell when all has left.
  u64 posted(transport::Peer peer, transport::Rail rail) const override {
    return detour_.is_waiting(peer) ? ~u64{0} : inner_->posted(peer, rail);
  }
  u64 departed(transport::Peer peer, transport::Rail rail) const override {
    return inner_->departed(peer, rail);
  }
  bool posts_every_byte() const override { return seat_.sees_all; }
  std::size_t best_put_bytes() const override { return inner_->best_put_bytes(); }
  void cut(transport::Peer peer) override { inner_->cut(peer); }
  void push() override { inner_->push(); }
  std::size_t poll(transport::Sink& sink) override;
  int wait_fd() const override { return either_.get(); }
  bool arm() override;
  void disarm() override;
  std::string describe(transport::Peer peer) const override;
  transport::Counters counters() const override { return inner_->counters(); }

 private:
  struct Remote {
    bool broken = false;  // answered by the inner transport alone
    bool silent = false;  // nothing goes to it or comes from it
  };
  Endpoint(std::unique_ptr<transport::Transport> inner, Policies policies, Seat seat)
      : inner_(std::move(inner)),
        policies_(std::move(policies)),
        seat_(std::move(seat)),
        detour_(*inner_) {}

  void arrived(transport::Peer from, transport::Notice notice) override;
  void completed(transport::Peer to, transport::Cookie cookie) override;
  void broken(transport::Peer peer, const Error& why) override;
  std::byte* place(transport::Peer from, transport::Notice notice, u64 bytes) override;

  std::optional<Message> message_in(transport::Notice notice, u64 put_bytes) const;
  Verdict judge(const Post& post, TimePoint now);
  template <class Send, class MakeCopy>
  transport::Posted post(const Post& post, Send send, MakeCopy copy);
  void strike(Policy& policy, Kind kind, transport::Peer peer);
  bool has_room(TimePoint now) const { return held_back_ && room_at_ <= now; }
  TimePoint next() const { return std::min(held_back_ ? room_at_ : never, detour_.next()); }
  bool is_silent(transport::Peer peer) const {
    return peer < remotes_.size() && remotes_[peer].silent;
  }
  Remote& remote(transport::Peer peer);

  static constexpr TimePoint never = TimePoint::max();
  std::unique_ptr<transport::Transport> inner_;
  Policies policies_;
  Seat seat_;
  Detour detour_;
  transport::Sink* sink_ = nullptr;  // of the poll under way
  std::vector<Remote> remotes_;      // by peer
  bool held_back_ = false;           // a post was, and poll has not told of room since
  TimePoint room_at_{};              // when it may go
  Fd timer_, either_;  // either: readable when the timer or the inner transport's descriptor is
};

}  // namespace weft::fault
