#include "perf/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "perf/colour.hpp"
#include "perf/host.hpp"

namespace weft::perf {
namespace {

Status fits(const Options& options, int ranks) {
  if (options.root >= ranks)
    return fail(Exit::invalid_usage, "root {}: there are only {} ranks, from 0", options.root,
                ranks);
  return {};
}

std::string transports_of(const weft_comm_info_t& info) {
  const std::string in_node = info.transport_in_node, between = info.transport_between_nodes;
  if (between == "none") return in_node;
  return in_node == "none" ? between : fmt::format("{}, {}", in_node, between);
}

}  // namespace

Result<Session> Session::create(const Processes& processes, const Options& options) {
  Session session;
  PERF_TRY(session.find_group(processes));
  session.per_process_ = options.ranks_per_process();
  session.per_thread_ = options.ranks_per_thread;
  session.first_rank_ = session.group_process_ * session.per_process_;
  PERF_TRY(fits(options, session.ranks()));
  auto names = node_names(options.nodes, session.ranks());
  if (!names) return tl::unexpected(std::move(names).error());
  session.node_names_ = std::move(*names);

  const auto id = session.share_id(processes);
  if (!id) return tl::unexpected(id.error());
  session.communicators_ = Communicators(session.per_process_);
  PERF_TRY(options.parallel_init ? session.join_by_thread(options, *id)
                                 : session.join(options, *id, 0, session.per_process_));
  return session;
}

Status Session::find_group(const Processes& processes) {
  colour_ = colour_of(processes.rank(), std::getenv("NCCL_TESTS_SPLIT_MASK"),
                      std::getenv("NCCL_TESTS_SPLIT"));
  auto colours = processes.gathered(std::span<const int>(&colour_, 1));
  if (!colours) return tl::unexpected(std::move(colours).error());
  colours_ = std::move(*colours);
  group_processes_ = static_cast<int>(std::ranges::count(colours_, colour_));
  group_process_ =
      static_cast<int>(std::count(colours_.begin(), colours_.begin() + processes.rank(), colour_));
  return {};
}

// Every group has an id of its own; one gather carries them all.
Result<weft_unique_id_t> Session::share_id(const Processes& processes) const {
  weft_unique_id_t id{};
  if (group_process_ == 0) PERF_TRY(check(weft_get_unique_id(&id), "making a unique id"));
  const auto ids = processes.gathered(std::span<const weft_unique_id_t>(&id, 1));
  if (!ids) return tl::unexpected(ids.error());
  const auto leader = std::ranges::find(colours_, colour_) - colours_.begin();
  return (*ids)[leader];
}

Status Session::join(const Options& options, const weft_unique_id_t& id, int first, int count) {
  weft_config_t config = WEFT_CONFIG_INITIALIZER;
  config.algorithm = options.algorithm.empty() ? nullptr : options.algorithm.c_str();
  config.order = options.order.empty() ? nullptr : options.order.c_str();
  config.timeout_seconds = options.timeout_seconds;
  std::vector<weft_comm_t> made(count, nullptr);
  Group group;
  PERF_TRY(group.begin());
  for (int i = 0; i < count; ++i) {
    const int rank = first_rank_ + first + i;
    config.node = node_names_.empty() ? nullptr : node_names_[rank].c_str();
    PERF_TRY(check(weft_comm_create(&made[i], ranks(), rank, &id, &config), "joining"));
  }
  const Status joined = group.end("joining the communicator");
  for (int i = 0; i < count; ++i) communicators_[first + i].reset(made[i]);
  return joined;
}

Status Session::join_by_thread(const Options& options, const weft_unique_id_t& id) {
  std::vector<Status> outcomes(options.threads);
  std::vector<std::thread> threads;
  for (int t = 0; t < options.threads; ++t)
    threads.emplace_back([&, t] { outcomes[t] = join(options, id, t * per_thread_, per_thread_); });
  for (std::thread& thread : threads) thread.join();
  for (const Status& outcome : outcomes) PERF_TRY(outcome);
  return {};
}

Result<std::string> Session::order() const {
  weft_comm_info_t info = WEFT_COMM_INFO_INITIALIZER;
  PERF_TRY(check(weft_comm_info(communicators_.all()[0].get(), &info), "asking a communicator"));
  return std::string(info.order);
}

Result<std::vector<Device>> Session::devices(const Processes& processes) const {
  std::vector<Device> mine;
  for (int i = 0; i < per_process_; ++i) {
    weft_comm_info_t info = WEFT_COMM_INFO_INITIALIZER;
    PERF_TRY(check(weft_comm_info(communicators_.all()[i].get(), &info), "asking a communicator"));
    Device device;
    device.rank = first_rank_ + i;
    device.group = colour_;
    device.pid = getpid();
    device.node = info.node;
    const auto copy = [](char(&to)[64], const std::string& from) {
      to[from.copy(to, sizeof to - 1)] = '\0';
    };
    copy(device.host, host_name());
    copy(device.node_name, info.node_name);
    copy(device.transports, transports_of(info));
    mine.push_back(device);
  }
  return processes.gathered(std::span<const Device>(mine));
}

}  // namespace weft::perf
