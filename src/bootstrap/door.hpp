// The door: accepts whoever calls, lets in who knows the secret, and turns the others away in
// bounded time and memory.
//
// A caller that has proved nothing costs one socket and at most `hello_bytes`; at most
// `most_waiting` are held, the rest stays in the kernel's queue. Silence is cut off after
// `patience`, which is shorter while others queue. Driven by its owner's poll loop. Threads: one at
// a time.
#pragma once
#include <poll.h>

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "bootstrap/counters.hpp"
#include "bootstrap/handshake.hpp"
#include "bootstrap/listener.hpp"

namespace weft::bootstrap {

// A caller that has proved itself and waits for its answer.
struct Guest {
  Fd socket;
  Address from;
  Hello hello;
  Nonce acceptor, caller;
};

class Door {
 public:
  static constexpr std::size_t most_waiting = 256;
  static constexpr Duration patience = std::chrono::seconds(10);
  static constexpr Duration patience_when_full = std::chrono::milliseconds(500);

  Door(Listener listener, const Secret& secret, Counters& counters, Duration most = patience)
      : listener_(std::move(listener)), secret_(secret), counters_(counters), patience_(most) {}

  void watch(std::vector<pollfd>& polled) const;
  Duration patience_left() const;  // how long poll may sleep
  std::vector<Guest> serve();      // whoever has proved himself since the last call
  // The connection stays open with the guest's socket; an answer that does not fit at once is lost,
  // and the guest calls again.
  void answer(const Guest& guest, const Answer& answer) const;

 private:
  struct Caller {
    Fd socket;
    Address from;
    Nonce nonce;
    TimePoint since;
    std::string heard;
  };
  enum class Verdict { wait, stranger, guest };

  bool full() const { return callers_.size() >= most_waiting || short_of_descriptors_; }
  void accept_all();
  Verdict listen_to(Caller& caller, std::vector<Guest>& guests);
  Duration patience_now() const;

  Listener listener_;
  Secret secret_;
  Counters& counters_;
  Duration patience_;
  bool short_of_descriptors_ = false;
  std::vector<Caller> callers_;
};

}  // namespace weft::bootstrap
