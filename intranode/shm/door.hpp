// Where the ranks of a node meet: a listener for lower ranks, calls to higher ones, and the
// introductions under way. Who has proven himself is handed over with his socket; who has not is
// dropped and counted.
//
// It has nothing to do with data: an endpoint whose peers are all there never comes here.
// Lifetime: the endpoint's. Threads: one at a time.
#pragma once
#include <functional>
#include <list>
#include <optional>

#include "intranode/shm/introduction.hpp"
#include "intranode/shm/shm.hpp"

namespace weft::shm {

class Door {
 public:
  struct Visitor {
    u32 peer;
    Fd socket;  // none: the peer's listener is not the peer, which is final
    bool called;
  };
  // Takes the visitor in; false: he is in already, so this one is a stranger.
  using Admit = std::function<bool(Visitor)>;

  static constexpr u64 event = UINT64_MAX;  // what our sockets are called in `epoll`
  static Result<Door> open(const Self& self, int epoll, Listener listener);

  const Listener& listener() const { return listener_; }
  void call(u32 peer, const std::string& name);
  void poll(const Admit& admit);
  // Someone is being introduced or called: poll again soon.
  bool is_busy() const { return !guests_.empty() || !calls_.empty(); }
  // A call must be tried again, of which no socket will tell.
  bool must_retry() const;
  std::string describe(u32 peer) const;  // of a peer that was called and is not in
  u64 strangers() const { return strangers_; }

 private:
  struct Call {
    u32 peer;
    std::string name;
    TimePoint since, next_try;
    std::optional<Introduction> introduction;
    std::string trouble;
  };

  Door(const Self& self, int epoll, Listener listener)
      : self_(self), epoll_(epoll), listener_(std::move(listener)) {}
  void let_in();
  bool step_guest(Introduction& guest, const Admit& admit);
  bool step_call(Call& call, const Admit& admit);
  void try_call(Call& call);

  Self self_;
  int epoll_;
  Listener listener_;
  std::list<Introduction> guests_;
  std::list<Call> calls_;
  u64 strangers_ = 0;
};

}  // namespace weft::shm
