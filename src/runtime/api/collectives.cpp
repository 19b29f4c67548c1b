// The collectives on blocks of one size.
#include <algorithm>
#include <cstring>

#include "runtime/api/calls.hpp"

using namespace weft;
using namespace weft::runtime;
using namespace weft::runtime::api;
using weft::schedule::Kind;

extern "C" {

weft_result_t weft_all_reduce(const void* in, void* out, size_t count, weft_datatype_t type,
                              weft_op_t op, weft_comm_t comm, weft_stream_t stream) {
  return call(Kind::all_reduce, in, out, count, type, op, 0, comm, stream);
}
weft_result_t weft_all_reduce_start(const void* in, void* out, size_t count, weft_datatype_t type,
                                    weft_op_t op, weft_comm_t comm, weft_stream_t stream,
                                    weft_request_t* request) {
  return call(Kind::all_reduce, in, out, count, type, op, 0, comm, stream, request);
}
weft_result_t weft_all_reduce_init(const void* in, void* out, size_t count, weft_datatype_t type,
                                   weft_op_t op, weft_comm_t comm, weft_stream_t stream,
                                   weft_operation_t* operation) {
  return call(Kind::all_reduce, in, out, count, type, op, 0, comm, stream, operation);
}

weft_result_t weft_reduce_scatter(const void* in, void* out, size_t count, weft_datatype_t type,
                                  weft_op_t op, weft_comm_t comm, weft_stream_t stream) {
  return call(Kind::reduce_scatter, in, out, count, type, op, 0, comm, stream);
}
weft_result_t weft_reduce_scatter_start(const void* in, void* out, size_t count,
                                        weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                        weft_stream_t stream, weft_request_t* request) {
  return call(Kind::reduce_scatter, in, out, count, type, op, 0, comm, stream, request);
}
weft_result_t weft_reduce_scatter_init(const void* in, void* out, size_t count,
                                       weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                       weft_stream_t stream, weft_operation_t* operation) {
  return call(Kind::reduce_scatter, in, out, count, type, op, 0, comm, stream, operation);
}

weft_result_t weft_all_gather(const void* in, void* out, size_t count, weft_datatype_t type,
                              weft_comm_t comm, weft_stream_t stream) {
  return call(Kind::all_gather, in, out, count, type, weft_sum, 0, comm, stream);
}
weft_result_t weft_all_gather_start(const void* in, void* out, size_t count, weft_datatype_t type,
                                    weft_comm_t comm, weft_stream_t stream,
                                    weft_request_t* request) {
  return call(Kind::all_gather, in, out, count, type, weft_sum, 0, comm, stream, request);
}
weft_result_t weft_all_gather_init(const void* in, void* out, size_t count, weft_datatype_t type,
                                   weft_comm_t comm, weft_stream_t stream,
                                   weft_operation_t* operation) {
  return call(Kind::all_gather, in, out, count, type, weft_sum, 0, comm, stream, operation);
}

weft_result_t weft_broadcast(const void* in, void* out, size_t count, weft_datatype_t type,
                             int root, weft_comm_t comm, weft_stream_t stream) {
  return call(Kind::broadcast, in, out, count, type, weft_sum, root, comm, stream);
}
weft_result_t weft_broadcast_start(const void* in, void* out, size_t count, weft_datatype_t type,
                                   int root, weft_comm_t comm, weft_stream_t stream,
                                   weft_request_t* request) {
  return call(Kind::broadcast, in, out, count, type, weft_sum, root, comm, stream, request);
}
weft_result_t weft_broadcast_init(const void* in, void* out, size_t count, weft_datatype_t type,
                                  int root, weft_comm_t comm, weft_stream_t stream,
                                  weft_operation_t* operation) {
  return call(Kind::broadcast, in, out, count, type, weft_sum, root, comm, stream, operation);
}

weft_result_t weft_barrier(weft_comm_t comm, weft_stream_t stream) {
  return call(Kind::barrier, nullptr, nullptr, 1, weft_uint8, weft_sum, 0, comm, stream);
}
weft_result_t weft_barrier_start(weft_comm_t comm, weft_stream_t stream, weft_request_t* request) {
  return call(Kind::barrier, nullptr, nullptr, 1, weft_uint8, weft_sum, 0, comm, stream, request);
}
weft_result_t weft_barrier_init(weft_comm_t comm, weft_stream_t stream,
                                weft_operation_t* operation) {
  return call(Kind::barrier, nullptr, nullptr, 1, weft_uint8, weft_sum, 0, comm, stream, operation);
}

weft_result_t weft_reduce(const void* in, void* out, size_t count, weft_datatype_t type,
                          weft_op_t op, int root, weft_comm_t comm, weft_stream_t stream) {
  return call(Kind::reduce, in, out, count, type, op, root, comm, stream);
}
weft_result_t weft_reduce_start(const void* in, void* out, size_t count, weft_datatype_t type,
                                weft_op_t op, int root, weft_comm_t comm, weft_stream_t stream,
                                weft_request_t* request) {
  return call(Kind::reduce, in, out, count, type, op, root, comm, stream, request);
}
weft_result_t weft_reduce_init(const void* in, void* out, size_t count, weft_datatype_t type,
                               weft_op_t op, int root, weft_comm_t comm, weft_stream_t stream,
                               weft_operation_t* operation) {
  return call(Kind::reduce, in, out, count, type, op, root, comm, stream, operation);
}

weft_result_t weft_gather(const void* in, void* out, size_t count, weft_datatype_t type, int root,
                          weft_comm_t comm, weft_stream_t stream) {
  return call(Kind::gather, in, out, count, type, weft_sum, root, comm, stream);
}
weft_result_t weft_gather_start(const void* in, void* out, size_t count, weft_datatype_t type,
                                int root, weft_comm_t comm, weft_stream_t stream,
                                weft_request_t* request) {
  return call(Kind::gather, in, out, count, type, weft_sum, root, comm, stream, request);
}
weft_result_t weft_gather_init(const void* in, void* out, size_t count, weft_datatype_t type,
                               int root, weft_comm_t comm, weft_stream_t stream,
                               weft_operation_t* operation) {
  return call(Kind::gather, in, out, count, type, weft_sum, root, comm, stream, operation);
}

weft_result_t weft_scatter(const void* in, void* out, size_t count, weft_datatype_t type, int root,
                           weft_comm_t comm, weft_stream_t stream) {
  return call(Kind::scatter, in, out, count, type, weft_sum, root, comm, stream);
}
weft_result_t weft_scatter_start(const void* in, void* out, size_t count, weft_datatype_t type,
                                 int root, weft_comm_t comm, weft_stream_t stream,
                                 weft_request_t* request) {
  return call(Kind::scatter, in, out, count, type, weft_sum, root, comm, stream, request);
}
weft_result_t weft_scatter_init(const void* in, void* out, size_t count, weft_datatype_t type,
                                int root, weft_comm_t comm, weft_stream_t stream,
                                weft_operation_t* operation) {
  return call(Kind::scatter, in, out, count, type, weft_sum, root, comm, stream, operation);
}

weft_result_t weft_all_to_all(const void* in, void* out, size_t count, weft_datatype_t type,
                              weft_comm_t comm, weft_stream_t stream) {
  return call(Kind::all_to_all, in, out, count, type, weft_sum, 0, comm, stream);
}
weft_result_t weft_all_to_all_start(const void* in, void* out, size_t count, weft_datatype_t type,
                                    weft_comm_t comm, weft_stream_t stream,
                                    weft_request_t* request) {
  return call(Kind::all_to_all, in, out, count, type, weft_sum, 0, comm, stream, request);
}
weft_result_t weft_all_to_all_init(const void* in, void* out, size_t count, weft_datatype_t type,
                                   weft_comm_t comm, weft_stream_t stream,
                                   weft_operation_t* operation) {
  return call(Kind::all_to_all, in, out, count, type, weft_sum, 0, comm, stream, operation);
}

weft_result_t weft_scan(const void* in, void* out, size_t count, weft_datatype_t type, weft_op_t op,
                        weft_comm_t comm, weft_stream_t stream) {
  return call(Kind::scan, in, out, count, type, op, 0, comm, stream);
}
weft_result_t weft_scan_start(const void* in, void* out, size_t count, weft_datatype_t type,
                              weft_op_t op, weft_comm_t comm, weft_stream_t stream,
                              weft_request_t* request) {
  return call(Kind::scan, in, out, count, type, op, 0, comm, stream, request);
}
weft_result_t weft_scan_init(const void* in, void* out, size_t count, weft_datatype_t type,
                             weft_op_t op, weft_comm_t comm, weft_stream_t stream,
                             weft_operation_t* operation) {
  return call(Kind::scan, in, out, count, type, op, 0, comm, stream, operation);
}

weft_result_t weft_exscan(const void* in, void* out, size_t count, weft_datatype_t type,
                          weft_op_t op, weft_comm_t comm, weft_stream_t stream) {
  return call(Kind::exscan, in, out, count, type, op, 0, comm, stream);
}
weft_result_t weft_exscan_start(const void* in, void* out, size_t count, weft_datatype_t type,
                                weft_op_t op, weft_comm_t comm, weft_stream_t stream,
                                weft_request_t* request) {
  return call(Kind::exscan, in, out, count, type, op, 0, comm, stream, request);
}
weft_result_t weft_exscan_init(const void* in, void* out, size_t count, weft_datatype_t type,
                               weft_op_t op, weft_comm_t comm, weft_stream_t stream,
                               weft_operation_t* operation) {
  return call(Kind::exscan, in, out, count, type, op, 0, comm, stream, operation);
}

weft_result_t weft_explain(weft_comm_t comm, weft_collective_t collective, size_t count,
                           weft_datatype_t type, weft_op_t op, char* text, size_t text_bytes) {
  return guarded([&]() -> Status {
    WEFT_ASSIGN(Communicator* const communicator, use(comm));
    WEFT_TRY(need(text, "text"));
    WEFT_TRY(check_type(type));
    if (int(collective) < 0 || int(collective) > weft_collective_exscan || !text_bytes)
      return fail(Code::invalid_argument, "collective {} or text_bytes {} is out of range",
                  int(collective), text_bytes);
    WEFT_ASSIGN(
        const std::string why,
        communicator->explain(
            {.kind = Kind(collective), .count = count, .type = DataType(type), .op = u32(op)}));
    const size_t size = std::min(why.size(), text_bytes - 1);
    std::memcpy(text, why.data(), size);
    text[size] = '\0';
    return {};
  });
}

}  // extern "C"
