// One rank's end of the tcp transport: see tcp.hpp.
//
// endpoint.cpp has what callers call, progress.cpp what poll does.
#pragma once
#include <optional>

#include "net/tcp/dialer.hpp"
#include "net/tcp/door.hpp"
#include "net/tcp/inbox.hpp"
#include "net/tcp/outbox.hpp"

namespace weft::tcp {

class Endpoint final : public transport::Transport {
 public:
  static Result<std::unique_ptr<transport::Transport>> make(const Identity& identity,
                                                            const Options& options);
  ~Endpoint() override;

  const char* name() const override { return "tcp"; }
  transport::Rail rails() const override { return options_.sockets; }
  std::string address() const override { return self_.text(); }
  Status connect(transport::Peer peer, const std::string& address) override;
  bool connected(transport::Peer peer) const override;
  Result<transport::Region> allocate(std::size_t bytes) override {
    return regions_.allocate(bytes);
  }
  Result<transport::Region> register_memory(std::span<std::byte> memory) override {
    return regions_.add(memory);
  }
  void release(transport::RegionKey key) override;
  std::span<std::byte> map(transport::Peer, transport::RegionKey) override { return {}; }
  transport::Posted put(transport::Peer peer, transport::Rail rail, transport::RemoteAddress to,
                        std::span<const transport::Piece> pieces, transport::Notice notice,
                        transport::Cookie cookie) override;
  transport::Posted notify(transport::Peer peer, transport::Rail rail,
                           transport::Notice notice) override;
  bool fence(transport::Peer peer) override;
  u64 posted(transport::Peer peer, transport::Rail rail) const override;
  u64 departed(transport::Peer peer, transport::Rail rail) const override;
  std::size_t best_put_bytes() const override;
  void cut(transport::Peer peer) override;
  void push() override;
  std::size_t poll(transport::Sink& sink) override;
  int wait_fd() const override { return poller_.fd(); }
  bool arm() override;
  void disarm() override {}
  std::string describe(transport::Peer peer) const override;
  transport::Counters counters() const override;

 private:
  enum class Stage : u8 { unknown, connecting, up, broken };
  struct Place {
    transport::Peer peer;
    transport::Rail rail;
  };
  struct Link {
    Fd socket;
    Address address;
    Outbox outbox;
    Inbox inbox;
    bool ended = false;   // the peer closed it
    bool queued = false;  // is in queued_
    Place next{};         // the link that brought something after this one, last time
  };
  struct Remote {
    Stage stage = Stage::unknown;
    std::optional<Dialer> dialer;              // of the lower rank, until all rails are there
    std::vector<std::unique_ptr<Link>> links;  // by rail; null: not there yet
    Error fault;                               // found, not yet told to the sink
    bool liar = false;                         // and it broke the protocol
    TimePoint fault_by = TimePoint::max();     // some sockets have ended: when the others must have
  };

  Endpoint(const Identity& identity, const Options& options, u64 id, Poller poller);

  // endpoint.cpp
  transport::Posted post(Place place, const Head& head, std::span<const transport::Piece> pieces,
                         transport::Notice notice, transport::Cookie cookie);
  void flush(Place place, Link& link);
  std::string link_name(Place place) const;

  // progress.cpp
  std::size_t look(transport::Sink& sink);
  std::size_t handle(Token token, u32 events, transport::Sink& sink);
  std::size_t tick();
  std::size_t progress_dialer(transport::Peer peer);
  void adopt(Place place, Fd socket, const Address& address);
  void open(transport::Peer peer);
  std::size_t read(Place place, transport::Sink& sink);
  std::size_t read_expected(transport::Sink& sink);
  void expect_next(Place came);
  void end(Place place);
  std::size_t flush_queued(transport::Sink& sink);
  void set_fault(transport::Peer peer, Code code, const std::string& text);
  std::size_t report_faults(transport::Sink& sink);
  TimePoint next_deadline() const;
  Link* find(Place place) {
    Remote& remote = remotes_[place.peer];
    return place.rail < remote.links.size() ? remote.links[place.rail].get() : nullptr;
  }

  Identity identity_;
  Options options_;
  Contact self_;
  Poller poller_;
  Door door_;
  transport::RegionTable regions_;
  std::vector<Remote> remotes_;           // by rank
  std::vector<transport::Peer> dialing_;  // whose dialers are at work
  std::vector<transport::Peer> ending_;   // with a fault_by
  std::vector<transport::Peer> faulty_;   // with a fault to tell
  std::vector<Place> queued_;             // links with something to send, or to say is sent
  Place last_{}, expected_{};             // the link that brought something last, and may next
  u32 unlooked_ = 0;                      // polls in a row that looked at no other link
  std::vector<std::byte> scratch_;
  transport::Counters counters_;
  u64 lying_doors_ = 0;  // strangers that dialers met
};

}  // namespace weft::tcp
