// The decorator of fault.hpp: forwards all but posts that a policy holds back.
//
// A post held back is answered busy, and the time it may go is news like any other: poll() counts
// it, and a sleeper is woken for it by a timer beside the inner transport's descriptor.
#pragma once
#include "base/handle.hpp"
#include "net/fault/fault.hpp"
#include "net/fault/policy.hpp"

namespace weft::fault {

class Endpoint final : public transport::Transport, private transport::Sink {
 public:
  using Policies = std::vector<std::unique_ptr<Policy>>;
  static Result<std::unique_ptr<Endpoint>> make(std::unique_ptr<transport::Transport> inner,
                                                Policies policies, std::string rules);

  const char* name() const override { return inner_->name(); }
  transport::Rail rails() const override { return inner_->rails(); }
  std::string address() const override { return inner_->address(); }
  Status connect(transport::Peer peer, const std::string& address) override;
  bool connected(transport::Peer peer) const override { return inner_->connected(peer); }
  Result<transport::Region> allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
  Result<transport::Region> register_memory(std::span<std::byte> memory) override {
    return inner_->register_memory(memory);
  }
  void release(transport::RegionKey key) override { inner_->release(key); }
  std::span<std::byte> map(transport::Peer, transport::RegionKey) override { return {}; }
  transport::Posted put(transport::Peer peer, transport::Rail rail, transport::RemoteAddress to,
                        std::span<const transport::Piece> pieces, transport::Notice notice,
                        transport::Cookie cookie) override;
  transport::Posted notify(transport::Peer peer, transport::Rail rail,
                           transport::Notice notice) override;
  bool fence(transport::Peer peer) override { return inner_->fence(peer); }
  u64 posted(transport::Peer peer, transport::Rail rail) const override {
    return inner_->posted(peer, rail);
  }
  u64 departed(transport::Peer peer, transport::Rail rail) const override {
    return inner_->departed(peer, rail);
  }
  std::size_t best_put_bytes() const override { return inner_->best_put_bytes(); }
  void push() override { inner_->push(); }
  std::size_t poll(transport::Sink& sink) override;
  int wait_fd() const override { return either_.get(); }
  bool arm() override;
  void disarm() override;
  std::string describe(transport::Peer peer) const override;
  transport::Counters counters() const override { return inner_->counters(); }

 private:
  Endpoint(std::unique_ptr<transport::Transport> inner, Policies policies, std::string rules)
      : inner_(std::move(inner)), policies_(std::move(policies)), rules_(std::move(rules)) {}

  void arrived(transport::Peer from, transport::Notice notice) override;
  void completed(transport::Peer to, transport::Cookie cookie) override;
  void broken(transport::Peer peer, const Error& why) override;
  std::byte* place(transport::Peer from, transport::Notice notice, u64 bytes) override {
    return sink_->place(from, notice, bytes);
  }

  template <class Send>
  transport::Posted post(const Post& post, Send send);
  bool has_room(TimePoint now) const { return held_back_ && room_at_ <= now; }

  std::unique_ptr<transport::Transport> inner_;
  Policies policies_;
  std::string rules_;                // as text, for describe
  transport::Sink* sink_ = nullptr;  // of the poll under way
  std::vector<bool> broken_;         // by peer: answered by the inner transport alone
  bool held_back_ = false;           // a post was, and poll has not told of room since
  TimePoint room_at_{};              // when it may go
  Fd timer_, either_;  // either: readable when the timer or the inner transport's descriptor is
};

}  // namespace weft::fault
