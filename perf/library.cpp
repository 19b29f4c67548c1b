#include "perf/library.hpp"

#include "perf/data.hpp"

namespace weft::perf {

Status check(weft_result_t result, const char* what) {
  if (result == weft_ok) return {};
  return fail(result == weft_timed_out ? Exit::timeout : Exit::library_error, "{}: {} / {}", what,
              weft_result_name(result), weft_last_error());
}

Result<PremulSum> PremulSum::make(weft_datatype_t type, int rank, weft_comm_t comm) {
  const auto scalar = premul_scalar(type, rank);
  weft_op_t op = weft_sum;
  PERF_TRY(check(weft_op_create_premul_sum(&op, scalar.data(), type, comm), "making an operator"));
  return PremulSum(op, comm);
}

Communicators::~Communicators() {
  Group group;
  if (communicators_.empty() || !group.begin()) return;
  communicators_.clear();
}

Status Group::begin() {
  Status begun = check(weft_group_start(), "starting a group");
  open_ = begun.has_value();
  return begun;
}

Status Group::end(const char* what) {
  open_ = false;
  return check(weft_group_end(), what);
}

}  // namespace weft::perf
