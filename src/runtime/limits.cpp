#include "runtime/limits.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <optional>

namespace weft::runtime {
namespace {

// Listeners, epoll sets, timers, control, and what the program itself opens meanwhile.
constexpr u64 files_beside_peers = 64;
constexpr u64 threads_needed = 2;               // of control, and one that drives
constexpr u64 bytes_of_a_peer = u64{64} << 20;  // of its memory that is mapped, and slots
constexpr u64 bytes_beside_peers = u64{512} << 20;

// Connections are made when first used: to the ranks of the node, and to some for each doubling of
// the ranks beyond it.
u64 peers_of(u32 ranks) {
  constexpr u64 in_node = 64, each_doubling = 4;
  return std::min<u64>(ranks - 1, in_node + each_doubling * u64(std::bit_width(ranks)));
}

u64 left(u64 allowed, u64 used) { return allowed > used ? allowed - used : 0; }

u64 number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  u64 number = 0;
  return file >> number ? number : unlimited;  // "max" is no number
}

u64 soft(int what) {
  rlimit limit{};
  return ::getrlimit(__rlimit_resource_t(what), &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
             ? limit.rlim_cur
             : unlimited;
}

u64 count_files() {
  std::error_code error;
  const auto open = std::filesystem::directory_iterator("/proc/self/fd", error);
  return error ? 0 : u64(std::distance(open, std::filesystem::directory_iterator()));
}

// The folder of this process's control group that counts its threads.
std::optional<std::filesystem::path> group_of_pids() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string kind = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (kind == "pids") return "/sys/fs/cgroup/pids" + path;
    if (kind.empty() && std::filesystem::exists("/sys/fs/cgroup" + path + "/pids.max"))
      return "/sys/fs/cgroup" + path;
  }
  return std::nullopt;
}

void look_at_files(const Limits& limits, u64 peers, u64 wanted, Provision& provision) {
  const u64 room = left(limits.files_most, limits.files_open + files_beside_peers);
  provision.sockets = std::clamp<u64>(room / std::max<u64>(peers, 1), 1, wanted);
  provision.files = limits.files_open + files_beside_peers + peers * provision.sockets;
  const u64 best = limits.files_open + files_beside_peers + peers * wanted;
  if (best <= limits.files_most) return;
  const u64 round = std::bit_ceil(best);
  provision.words.push_back(fmt::format(
      "{} open files are allowed, {} are open and {} may be needed for {} peers: {}. Raise it: "
      "ulimit -n {} (docker run --ulimit nofile={}, systemd LimitNOFILE={}; docs/limits.md)",
      limits.files_most, limits.files_open, best, peers,
      provision.files <= limits.files_most
          ? fmt::format("{} instead of {} sockets for each of them", provision.sockets, wanted)
          : "connections may fail",
      round, round, round));
}

void look_at_threads(const Limits& limits, Provision& provision) {
  if (left(limits.threads_allowed, limits.threads) >= threads_needed) return;
  provision.words.push_back(
      fmt::format("{} threads are allowed and {} run: {} more are needed. Raise it: docker run "
                  "--pids-limit={}, "
                  "systemd TasksMax={} (docs/limits.md)",
                  limits.threads_allowed, limits.threads, threads_needed,
                  limits.threads_allowed + 1024, limits.threads_allowed + 1024));
}

void look_at_memory(const Limits& limits, u64 peers, Provision& provision) {
  const u64 need = bytes_beside_peers + peers * bytes_of_a_peer;
  if (left(limits.address_space_allowed, limits.address_space) >= need) return;
  provision.words.push_back(fmt::format(
      "{} MiB of address space are allowed, {} are in use and {} more may be needed: most of it is "
      "never touched. Raise it: ulimit -v unlimited (systemd LimitAS=infinity; docs/limits.md)",
      limits.address_space_allowed >> 20, limits.address_space >> 20, need >> 20));
}

}  // namespace

Limits read_limits() {
  Limits limits;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    limits.files_open = count_files();
    limits.files_allowed = files.rlim_cur;
    limits.files_most = files.rlim_max;
  }
  if (const auto group = group_of_pids()) {
    limits.threads_allowed = number_in(*group / "pids.max");
    if (limits.threads_allowed != unlimited) limits.threads = number_in(*group / "pids.current");
  }
  limits.address_space_allowed = soft(RLIMIT_AS);
  if (limits.address_space_allowed != unlimited)
    limits.address_space = number_in("/proc/self/statm") * u64(::sysconf(_SC_PAGESIZE));
  return limits;
}

Provision provide(const Limits& limits, u32 ranks, u64 sockets) {
  Provision provision{.sockets = sockets, .files = 0, .words = {}};
  if (ranks < 2) return provision;
  const u64 peers = peers_of(ranks);
  look_at_files(limits, peers, sockets, provision);
  look_at_threads(limits, provision);
  look_at_memory(limits, peers, provision);
  return provision;
}

void allow_files(u64 files) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= files) return;
  limit.rlim_cur = std::min<rlim_t>(files, limit.rlim_max);
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace weft::runtime
