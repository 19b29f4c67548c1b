// One address of a call: connecting, waiting for the challenge, greeting, waiting for the answer;
// and again after a pause, when that failed.
//
// Lifetime: the socket closes with the object or with a failure. Threads: one at a time.
#pragma once
#include <poll.h>

#include <string>

#include "base/clock.hpp"
#include "base/handle.hpp"
#include "bootstrap/counters.hpp"
#include "bootstrap/handshake.hpp"

namespace weft::bootstrap {

class Attempt {
 public:
  enum class State { idle, connecting, silent, greeted, given_up };

  // `patient`: nobody listening there yet is no reason to give up.
  Attempt(const Address& to, bool patient) : to_(to), patient_(patient) {}

  State state() const { return state_; }
  TimePoint start() const { return start_; }    // of an idle one: when it may open (again)
  TimePoint opened() const { return opened_; }  // of the others
  TimePoint greeted() const { return greeted_; }
  pollfd watched() const {
    return {socket_.get(), static_cast<short>(state_ == State::connecting ? POLLOUT : POLLIN), 0};
  }
  std::string text() const;  // the address, and what came of it so far

  void open();
  // As far as the socket goes; the greeting is held back unless `may_greet`. True once the answer
  // is there.
  bool advance(const Secret& secret, const Hello& hello, bool may_greet, Counters& counters);
  Fd take_socket() { return std::move(socket_); }
  const Address& to() const { return to_; }
  const Answer& answer() const { return answer_; }

 private:
  bool fail_with(const std::string& reason,
                 bool refused = false);  // false, for the caller's return
  bool finish_connecting(Counters& counters);
  bool receive(std::size_t wanted);  // true once `heard_` has that many bytes
  bool greet(const Secret& secret, const Hello& hello);
  bool hear_answer(const Secret& secret);

  Address to_;
  bool patient_;
  State state_ = State::idle;
  TimePoint start_ = TimePoint::min(), opened_{}, greeted_{};
  Fd socket_;
  u32 failures_ = 0;
  std::string reason_ = "not tried", heard_;
  Nonce acceptor_{}, caller_{};
  Answer answer_;
};

}  // namespace weft::bootstrap
