// Where `weft status` asks a process about its jobs: an abstract Unix socket named by the pid, for
// processes of the same user. Read only: who connects gets one JSON text, and the connection ends.
//
// Lifetime: the hub's. Threads: under the hub's lock.
#pragma once
#include "control/job.hpp"

namespace weft::control {

std::string status_name(int pid);

class StatusDoor {
 public:
  using Jobs = std::map<u64, std::unique_ptr<Job>>;
  // None where the name is taken: by a process of another pid namespace, say.
  static std::optional<StatusDoor> open(int pid);

  void watch(std::vector<pollfd>& polled) const;
  // Lets clients in, asks their question of all jobs, answers. Returns when next.
  TimePoint step(const Jobs& jobs, TimePoint now);

 private:
  struct Client {
    Stream stream;
    TimePoint since;
    bool answered = false;
  };
  explicit StatusDoor(Fd listener) : listener_(std::move(listener)) {}
  void let_in(const Jobs& jobs, TimePoint now);

  Fd listener_;
  TimePoint deaf_until_ = TimePoint::max();  // max: listens
  std::vector<Client> clients_;
};

}  // namespace weft::control
