// The control thread of this process, with its door: it serves every communicator of every job.
//
// Started by the first one. It sleeps between beats. Everything here is behind one lock, which is
// never held while something is waited for. Lifetime: the process's; exit() tells peers and ends
// the thread; a child of fork() has a hub of its own. Threads: any.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "control/scribe.hpp"
#include "control/status_door.hpp"

namespace weft::control {

class Hub {
 public:
  static Hub& here();

  // Where other processes of this node find the door, opened at the first call; and others.
  Result<std::string> name();
  Result<std::string> contact();  // opaque bytes

  Status join(const JobPlan& plan, CommId comm, const Members& members, u32 rank, Subject& subject);
  void leave(u64 job, CommId comm, u32 rank);
  void report(u64 job, const Report& report);
  // A part in an exchange; returns when all that are left have come, or with the verdict, or late.
  Result<Gathered> exchange(u64 job, const Contribution& part, Deadline deadline);
  u64 strangers();

 private:
  struct Guest {
    Stream stream;
    Nonce nonce;
    TimePoint since;
    bool is_local;
  };

  Hub();
  static Hub* known();
  Status start();
  void stop();
  void ring();
  void run();
  TimePoint step(TimePoint now);
  void let_in(const Fd& listener, bool is_local, TimePoint now);
  std::vector<Guest>::iterator longest_silent(TimePoint now);
  bool step_guest(Guest& guest, TimePoint now);
  Error late(Job& job, const Contribution& part, std::unique_lock<std::mutex>& lock);
  void watch();
  void sleep(std::unique_lock<std::mutex>& lock, TimePoint next);
  Job* find(u64 job);

  const int pid_;
  std::mutex mutex_;
  std::condition_variable stepped_;
  Fd bell_;
  std::string name_;
  Fd listener_;  // of Unix sockets
  std::optional<bootstrap::Listener> tcp_;
  std::vector<Guest> guests_;
  std::map<u64, std::unique_ptr<Job>> jobs_;
  std::deque<std::pair<u64, Secret>> finished_;  // jobs that were left: who calls is told
  std::optional<StatusDoor> status_;
  std::vector<pollfd> polled_;
  TimePoint deaf_until_ = TimePoint::max();  // max: listens
  u64 strangers_ = 0;
  bool stopping_ = false, ended_ = false;
  Scribe scribe_;
  std::thread thread_;
};

}  // namespace weft::control
