// One rank's end of the shared-memory transport: see shm.hpp.
//
// The data path is put, notify and the scan of the inbox in poll; they touch shared memory only,
// and the socket when the receiver sleeps. Everything else is `tend`: sockets, introductions,
// announcements and broken links. It runs when something is known to be under way, after a sleep,
// and otherwise once a millisecond, which is how soon a busy rank sees a peer's death.
#pragma once
#include <memory>
#include <vector>

#include "intranode/shm/door.hpp"
#include "intranode/shm/link.hpp"

namespace weft::shm {

class Endpoint final : public transport::Transport {
 public:
  static Result<std::unique_ptr<Endpoint>> create(const Self& self, Listener listener);

  const char* name() const override { return "shm"; }
  transport::Rail rails() const override { return 1; }
  std::string address() const override;
  Status connect(transport::Peer peer, const std::string& address) override;
  bool connected(transport::Peer peer) const override;
  Result<transport::Region> allocate(std::size_t bytes) override;
  Result<transport::Region> register_memory(std::span<std::byte> memory) override;
  bool maps_regions() const override { return true; }
  Result<transport::RegionKey> share_file(int file, std::size_t bytes) override;
  void release(transport::RegionKey key) override;
  std::span<std::byte> map(transport::Peer peer, transport::RegionKey key) override;
  transport::Posted put(transport::Peer peer, transport::Rail rail, transport::RemoteAddress to,
                        std::span<const transport::Piece> pieces, transport::Notice notice,
                        transport::Cookie cookie) override;
  transport::Posted notify(transport::Peer peer, transport::Rail rail,
                           transport::Notice notice) override;
  bool fence(transport::Peer) override { return true; }  // a put has arrived when it returns
  bool departs_at_once() const override { return true; }
  void cut(transport::Peer peer) override;
  std::size_t poll(transport::Sink& sink) override;
  int wait_fd() const override { return epoll_.get(); }
  bool arm() override;
  void disarm() override;
  std::string describe(transport::Peer peer) const override;
  transport::Counters counters() const override;

 private:
  Endpoint(const Self& self, Fd epoll, Inbox inbox, Door door);

  Link& link_to(transport::Peer peer);
  void announce(transport::RegionKey key);
  transport::Posted readiness(const Link* link) const;
  std::byte* begin_record(Link& link, std::size_t notice_bytes);
  void finish_record(Link& link, std::byte* record, transport::Notice notice);
  std::size_t drain(Link& link, transport::Sink& sink);
  bool must_tend();
  std::size_t tend(transport::Sink& sink);
  bool read_sockets();
  bool admit(Door::Visitor visitor);
  bool must_report(const Link& link) const;
  std::size_t report(Link& link, transport::Sink& sink);
  static bool wants_room(const Link& link);
  bool has_news(Link& link) const;

  Self self_;
  Fd epoll_;
  OwnMemory own_;
  Door door_;
  std::vector<std::unique_ptr<Link>> links_;  // by rank; none for a rank never mentioned
  std::vector<Link*> known_;                  // those there are
  std::vector<Link*> by_slot_;
  bool unsettled_ = false;  // some link has a failure to tell, or a peer slow to take what we send
  bool woken_ = false;
  u32 polls_ = 0;
  TimePoint next_tending_;
  transport::Counters counters_;
};

}  // namespace weft::shm
