// What the files of the C API share: handles are the runtime's objects, errors become codes and the
// thread's last text, and no exception leaves the library.
#pragma once
#include "runtime/group.hpp"
#include "runtime/member.hpp"
#include "weft/weft.h"

namespace weft::runtime::api {

inline Member* object(weft_comm_t comm) { return reinterpret_cast<Member*>(comm); }
inline Request* object(weft_request_t request) { return reinterpret_cast<Request*>(request); }
inline Persistent* object(weft_operation_t operation) {
  return reinterpret_cast<Persistent*>(operation);
}

const char* last_error();
weft_result_t report(const Error& error);
inline weft_result_t report(const Status& status) {
  return status ? weft_ok : report(status.error());
}

// Memory may run out in what makes communicators; the data path does not allocate.
template <class F>
weft_result_t guarded(F&& f) {
  try {
    return report(f());
  } catch (const std::exception& error) {
    return report(Error{Code::system_error, fmt::format("out of resources: {}", error.what())});
  }
}

inline Status need(const void* pointer, const char* name) {
  if (pointer) return {};
  return fail(Code::invalid_argument, "{} is NULL", name);
}

// The communicator, fit for calls.
inline Result<Communicator*> use(weft_comm_t comm) {
  WEFT_TRY(need(comm, "comm"));
  return object(comm)->use();
}

// The communicator, perhaps left already: fit for giving back what was made for it.
inline Result<Communicator*> known(weft_comm_t comm) {
  WEFT_TRY(need(comm, "comm"));
  return object(comm)->known();
}

// As a number: what a C caller passes need not be one of the enumerators.
inline Status check_type(int type) {
  if (u32(type) < all_types.size()) return {};
  return fail(Code::invalid_argument, "{} is not a weft_datatype_t", type);
}

}  // namespace weft::runtime::api
