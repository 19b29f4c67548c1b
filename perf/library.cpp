#include "perf/library.hpp"

namespace weft::perf {

Status check(weft_result_t result, const char* what) {
  if (result == weft_ok) return {};
  return fail(result == weft_timed_out ? Exit::timeout : Exit::library_error, "{}: {} / {}", what,
              weft_result_name(result), weft_last_error());
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
