// The dialing side: finds an address of one peer that works, and opens all rails to it.
//
// The first rail races the peer's addresses: each is given a head start over the next, the first
// that answers with proof wins, and the other rails follow it. What went wrong is kept for each
// address, for error texts. When none works it starts over, until its patience ends. Lifetime: from
// connect() until all rails are open. Threads: its endpoint's.
#pragma once
#include <optional>
#include <vector>

#include "net/tcp/hello.hpp"
#include "net/tcp/sockets.hpp"

namespace weft::tcp {

class Dialer {
 public:
  struct Connection {
    Fd socket;
    u8 rail;
    Address address;
  };

  Dialer(const Identity& identity, const Options& options, Contact contact);

  // Goes on with an attempt whose socket is ready.
  void advance(u16 attempt, Poller& poller);
  // Starts what is due and ends what is overdue.
  void tick(TimePoint now, Poller& poller);
  TimePoint next_deadline() const;

  // A connection whose other end has proved itself and accepted our proof, once each.
  std::optional<Connection> take();
  bool gave_up() const { return gave_up_; }
  std::string describe(TimePoint now) const;
  u64 strangers() const { return strangers_; }  // who answered without proof

 private:
  enum class Stage : u8 { connecting, asked, proved };
  struct Attempt {
    Fd socket;  // none: the place is free
    Stage stage;
    u8 rail;
    std::size_t address;
    TimePoint since;
    Hello hello;
    Answer answer;
    Welcome welcome;
    std::size_t have;  // bytes of answer or welcome
  };
  struct RailState {
    bool tried = false, open = false;  // tried: an attempt is under way
    TimePoint next_try{};
  };

  void race(TimePoint now, Poller& poller);
  void open_other_rails(TimePoint now, Poller& poller);
  void start(std::size_t address, u8 rail, TimePoint now, Poller& poller);
  void ask(Attempt& attempt, Poller& poller);
  bool receive_whole(Attempt& attempt, std::span<std::byte> into);
  void prove(Attempt& attempt, Poller& poller);
  void welcome(Attempt& attempt, Poller& poller);
  void fail_attempt(Attempt& attempt, const std::string& why);
  bool under_way(Stage stage) const;
  Hello hello_for(u8 rail) const;

  Identity identity_;
  Contact contact_;
  Duration patience_;
  TimePoint begun_;
  std::vector<std::string> reasons_;  // by address
  std::vector<Attempt> attempts_;
  std::vector<RailState> rails_;
  std::optional<std::size_t> winner_;  // the address that works
  std::size_t next_address_ = 0;       // of the race
  TimePoint next_start_;
  std::vector<Connection> proven_;
  bool gave_up_ = false;
  u64 strangers_ = 0;
};

}  // namespace weft::tcp
