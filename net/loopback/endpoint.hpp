// One rank's end of the loopback transport, without weather: see loopback.hpp.
#pragma once
#include "net/loopback/hub.hpp"

namespace weft::loopback {

class Endpoint final : public transport::Transport {
 public:
  Endpoint(std::shared_ptr<Party> party, transport::Rail rails, std::size_t ring_capacity)
      : party_(std::move(party)),
        rails_(rails),
        ring_capacity_(ring_capacity),
        peers_(party_->ranks) {}
  ~Endpoint() override;

  // What a post to the peer would be answered if there is room.
  transport::Posted ready(transport::Peer peer) const;

  const char* name() const override { return "loopback"; }
  transport::Rail rails() const override { return rails_; }
  bool shares_address_space() const override { return true; }
  std::string address() const override { return party_->address(); }
  Status connect(transport::Peer peer, const std::string& address) override;
  bool connected(transport::Peer peer) const override { return peers_[peer].stage == Stage::up; }
  Result<transport::Region> allocate(std::size_t bytes) override {
    return party_->regions.allocate(bytes);
  }
  Result<transport::Region> register_memory(std::span<std::byte> memory) override {
    return party_->regions.add(memory);
  }
  void release(transport::RegionKey key) override;
  std::span<std::byte> map(transport::Peer peer, transport::RegionKey key) override;
  transport::Posted put(transport::Peer peer, transport::Rail rail, transport::RemoteAddress to,
                        std::span<const transport::Piece> pieces, transport::Notice notice,
                        transport::Cookie cookie) override;
  transport::Posted notify(transport::Peer peer, transport::Rail rail,
                           transport::Notice notice) override;
  bool fence(transport::Peer) override { return true; }  // a put has arrived when it returns
  void cut(transport::Peer peer) override {
    if (peers_[peer].mine) close(peers_[peer], State::cut);
  }
  std::size_t poll(transport::Sink& sink) override;
  int wait_fd() const override { return party_->bell.get(); }
  bool arm() override;
  void disarm() override;
  std::string describe(transport::Peer peer) const override;
  transport::Counters counters() const override;

 private:
  enum class Stage : u8 { unknown, waiting, up, broken };
  struct Lane {
    RingProducer out;
    RingConsumer in;
    // A post was answered busy, and no arm() has spoken of room since.
    bool wants_room = false;
  };
  struct Remote {
    Stage stage = Stage::unknown;
    Meeting meeting;
    Side* mine = nullptr;
    Side* theirs = nullptr;
    std::vector<Lane> lanes;  // by rail
    Error refused;            // why there is no link, to be told by poll
  };

  void close(Remote& remote, State why);
  void wait_for_writers();
  std::byte* begin_record(Remote& remote, transport::Rail rail, u64 put_bytes,
                          std::size_t notice_bytes);
  bool copy_to_peer(Remote& remote, transport::RemoteAddress to,
                    std::span<const transport::Piece> pieces, u64 bytes);
  std::size_t poll_peer(transport::Peer peer, transport::Sink& sink);
  std::size_t drain(transport::Peer peer, RingConsumer& ring, transport::Sink& sink);
  void report_broken(transport::Peer peer, transport::Sink& sink);
  bool has_news(Remote& remote);

  std::shared_ptr<Party> party_;
  transport::Rail rails_;
  std::size_t ring_capacity_;
  std::vector<Remote> peers_;            // by rank
  std::vector<transport::Peer> active_;  // whom to poll: connect was called, not told broken yet
  transport::Counters counters_;
};

}  // namespace weft::loopback
