// Requests, planned operations and groups.
#include "runtime/api/api.hpp"

using namespace weft;
using namespace weft::runtime;
using namespace weft::runtime::api;

namespace {

Status known(const weft_request_t* request) {
  if (request && *request) return object(*request)->owner->process().check();
  return fail(Code::invalid_argument,
              "request is NULL: it was waited for already, or never started");
}

Status known(weft_operation_t operation) {
  WEFT_TRY(need(operation, "operation"));
  return object(operation)->owner->process().check();
}

}  // namespace

extern "C" {

weft_result_t weft_test(weft_request_t* request) {
  if (const Status is_known = known(request); !is_known) return report(is_known);
  Request& started = *object(*request);
  weft_result_t result = weft_in_progress;
  const weft_result_t outcome = guarded([&]() -> Status {
    started.owner->poll(started);
    if (!started.operation.done()) return {};
    *request = nullptr;
    result = weft_ok;
    return started.owner->finish(started);
  });
  return outcome == weft_ok ? result : outcome;
}

weft_result_t weft_wait(weft_request_t* request, double timeout_seconds) {
  if (const Status is_known = known(request); !is_known) return report(is_known);
  return guarded([&]() -> Status {
    if (!(timeout_seconds >= 0))
      return fail(Code::invalid_argument,
                  "timeout_seconds is {}: 0 for the communicator's timeout, else above 0",
                  timeout_seconds);
    Request* const started = object(*request);
    if (timeout_seconds > 0) started->owner->set_deadline(*started, timeout_seconds);
    Communicator::wait(std::span(&started, 1));
    *request = nullptr;
    return started->owner->finish(*started);
  });
}

weft_result_t weft_request_on_completion(weft_request_t request, weft_callback_t callback,
                                         void* argument) {
  return guarded([&]() -> Status {
    WEFT_TRY(known(&request));
    WEFT_TRY(need(reinterpret_cast<const void*>(callback), "callback"));
    Request& started = *object(request);
    if (started.callback) return fail(Code::invalid_argument, "the request has a callback already");
    started.callback = callback;
    started.callback_argument = argument;
    const auto call_back = [](void* of, Code outcome) {
      const Request& ended = *static_cast<const Request*>(of);
      ended.callback(ended.callback_argument, weft_result_t(outcome));
    };
    started.operation.on_completion(call_back, &started);
    return {};
  });
}

weft_result_t weft_operation_start(weft_operation_t operation, weft_request_t* request) {
  return guarded([&]() -> Status {
    WEFT_TRY(known(operation));
    WEFT_TRY(need(request, "request"));
    *request = nullptr;
    Persistent& planned = *object(operation);
    WEFT_ASSIGN(Request* const started, planned.owner->start(planned));
    *request = reinterpret_cast<weft_request_t>(started);
    return {};
  });
}

weft_result_t weft_operation_free(weft_operation_t operation) {
  return guarded([&]() -> Status {
    if (!operation) return {};
    WEFT_TRY(known(operation));
    Persistent* const planned = object(operation);
    WEFT_TRY(planned->owner->release(*planned));
    delete planned;
    return {};
  });
}

weft_result_t weft_group_start(void) {
  Group::of_this_thread().start();
  return weft_ok;
}
weft_result_t weft_group_end(void) {
  return guarded([] { return Group::of_this_thread().end(); });
}

}  // extern "C"
