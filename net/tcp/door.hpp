// The listening side: takes connections in, and lets through who proves that he is of the job.
//
// Whoever comes is a visitor with one fixed-size place and a deadline. Places are few; when all are
// taken, newcomers wait in the kernel's queue, and who has had his place for a second loses it to
// them: a rush of the job's own ranks gets through, and those who only hold a connection open
// cannot keep them out. Everyone dropped is counted. Lifetime: its endpoint's.
// Threads: its endpoint's.
#pragma once
#include <optional>
#include <vector>

#include "net/tcp/hello.hpp"
#include "net/tcp/sockets.hpp"

namespace weft::tcp {

class Door {
 public:
  // A connection that has proved to be this rail of that rank.
  struct Guest {
    Fd socket;
    u32 from;
    u8 rail;
    Address address;
  };

  Door(const Identity& identity, const Options& options, u64 id)
      : job_(identity.job),
        plate_{identity.rank, identity.ranks, id, options.sockets},
        patience_(options.hello_timeout) {}

  // Listens on all addresses, of which those that cannot be listened on are taken out.
  Status open(std::vector<Address>* addresses, u16 first_port, u16 last_port, Poller& poller);

  void take_in(u16 listener, Poller& poller);
  // Reads what the visitor says; returns him once he has proved himself.
  std::optional<Guest> listen_to(u16 visitor, Poller& poller);
  void drop_overdue(TimePoint now);
  TimePoint next_deadline() const;
  bool has_visitors() const { return !visitors_.empty(); }
  // Someone proved himself and was not wanted: all his sockets are there already.
  void count_stranger() { ++strangers_; }
  u64 strangers() const { return strangers_; }

 private:
  struct Visitor {
    Fd socket;  // none: the place is free
    Address address;
    TimePoint since;
    Hello hello;
    Answer answer;
    Proof proof;
    std::size_t have = 0;  // bytes of hello and proof
  };
  std::string hear(Visitor& visitor);
  void drop(Visitor& visitor, const std::string& why);
  Visitor* place_for_another(TimePoint now);

  Secret job_;
  DoorPlate plate_;
  Duration patience_;
  std::vector<Fd> listeners_;
  std::vector<Visitor> visitors_;
  u64 strangers_ = 0;
};

}  // namespace weft::tcp
