// What a peer's module offers: another library's collectives behind a table of plain functions.
//
// The tools link Weft alone and open the module when --backend or --compare asks for it, so they
// run where that library is missing, and its symbols and start-up stay out of every other run.
// peers/ has one file for each peer; it becomes libweft_perf_NAME.so beside the tools. Lifetime:
// the table is the module's and lasts as long as the process. Threads: one, the main one.
#pragma once
#include <weft/weft.h>

#include <cstddef>

namespace weft::perf {

// One rank's call, with the meaning of the Weft function of that collective: any count, in place
// where Weft's is, every rank's result written.
struct PeerCall {
  weft_collective_t kind = weft_collective_all_reduce;
  const void* send = nullptr;
  void* receive = nullptr;
  std::size_t count = 0;  // elements, as the Weft call takes it
  weft_datatype_t type = weft_float32;
  weft_op_t op = weft_sum;
  int root = 0;
};

// Functions return false after a failure, whose text `error` then gives.
struct Peer {
  unsigned version;  // peer_version of the header the module was compiled with
  const char* name;  // "mpi"

  // Once, on all processes: makes a communicator of the processes of one `colour`, in the order of
  // their `rank` of `ranks`. The launcher tells the library how its processes meet.
  bool (*start)(int rank, int ranks, int colour);
  const char* (*product)();  // name and version of the library, after start
  // Has the library this type, and this operator of it? No matter the operator if !reduces.
  bool (*supports)(weft_datatype_t type, weft_op_t op, bool reduces);
  bool (*call)(const PeerCall* call);  // returns when the result is there
  void (*finish)();                    // on all processes, after their last call
  const char* (*error)();
};

constexpr unsigned peer_version = 1;
constexpr const char* peer_symbol = "weft_perf_peer";  // a function without arguments: const Peer*

}  // namespace weft::perf
