#include "perf/run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "perf/combinations.hpp"
#include "perf/host.hpp"
#include "perf/memory.hpp"

namespace weft::perf {

Result<Exit> Run::all() {
  if (collective_.uneven && (options_.sweep_algorithms || options_.explain))
    return fail(Exit::invalid_usage,
                "{} is about blocks of one size, which {} has not: leave it out",
                options_.explain ? "--explain" : "--sweep-algorithms", collective_.program);
  reporter_.opening(weft_version());
  resident_at_start_ = static_cast<double>(resident_memory());
  // From here on: what the processes agree on among themselves is not part of the trial.
  if (!options_.fault.empty()) ::setenv("WEFT_FAULT", options_.fault.c_str(), 1);
  auto session = Session::create(processes_, options_);
  if (!session) return tl::unexpected(std::move(session).error());
  resident_with_communicators_ = static_cast<double>(resident_memory());
  const auto devices = session->devices(processes_);
  if (!devices) return tl::unexpected(devices.error());
  reporter_.devices(*devices);
  const auto order = session->order();
  if (!order) return tl::unexpected(order.error());
  reporter_.order(*order);
  reporter_.buffers();
  auto stage = Stage::create(processes_, collective_, options_, *session);
  if (!stage) return tl::unexpected(std::move(stage).error());
  reporter_.peers(stage->descriptions());
  if (!options_.backend.empty()) PERF_TRY(is_run_by(stage->backend()));
  PERF_TRY(fit_to_memory());

  reporter_.header();
  PERF_TRY(sweep_in_threads(*session, *stage));
  resident_at_end_ = static_cast<double>(resident_memory());

  const auto total = summary();
  if (!total) return tl::unexpected(total.error());
  std::optional<MemoryUse> memory;
  if (options_.report_memory) {
    const auto use = memory_use();
    if (!use) return tl::unexpected(use.error());
    memory = *use;
  }
  reporter_.footer(*total, memory);
  reporter_.errors(weft_last_error());
  if (options_.explain) PERF_TRY(explain(*session));
  const auto agreed = digest(*session);
  if (!agreed) return tl::unexpected(agreed.error());
  stage->finish();
  return total->errors || !total->enough() || !*agreed ? Exit::wrong_results : Exit::success;
}

// All processes take the same maximum: that of the machine with the least memory a rank.
Status Run::fit_to_memory() {
  const std::uint64_t host = host_hash();
  const auto hosts = processes_.gathered(std::span<const std::uint64_t>(&host, 1));
  if (!hosts) return tl::unexpected(hosts.error());
  const std::size_t ranks_here = std::ranges::count(*hosts, host) * options_.ranks_per_process();
  const auto largest = processes_.reduced(
      static_cast<double>(largest_message(available_memory(), ranks_here)), weft_min);
  if (!largest) return tl::unexpected(largest.error());
  const auto most = static_cast<std::size_t>(*largest);
  if (options_.sizes.maximum <= most) return {};
  options_.sizes.maximum = most;
  options_.sizes.minimum = std::min(options_.sizes.minimum, most);
  reporter_.reduced_maximum(most);
  return {};
}

// A table without a row would say nothing.
Status Run::is_run_by(const Peer* peer) const {
  if (collective_.uneven && !peer->uneven)
    return fail(Exit::invalid_usage, "backend {} has no {}; mpi and mpich have it", peer->name,
                collective_.name);
  for (const ElementType& type : options_.types)
    for (const Operator& op : options_.operators)
      if (!op.premultiplied && peer->supports(collective_.kind, type.type, op.op)) return {};
  return fail(Exit::invalid_usage, "backend {} has no {} of {}: give it another -d or -o",
              peer->name, options_.operators.front().name, options_.types.front().name);
}

void Run::work(const Session& session, Stage& stage, Team& team, int thread, Reporter& reporter,
               Thread& result) {
  RankSet ranks(options_, collective_, session.ranks(), session.first_rank(thread),
                session.of_thread(thread));
  const Field field = {.contenders = stage.contenders(thread), .distance = stage.distance()};
  ranks.use(field.contenders[0].runner);
  Sweep sweep(options_, collective_, session.ranks(), thread, field, ranks, team, reporter);
  result.status = ranks.allocate();
  if (result.status && thread == 0) result.status = stage.see(ranks.buffers());
  if (result.status) result.status = sweep.run();
  if (!result.status) team.abandon(result.status.error());
  result.totals = sweep.totals();
  result.digests = ranks.digests();
}

Status Run::sweep_in_threads(const Session& session, Stage& stage) {
  threads_.resize(options_.threads);
  Team team(processes_, options_.threads);
  Reporter silent;
  std::vector<std::thread> others;
  for (int t = 1; t < options_.threads; ++t)
    others.emplace_back([&, t] { work(session, stage, team, t, silent, threads_[t]); });
  work(session, stage, team, 0, reporter_, threads_[0]);
  for (std::thread& other : others) other.join();
  for (const Thread& thread : threads_) PERF_TRY(thread.status);
  return {};
}

Result<Summary> Run::summary() const {
  Totals totals;
  for (const Thread& thread : threads_) {
    totals.errors += thread.totals.errors;
    totals.bandwidth += thread.totals.bandwidth;
    totals.measurements += thread.totals.measurements;
  }
  const auto errors = processes_.reduced(totals.errors, weft_sum);
  if (!errors) return tl::unexpected(errors.error());
  const char* least = std::getenv("NCCL_TESTS_MIN_BW");
  return Summary{.errors = static_cast<int>(*errors),
                 .bus_bandwidth = totals.bandwidth / totals.measurements,
                 .least_bandwidth = least ? std::atof(least) : -1};
}

Result<MemoryUse> Run::memory_use() const {
  const double buffers =
      static_cast<double>(RankSet::bytes_per_rank(options_)) * options_.ranks_per_process();
  MemoryUse use = {.initialization = resident_with_communicators_ - resident_at_start_,
                   .buffers = buffers,
                   .collectives = resident_at_end_ - resident_with_communicators_ - buffers};
  for (double* value : {&use.initialization, &use.buffers, &use.collectives}) {
    const auto most = processes_.reduced(*value, weft_max);
    if (!most) return tl::unexpected(most.error());
    *value = *most;
  }
  return use;
}

// The first type and operator of the walk: the others may take other schedules.
Status Run::explain(const Session& session) {
  const weft_comm_t comm = session.of_thread(0).front().get();
  const ElementType& type = options_.types.front();
  weft_op_t op = weft_sum;
  std::optional<PremulSum> made;
  if (collective_.reduces) {
    const Operator& first = *std::ranges::find_if(options_.operators, [&](const Operator& other) {
      return is_walked(options_, type, other);
    });
    op = first.op;
    if (first.premultiplied) {
      auto premul = PremulSum::make(type.type, session.first_rank(0), comm);
      if (!premul) return tl::unexpected(std::move(premul).error());
      op = premul->value();
      made = std::move(*premul);
    }
  }
  weft_comm_info_t info = WEFT_COMM_INFO_INITIALIZER;
  PERF_TRY(check(weft_comm_info(comm, &info), "asking a communicator"));
  reporter_.line(
      fmt::format("# Machine : {} ranks on {} node{} ({}), {} in a node, {} between nodes",
                  session.ranks(), info.nodes, info.nodes == 1 ? "" : "s", info.shape,
                  info.transport_in_node, info.transport_between_nodes));
  for (std::size_t bytes : {options_.sizes.minimum, options_.sizes.maximum}) {
    const Layout layout = collective_.layout(bytes / type.bytes, type.bytes, session.ranks());
    char text[1024] = "";
    PERF_TRY(check(
        weft_explain(comm, collective_.kind, layout.parameter, type.type, op, text, sizeof text),
        "explaining a schedule"));
    reporter_.line(fmt::format("# Schedule of {} B : {}", bytes, text));
  }
  return {};
}

Result<bool> Run::digest(const Session& session) {
  if (!options_.digest) return true;
  std::vector<DigestValue> mine;
  for (const Thread& thread : threads_)
    mine.insert(mine.end(), thread.digests.begin(), thread.digests.end());
  const auto ranks = session.gathered(processes_, std::span<const DigestValue>(mine));
  if (!ranks) return tl::unexpected(ranks.error());
  const int other = collective_.same_on_ranks ? first_that_differs(*ranks) : -1;
  reporter_.digest(
      other == -1 ? text_of(*ranks)
                  : fmt::format("FAILED: the results of rank {} are not those of rank 0", other));
  return other == -1;
}

}  // namespace weft::perf
