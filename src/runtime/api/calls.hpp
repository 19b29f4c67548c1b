// The three forms of a collective call: blocking, with a request, planned.
#pragma once
#include "runtime/api/api.hpp"

namespace weft::runtime::api {

inline Status run(Communicator& communicator, const Call& call) {
  Group& group = Group::of_this_thread();
  if (!group.is_open()) return communicator.run(call);
  WEFT_ASSIGN(Request* const request, communicator.start(call));
  group.add(request);
  return {};
}

inline Status run(Communicator& communicator, const Call& call, weft_request_t* request) {
  WEFT_TRY(need(request, "request"));
  *request = nullptr;
  WEFT_ASSIGN(Request* const started, communicator.start(call));
  *request = reinterpret_cast<weft_request_t>(started);
  return {};
}

inline Status run(Communicator& communicator, const Call& call, weft_operation_t* operation) {
  WEFT_TRY(need(operation, "operation"));
  *operation = nullptr;
  WEFT_ASSIGN(auto planned, communicator.plan(call));
  *operation = reinterpret_cast<weft_operation_t>(planned.release());
  return {};
}

// The communicator, if this very blocking call was its last one: all checks have been passed then,
// and it has only to run.
inline Communicator* repeats(weft_comm_t comm, const Call& call, int type, weft_stream_t stream) {
  if (!comm || stream || int(call.type) != type || Group::is_open()) return nullptr;
  Communicator* const communicator = object(comm)->usable();
  return communicator && communicator->repeats(call) ? communicator : nullptr;
}

inline Status check(int type, int root, weft_stream_t stream) {
  WEFT_TRY(check_type(type));
  if (root < 0) return fail(Code::invalid_argument, "root {} is below 0", root);
  if (stream)
    return fail(Code::unsupported,
                "this build has no CUDA: the stream of a call on host memory is NULL");
  return {};
}

// `out` is nothing, or where the request or the operation goes.
template <class... Out>
weft_result_t call(schedule::Kind kind, const void* input, void* output, size_t count, int type,
                   int op, int root, weft_comm_t comm, weft_stream_t stream, Out... out) {
  const Call made{kind, input, output, count, DataType(type), u32(op), u32(root)};
  return guarded([&]() -> Status {
    if constexpr (sizeof...(Out) == 0)
      if (Communicator* const again = repeats(comm, made, type, stream)) return again->run_again();
    WEFT_ASSIGN(Communicator* const communicator, use(comm));
    WEFT_TRY(check(type, root, stream));
    return run(*communicator, made, out...);
  });
}

}  // namespace weft::runtime::api
