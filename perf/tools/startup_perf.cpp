// One rank of a start-up: how long until there is a communicator, until it has been used, and what
// it holds while idle. perf/startup runs it, beside peers/mpi_startup.
//
// With "memory" the times are worth less: reading what a process holds takes milliseconds.
#include <weft/weft.h>

#include <cstring>
#include <vector>

#include "perf/startup_report.hpp"

namespace {

using weft::perf::held_kib;
using weft::perf::StartupReport;
using weft::perf::Stopwatch;

bool is_ok(weft_result_t result, const char* what) {
  if (result == weft_ok) return true;
  std::fprintf(stderr, "startup_perf: %s: %s\n", what, weft_last_error());
  return false;
}

bool timed_barrier(weft_comm_t comm, double& milliseconds) {
  const Stopwatch stopwatch;
  const bool ok = is_ok(weft_barrier(comm, nullptr), "weft_barrier");
  milliseconds = stopwatch.milliseconds();
  return ok;
}

// The first call connects, the second finds all there, later ones show the steady state.
bool time_barriers(weft_comm_t comm, StartupReport& report) {
  double first = 0, second = 0;
  if (!timed_barrier(comm, first) || !timed_barrier(comm, second)) return false;
  report.add("first_barrier", first);
  report.add("second_barrier", second);
  constexpr int calls = 100;
  const Stopwatch stopwatch;
  for (int i = 0; i < calls; ++i)
    if (!is_ok(weft_barrier(comm, nullptr), "weft_barrier")) return false;
  report.add("barrier", stopwatch.milliseconds() / calls);
  return true;
}

// Called by all ranks at the same time, so each time is that of a creation alone.
template <class Make>
bool time_child(weft_comm_t comm, StartupReport& report, const char* name, Make make) {
  weft_comm_t made = nullptr;
  const Stopwatch stopwatch;
  if (!is_ok(make(&made), name)) return false;
  report.add(name, stopwatch.milliseconds());
  return (!made || is_ok(weft_comm_destroy(made), "weft_comm_destroy")) &&
         is_ok(weft_barrier(comm, nullptr), "weft_barrier");
}

bool time_children(weft_comm_t comm, StartupReport& report) {
  int rank = 0;
  if (!is_ok(weft_comm_rank(comm, &rank), "weft_comm_rank")) return false;
  return time_child(comm, report, "dup",
                    [&](weft_comm_t* made) { return weft_comm_dup(comm, made, nullptr); }) &&
         time_child(comm, report, "split",
                    [&](weft_comm_t* made) {
                      return weft_comm_split(comm, rank % 2, 0, made, nullptr);
                    }) &&
         time_child(comm, report, "split_alone", [&](weft_comm_t* made) {
           return weft_comm_split(comm, rank, 0, made, nullptr);
         });
}

// What the process holds more after each of these than before any of them.
bool weigh(weft_comm_t comm, long before, StartupReport& report) {
  report.add("idle_kib", static_cast<double>(held_kib() - before));
  if (!is_ok(weft_barrier(comm, nullptr), "weft_barrier")) return false;
  report.add("barrier_kib", static_cast<double>(held_kib() - before));
  weft_comm_t alone = nullptr;
  const long without = held_kib();
  int rank = 0;
  if (!is_ok(weft_comm_rank(comm, &rank), "weft_comm_rank") ||
      !is_ok(weft_comm_split(comm, rank, 0, &alone, nullptr), "weft_comm_split"))
    return false;
  report.add("alone_kib", static_cast<double>(held_kib() - without));
  std::vector<float> values(1 << 18, 1.0F);
  const long with_values = held_kib();
  if (!is_ok(weft_all_reduce(values.data(), values.data(), values.size(), weft_float32, weft_sum,
                             comm, nullptr),
             "weft_all_reduce"))
    return false;
  report.add("one_mib_kib", static_cast<double>(held_kib() - with_values + without - before));
  return is_ok(weft_comm_destroy(alone), "weft_comm_destroy");
}

}  // namespace

int main(int count, char** words) {
  const bool weighs = count == 2 && !std::strcmp(words[1], "memory");
  StartupReport report;
  const long before = weighs ? held_kib() : 0;
  weft_comm_t comm = nullptr;
  const Stopwatch stopwatch;
  if (!is_ok(weft_comm_create_from_environment(&comm, nullptr), "creation")) return 1;
  report.add("create", stopwatch.milliseconds());
  if (weighs) {
    if (!weigh(comm, before, report)) return 1;
  } else {
    if (!time_barriers(comm, report) || !time_children(comm, report)) return 1;
  }
  const Stopwatch leaving;
  if (!is_ok(weft_comm_destroy(comm), "weft_comm_destroy")) return 1;
  report.add("destroy", leaving.milliseconds());
  report.print();
  return 0;
}
