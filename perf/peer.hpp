// What a peer's module offers: another library's collectives, or reference code, behind a table of
// plain functions.
//
// The tools link Weft alone and open the module when --backend or --compare asks for it, so they
// run where that library is missing, and its symbols and start-up stay out of every other run.
// peers/ has one file for each peer; it becomes libweft_perf_NAME.so beside the tools. Lifetime:
// the table is the module's and lasts as long as the process. Threads: one, the main one.
#pragma once
#include <weft/weft.h>

#include <cstddef>

namespace weft::perf {

constexpr int own_choice = -1;  // the peer takes the form it thinks best

// One rank's call, with the meaning of the Weft function of that collective: any count, in place
// where Weft's is, every rank's result written.
struct PeerCall {
  weft_collective_t kind = weft_collective_all_reduce;
  bool uneven = false;  // with the blocks of ramp.hpp, of which `count` is the unit
  const void* send = nullptr;
  void* receive = nullptr;
  std::size_t count = 0;  // elements, as the Weft call takes it
  weft_datatype_t type = weft_float32;
  weft_op_t op = weft_sum;
  int root = 0;
  int form = own_choice;
};

struct PeerJob {
  int rank, ranks;  // of the processes of one colour
  int colour;
  weft_comm_t comm;  // theirs, for what the peer's processes have to tell each other at the start
};

// The buffers in which all calls of this rank lie.
struct PeerBuffers {
  void* send;
  void* receive;
  std::size_t bytes;  // of each
};

// Functions return false after a failure, whose text `error` then gives.
struct Peer {
  unsigned version;  // peer_version of the header the module was compiled with
  const char* name;  // "mpi"

  bool uneven;  // whether it has the uneven forms of the collectives that it has

  // Ways to run a call, of which none is the best everywhere: in a comparison all take turns, and
  // the fastest one counts. Names, then null; null itself for a peer with one way.
  const char* const* forms;

  // Once, on all processes: makes a communicator of the processes of one colour, in the order of
  // their ranks. The launcher tells a library how its processes meet.
  bool (*start)(const PeerJob* job);
  // Once, on all processes, before the first call; null: this peer does not ask where buffers lie.
  bool (*see)(const PeerBuffers* buffers);
  const char* (*product)();  // name and version of the library, after start
  // Has the peer this collective, this type, and this operator of it, if it is a reduction?
  bool (*supports)(weft_collective_t kind, weft_datatype_t type, weft_op_t op);
  // Is the form worth a turn for a message of this size? null: every form.
  bool (*fits)(weft_collective_t kind, int form, std::size_t bytes);
  bool (*call)(const PeerCall* call);  // returns when the result is there
  void (*finish)();                    // on all processes, after their last call
  const char* (*error)();
};

constexpr unsigned peer_version = 3;
constexpr const char* peer_symbol = "weft_perf_peer";  // a function without arguments: const Peer*

}  // namespace weft::perf
