// One rank of MPI's start-up, in the words of tools/startup_perf.
#include <mpi.h>

#include <cstring>

#include "perf/startup_report.hpp"

using weft::perf::held_kib;
using weft::perf::Stopwatch;

int main(int count, char** words) {
  const bool weighs = count == 2 && !std::strcmp(words[1], "memory");
  weft::perf::StartupReport report;
  const long before = weighs ? held_kib() : 0;
  const Stopwatch stopwatch;
  MPI_Init(nullptr, nullptr);  // ends the job itself when it fails
  report.add("create", stopwatch.milliseconds());
  if (weighs) report.add("idle_kib", static_cast<double>(held_kib() - before));
  const Stopwatch first;
  MPI_Barrier(MPI_COMM_WORLD);
  report.add("first_barrier", first.milliseconds());
  MPI_Comm made;
  const Stopwatch dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  report.add("dup", dup.milliseconds());
  MPI_Comm_free(&made);
  report.print();
  MPI_Finalize();
  return 0;
}
