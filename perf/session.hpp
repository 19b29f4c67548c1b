// The communicators under test: which group a process is in, its ranks, their nodes.
//
// Rank of (process, thread, i) = (process * threads + thread) * ranks a thread + i, processes
// counted within the group. Lifetime: the communicators end with the session, all ranks together;
// Processes outlives it. Threads: made and destroyed by one; then each thread uses its own
// communicators.
#pragma once
#include <span>
#include <vector>

#include "perf/options.hpp"
#include "perf/processes.hpp"
#include "perf/table.hpp"

namespace weft::perf {

class Session {
 public:
  // Makes the communicators: all in one group, or with -p each thread its own.
  static Result<Session> create(const Processes& processes, const Options& options);

  int colour() const { return colour_; }
  int ranks() const { return group_processes_ * per_process_; }
  int first_rank(int thread) const { return first_rank_ + thread * per_thread_; }
  std::span<const Communicator> of_thread(int thread) const {
    return communicators_.all().subspan(thread * per_thread_, per_thread_);
  }

  // The order of reductions that holds for this process's group.
  Result<std::string> order() const;

  // All ranks of all groups, in the order of processes.
  Result<std::vector<Device>> devices(const Processes& processes) const;

  // Values of this group's ranks in order; every process gives one for each of its ranks.
  template <class T>
  Result<std::vector<T>> gathered(const Processes& processes, std::span<const T> mine) const {
    auto all = processes.gathered(mine);
    if (!all) return all;
    std::vector<T> group;
    for (std::size_t i = 0; i < all->size(); ++i)
      if (colours_[i / mine.size()] == colour_) group.push_back((*all)[i]);
    return group;
  }

 private:
  Status find_group(const Processes& processes);
  Result<weft_unique_id_t> share_id(const Processes& processes) const;
  Status join(const Options& options, const weft_unique_id_t& id, int first, int count);
  Status join_by_thread(const Options& options, const weft_unique_id_t& id);

  int colour_ = 0, group_processes_ = 1, group_process_ = 0;
  int per_process_ = 1, per_thread_ = 1, first_rank_ = 0;
  std::vector<int> colours_;  // of all processes
  std::vector<std::string> node_names_;
  Communicators communicators_;
};

}  // namespace weft::perf
