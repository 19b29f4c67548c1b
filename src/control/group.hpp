// One communicator of a job, with those of its ranks that are in this process.
//
// Watches how they stand, and says what has come over them. Lifetime: the job's. Threads: under the
// hub's lock.
#pragma once
#include <map>

#include "base/clock.hpp"
#include "control/subject.hpp"

namespace weft::control {

class Group {
 public:
  Group(CommId id, Members members) : id_(id), members_(std::move(members)) {}

  CommId id() const { return id_; }
  const Members& members() const { return members_; }
  bool empty() const { return seats_.empty(); }
  void add(u32 rank, Subject& subject, TimePoint now);
  void remove(u32 rank) { seats_.erase(rank); }

  // The first holds. True if it was.
  bool condemn(const Error& verdict, TimePoint now);
  const std::optional<Error>& verdict() const { return verdict_; }
  std::vector<u32> ranks_here() const;

  void ask(u64 call);
  std::vector<Entry> look(TimePoint now);
  // Called at each beat. The call that a rank has waited for without headway, once it is time that
  // the others are asked about it.
  std::optional<u64> watch(TimePoint now, Duration beat);

 private:
  struct Seat {
    Subject* subject;
    Entry last;
    TimePoint changed;
    std::optional<Entry> at_the_end = {};  // as it stood when it was condemned
    bool asked = false;                    // since a call last began or ended
    std::optional<u64> moved = {};         // as first published after that
  };
  Entry look(Seat& seat, TimePoint now);

  const CommId id_;
  const Members members_;
  std::map<u32, Seat> seats_;
  std::optional<Error> verdict_;
  TimePoint next_inquiry_ = TimePoint::max();
  Duration pause_{};
};

// "rank 3 died: process 4711 on node7 ended without a word": the same on all ranks.
std::string sentence_of(const Down& down, const Members& members, const std::string& process);

}  // namespace weft::control
