// One call of another process's control door, until it is a link or there is no hope.
//
// Addresses are tried in turn, again and again until the timeout; a name that has vanished and
// ports that all refuse are proof enough before. Lifetime: a value. Threads: one at a time.
#pragma once
#include "base/clock.hpp"
#include "control/place.hpp"
#include "control/session.hpp"
#include "control/stream.hpp"

namespace weft::control {

// An open connection: sealed frames.
struct Line {
  Stream stream;
  Seal out, in;
};

class Caller {
 public:
  enum class Outcome { pending, linked, declined, left, failed };

  Caller(const Place& to, const Secret& key, const Hello& hello, Duration timeout, TimePoint now);
  Outcome step(TimePoint now);
  // The other end may be accepting us right now. Before, a call of its own is as good as ours, and
  // better where we cannot reach it.
  bool is_trying() const { return phase_ == Phase::greeted; }
  void forgive(Duration slept) { end_ += slept; }  // by us: says nothing about him
  pollfd watched() const;                          // fd -1: nothing
  TimePoint next() const;
  Line take_line();
  Fate fate() const { return fate_; }
  const std::string& why() const { return why_; }

 private:
  enum class Phase { idle, connecting, silent, greeted };
  Outcome open(TimePoint now);
  Outcome listen(TimePoint now);
  Outcome give_up(Fate fate, std::string why);
  void retry(TimePoint now, Fate fate, std::string why);

  const Place to_;
  const Secret key_;
  Hello hello_;
  const TimePoint began_;
  TimePoint end_;
  Phase phase_ = Phase::idle;
  std::size_t address_ = 0, refused_ = 0;  // the next to try; how many in a row have refused
  Duration to_connect_{}, to_greet_{};
  TimePoint next_try_, opened_;
  Duration pause_ = std::chrono::milliseconds(5);
  Fd socket_;
  Stream stream_;
  Nonce acceptor_{};
  Fate fate_ = Fate::unreachable;
  std::string why_;
};

}  // namespace weft::control
