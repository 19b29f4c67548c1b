#include "perf/processes.hpp"

namespace weft::perf {

Result<Processes> Processes::from_environment() {
  Processes processes;
  weft_comm_t comm = nullptr;
  PERF_TRY(check(weft_comm_create_from_environment(&comm, nullptr),
                 "joining the processes of the launcher"));
  processes.comm_.reset(comm);
  PERF_TRY(check(weft_comm_rank(comm, &processes.rank_), "asking for the rank"));
  PERF_TRY(check(weft_comm_size(comm, &processes.size_), "asking for the number of processes"));
  return processes;
}

Status Processes::barrier() const {
  return check(weft_barrier(comm_.get(), nullptr), "barrier of the processes");
}

Result<double> Processes::reduced(double value, weft_op_t op) const {
  double result = value;
  PERF_TRY(check(weft_all_reduce(&value, &result, 1, weft_float64, op, comm_.get(), nullptr),
                 "reducing a value over the processes"));
  return result;
}

Status Processes::gather_bytes(const void* mine, void* all, std::size_t bytes) const {
  return check(weft_all_gather(mine, all, bytes, weft_uint8, comm_.get(), nullptr),
               "gathering values of the processes");
}

}  // namespace weft::perf
