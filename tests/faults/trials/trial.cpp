#include "trial.hpp"

#include <arpa/inet.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <new>
#include <thread>

#include "rank.hpp"

namespace weft::trials {
namespace {

using Clock = std::chrono::steady_clock;

// Reports that survive the process that wrote them.
class Board {
 public:
  explicit Board(u32 ranks)
      : bytes_(ranks * sizeof(Report)),
        reports_(static_cast<Report*>(
            ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    for (u32 rank = 0; rank < ranks; ++rank) new (reports_ + rank) Report;
  }
  ~Board() { ::munmap(reports_, bytes_); }
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;
  Report* reports() const { return reports_; }

 private:
  std::size_t bytes_;
  Report* reports_;
};

u32 free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  ::bind(socket, reinterpret_cast<sockaddr*>(&name), size);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size);
  ::close(socket);
  return ntohs(name.sin_port);
}

void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

void set_environment(const Plan& plan) {
  set("WEFT_TRANSPORT", plan.transport);
  set("WEFT_FAULT", plan.rule);
  set("WEFT_LOG", "error");
  set("WEFT_INTERFACE", "lo");
  set("WEFT_HEARTBEAT_TIMEOUT", "1");
  set("WEFT_INTEGRITY", plan.what == What::corrupt ? "1" : "0");
}

void be_process(const Plan& plan, u32 rank, u32 port, Report& report) {
  set("RANK", std::to_string(rank));
  set("WORLD_SIZE", std::to_string(plan.ranks));
  set("MASTER_ADDR", "127.0.0.1");
  set("MASTER_PORT", std::to_string(port));
  set("WEFT_SECRET", std::to_string(plan.seed));
  run_rank(
      plan, rank,
      [](auto* comm, auto* config) { return weft_comm_create_from_environment(comm, config); },
      report);
}

void be_threads(const Plan& plan, Report* reports) {
  weft_unique_id_t id;
  if (weft_get_unique_id(&id) != weft_ok) return;
  std::vector<std::thread> threads;
  for (u32 rank = 0; rank < plan.ranks; ++rank)
    threads.emplace_back([&, rank] {
      run_rank(
          plan, rank,
          [&](auto* comm, auto* config) {
            return weft_comm_create(comm, int(plan.ranks), int(rank), &id, config);
          },
          reports[rank]);
    });
  for (std::thread& thread : threads) thread.join();
}

template <class Function>
pid_t fork_for(bool quiet, Function function) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (quiet) (void)!std::freopen("/dev/null", "w", stderr);
  function();
  ::_exit(0);
}

// Ended by itself, stopped or neither; reaps.
class Children {
 public:
  void add(pid_t child) { all_.push_back({child, false, false}); }
  // True once all have ended, but for `lost`.
  bool all_ended(u32 lost) {
    bool all = true;
    for (u32 i = 0; i < all_.size(); ++i) {
      Child& child = all_[i];
      int status = 0;
      if (!child.ended && ::waitpid(child.pid, &status, WNOHANG | WUNTRACED) == child.pid) {
        child.stopped = WIFSTOPPED(status);
        child.ended = !child.stopped;
        child.crashed = WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != 0);
      }
      all &= child.ended || i == lost;
    }
    return all;
  }
  bool is_stopped(u32 i) const { return all_[i].stopped; }
  void wake(u32 i) {
    all_[i].stopped = false;
    ::kill(all_[i].pid, SIGCONT);
  }
  void end_all() {
    for (Child& child : all_) {
      if (child.ended) continue;
      ::kill(child.pid, SIGKILL);
      ::waitpid(child.pid, nullptr, 0);
    }
  }
  bool ended(u32 i) const { return all_[i].ended && !all_[i].crashed; }

 private:
  struct Child {
    pid_t pid;
    bool ended, stopped;
    bool crashed = false;
  };
  std::vector<Child> all_;
};

constexpr auto watch_every = std::chrono::milliseconds(2);
constexpr auto nap = std::chrono::milliseconds(150);  // of who is to wake again
constexpr auto patience = std::chrono::seconds(40);   // join, call and leave, and then some

void watch(const Plan& plan, Children& children) {
  const u32 lost = plan.what == What::freeze && plan.processes ? plan.culprit : ~0u;
  const auto begin = Clock::now();
  Clock::time_point stopped_at = Clock::time_point::max();
  while (!children.all_ended(lost) && Clock::now() - begin < patience) {
    std::this_thread::sleep_for(watch_every);
    if (plan.what != What::thaw || !plan.processes || !children.is_stopped(plan.culprit)) continue;
    if (stopped_at == Clock::time_point::max()) stopped_at = Clock::now();
    if (Clock::now() - stopped_at < nap) continue;
    children.wake(plan.culprit);
    stopped_at = Clock::time_point::max();
  }
}

}  // namespace

Judgement run_trial(const Plan& plan, bool quiet) {
  const Board board(plan.ranks);
  const u32 port = free_port();
  Children children;
  set_environment(plan);
  for (u32 rank = 0; plan.processes && rank < plan.ranks; ++rank)
    children.add(fork_for(quiet, [&] { be_process(plan, rank, port, board.reports()[rank]); }));
  if (!plan.processes) children.add(fork_for(quiet, [&] { be_threads(plan, board.reports()); }));
  watch(plan, children);
  std::vector<bool> ended;
  for (u32 rank = 0; rank < plan.ranks; ++rank)
    ended.push_back(children.ended(plan.processes ? rank : 0));
  children.end_all();
  return judge(plan, board.reports(), ended);
}

}  // namespace weft::trials
