#include "rank.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

namespace weft::trials {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Rank {
 public:
  Rank(const Plan& plan, u32 rank, Report& report)
      : plan_(plan), rank_(rank), report_(report), data_(u64{plan.count} * plan.ranks) {}

  void run(const Join& join) {
    weft_config_t config = WEFT_CONFIG_INITIALIZER;
    config.node = plan_.nodes[rank_].c_str();
    config.timeout_seconds = timeout;
    if (is_struck(When::bootstrap) && !wait_for_fate()) return;
    report_.phase = Phase::joining;
    weft_comm_t job = nullptr, comm = nullptr;
    timed([&] { return join(&job, &config); });
    if (report_.result == weft_ok) timed([&] { return derive(job, &comm); });
    report_.phase = Phase::calling;
    for (u32 call = 0; call < plan_.calls && report_.result == weft_ok; ++call) {
      report_.call = call;
      if (is_struck(When::call) && call == plan_.struck && !wait_for_fate()) {
        if (!plan_.processes) leave(job, comm);
        return;
      }
      timed([&] { return make_call(comm); });
    }
    if (report_.result == weft_ok) report_.call = plan_.calls;
    if (report_.result == weft_ok) timed([&] { return weft_barrier(comm, nullptr); });
    if (plan_.shrinks && report_.result != weft_ok && comm) shrink(comm);
    if (is_struck(When::destroy)) wait_for_fate();
    report_.phase = Phase::leaving;
    const auto begin = Clock::now();
    leave(job, comm);
    report_.leaving = since(begin);
    report_.phase = Phase::done;
  }

 private:
  bool is_struck(When when) const { return plan_.culprit == rank_ && plan_.when == when; }

  // False: the rank does no more.
  bool wait_for_fate() {
    const auto moment = std::chrono::microseconds(plan_.microseconds);
    const auto signal_later = [moment](int signal) {
      std::thread([=] {
        std::this_thread::sleep_for(moment);
        ::kill(::getpid(), signal);
      }).detach();
    };
    if (plan_.what == What::absent)
      std::this_thread::sleep_for(std::chrono::seconds(long(timeout) + 1));
    if (plan_.what == What::late) std::this_thread::sleep_for(moment * 20);
    if (plan_.what == What::leave && plan_.processes) ::_exit(0);
    if (plan_.when == When::call) return plan_.what != What::absent && plan_.what != What::leave;
    if (plan_.what == What::kill) signal_later(SIGKILL);
    if (plan_.what == What::freeze || plan_.what == What::thaw) signal_later(SIGSTOP);
    return plan_.what != What::absent;
  }

  weft_result_t derive(weft_comm_t job, weft_comm_t* comm) {
    if (plan_.of == Of::dup) return weft_comm_dup(job, comm, nullptr);
    if (plan_.of == Of::split) return weft_comm_split(job, 0, int(rank_), comm, nullptr);
    *comm = job;
    return weft_ok;
  }

  void leave(weft_comm_t job, weft_comm_t comm) {
    for (const weft_comm_t one : {comm == job ? nullptr : comm, job})
      if (one && weft_comm_destroy(one) != weft_ok)
        report_.fail(weft_remote_error, weft_last_error());
  }

  // Who has seen the error goes on with all others who have; their sum has to be right.
  void shrink(weft_comm_t comm) {
    weft_comm_t left = nullptr;
    int size = 0;
    u64 one = 1, sum = 0;
    const bool good =
        weft_comm_shrink(comm, &left, nullptr) == weft_ok &&
        weft_comm_size(left, &size) == weft_ok &&
        weft_all_reduce(&one, &sum, 1, weft_uint64, weft_sum, left, nullptr) == weft_ok &&
        sum == u64(size) && size < int(plan_.ranks) && weft_comm_destroy(left) == weft_ok;
    if (good) return;
    ++report_.wrong;
    std::snprintf(report_.error, sizeof report_.error, "after %d ranks were left: %s", size,
                  weft_last_error());
  }

  template <class Function>
  void timed(Function function) {
    const auto begin = Clock::now();
    if (const weft_result_t result = function(); result != weft_ok)
      report_.fail(result, weft_last_error());
    report_.seconds = std::max(report_.seconds, since(begin));
  }

  weft_result_t make_call(weft_comm_t comm) {
    const u32 n = plan_.count, p = plan_.ranks;
    const u64 sum = u64{p} * (p + 1) / 2;
    std::vector<u64> mine(n, rank_ + 1);
    const auto expect = [&](const std::vector<u64>& result, weft_result_t code, auto value_at) {
      for (u64 i = 0; code == weft_ok && i < result.size(); ++i)
        report_.wrong += result[i] != value_at(i);
      return code;
    };
    switch (plan_.call) {
      case Call::all_reduce:
        return expect(
            mine,
            weft_all_reduce(mine.data(), mine.data(), n, weft_uint64, weft_sum, comm, nullptr),
            [&](u64) { return sum; });
      case Call::reduce_scatter:
        data_.assign(data_.size(), rank_ + 1);
        return expect(
            mine,
            weft_reduce_scatter(data_.data(), mine.data(), n, weft_uint64, weft_sum, comm, nullptr),
            [&](u64) { return sum; });
      case Call::all_gather:
        return expect(data_,
                      weft_all_gather(mine.data(), data_.data(), n, weft_uint64, comm, nullptr),
                      [&](u64 i) { return i / n + 1; });
      case Call::broadcast:
        return expect(
            mine,
            weft_broadcast(mine.data(), mine.data(), n, weft_uint64, int(p / 2), comm, nullptr),
            [&](u64) { return p / 2 + 1; });
      case Call::barrier: return weft_barrier(comm, nullptr);
    }
    return weft_ok;
  }

  const Plan& plan_;
  const u32 rank_;
  Report& report_;
  std::vector<u64> data_;
};

}  // namespace

void run_rank(const Plan& plan, u32 rank, const Join& join, Report& report) {
  Rank(plan, rank, report).run(join);
}

}  // namespace weft::trials
