/* Weft's C API.
 *
 * A communicator is one rank's membership in a group of ranks. Every rank of the group makes the
 * same collective calls in the same order; different communicators are independent. Ranks are
 * processes, or threads of one process, or several ranks driven by one thread through group calls.
 *
 * Threads: a communicator is used by one thread at a time; different communicators by any threads
 * at once. Errors: every function returns a weft_result_t; weft_last_error() gives the text of this
 * thread's last failure: what was tried, on which rank, with whom, and what to do. The first error
 * of an operation poisons its communicator: later operations return weft_aborted, and
 * weft_comm_destroy still works. Deadlines: every wait ends, by WEFT_TIMEOUT or the timeout of its
 * call, with weft_timed_out. Counts are in elements; sizes and offsets of buffers in bytes where a
 * name ends in _bytes.
 */
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0
#define WEFT_VERSION (WEFT_VERSION_MAJOR * 10000 + WEFT_VERSION_MINOR * 100 + WEFT_VERSION_PATCH)

typedef enum {
  weft_ok = 0,
  weft_invalid_argument = 1, /* the caller's mistake; nothing was started */
  weft_system_error = 2,     /* the operating system refused */
  weft_remote_error = 3,     /* a peer died, closed its connection or broke the protocol */
  weft_timed_out = 4,        /* a deadline passed */
  weft_mismatch = 5,         /* ranks called different things */
  weft_aborted = 6,          /* an earlier error on this or another rank */
  weft_unsupported = 7,      /* not in this build, or not on this machine */
  weft_in_progress = 8       /* from weft_test: not finished yet */
} weft_result_t;

typedef enum { weft_uint8 = 0, weft_int32 = 1, weft_float32 = 2, weft_float64 = 3 } weft_datatype_t;

typedef enum { weft_sum = 0, weft_min = 1, weft_max = 2 } weft_op_t;

typedef struct weft_comm* weft_comm_t;
typedef struct weft_request* weft_request_t;

/* Plain data that names a job and holds its secret: whoever has it may join. Give it to every rank.
 */
#define WEFT_UNIQUE_ID_BYTES 128
typedef struct {
  char bytes[WEFT_UNIQUE_ID_BYTES];
} weft_unique_id_t;

/* How a communicator is made. Initialise with WEFT_CONFIG_INITIALIZER, then set what differs. */
typedef struct {
  size_t size;          /* sizeof(weft_config_t): lets the struct grow */
  unsigned int version; /* WEFT_VERSION the caller was compiled with */
  const char*
      node; /* NULL: WEFT_NODE or the host's boot id; else a string equal on ranks of a node */
  const char*
      algorithm; /* NULL: WEFT_ALGORITHM or chosen; else a name that `weft algorithms` lists */
  double timeout_seconds; /* 0: WEFT_TIMEOUT */
  int progress_thread;    /* -1: WEFT_PROGRESS; 0: the caller's thread drives; 1: a thread of the
                             library */
} weft_config_t;

#define WEFT_CONFIG_INITIALIZER \
  { sizeof(weft_config_t), WEFT_VERSION, NULL, NULL, 0.0, -1 }

/* ---- about the library ---- */

WEFT_API int weft_version(void); /* WEFT_VERSION of the library that is loaded */
WEFT_API const char* weft_result_name(weft_result_t result);
/* The text of the calling thread's last failure, "" if none. Valid until the thread's next call. */
WEFT_API const char* weft_last_error(void);
WEFT_API size_t weft_datatype_bytes(weft_datatype_t type); /* 0: no such type */

/* ---- communicators ---- */

/* A new id whose rendezvous listens in this process: call it on the process of rank 0, hand the id
 * to all ranks. The listener lives until rank 0 has made its communicator. */
WEFT_API weft_result_t weft_get_unique_id(weft_unique_id_t* id);

/* Text form of an id, for an environment variable; `text` must hold WEFT_UNIQUE_ID_TEXT_BYTES. */
#define WEFT_UNIQUE_ID_TEXT_BYTES 176
WEFT_API weft_result_t weft_unique_id_to_text(const weft_unique_id_t* id, char* text);
WEFT_API weft_result_t weft_unique_id_from_text(weft_unique_id_t* id, const char* text);

/* Joins rank `rank` of `ranks`. Returns once all ranks have joined. config may be NULL.
 * Inside a group it returns at once and the communicator is made by weft_group_end. */
WEFT_API weft_result_t weft_comm_create(weft_comm_t* comm, int ranks, int rank,
                                        const weft_unique_id_t* id, const weft_config_t* config);

/* Joins as the launcher says: PMIx (mpirun, srun), or RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT
 * (torchrun), or RANK, WORLD_SIZE, WEFT_UNIQUE_ID. None of them: one rank. A launcher without a
 * rendezvous is refused. */
WEFT_API weft_result_t weft_comm_create_from_environment(weft_comm_t* comm,
                                                         const weft_config_t* config);

/* Frees it; all ranks call it. NULL is allowed. Outstanding operations must have been waited for.
 * It waits up to 10 s for the other ranks to leave too, so that nothing under way is cut off, and
 * frees in any case. A thread that has several ranks destroys their communicators in one group. */
WEFT_API weft_result_t weft_comm_destroy(weft_comm_t comm);

WEFT_API weft_result_t weft_comm_rank(weft_comm_t comm, int* rank);
WEFT_API weft_result_t weft_comm_size(weft_comm_t comm, int* ranks);
/* The communicator's first error, weft_ok if it is healthy. */
WEFT_API weft_result_t weft_comm_error(weft_comm_t comm);

/* What the communicator knows of itself, as text for reports and headers. Valid while comm lives.
 * node_name: this rank's node; transports: "shm, tcp"; shape: ranks of each node, "2+2". */
typedef struct {
  int node, nodes, local_rank, local_ranks;
  const char* node_name;
  const char* shape;
  const char* transport_in_node; /* "shm", or "loopback" between threads, "none" for one rank */
  const char* transport_between_nodes; /* "tcp", "none" for one node */
} weft_comm_info_t;
WEFT_API weft_result_t weft_comm_info(weft_comm_t comm, weft_comm_info_t* info);

typedef enum {
  weft_collective_all_reduce = 0,
  weft_collective_reduce_scatter = 1,
  weft_collective_all_gather = 2,
  weft_collective_broadcast = 3,
  weft_collective_barrier = 4
} weft_collective_t;

/* Which schedule a call of this size takes, and why, in one line: `text` gets at most text_bytes.
 */
WEFT_API weft_result_t weft_explain(weft_comm_t comm, weft_collective_t collective, size_t count,
                                    weft_datatype_t type, char* text, size_t text_bytes);

/* ---- collectives ----
 * In-place: where said, sendbuff and recvbuff may be the same memory as described; any other
 * overlap is an error that is not detected. Buffers may have any alignment. count may be 0 (buffers
 * may then be NULL). The blocking form returns when recvbuff holds the result and sendbuff may be
 * reused. Inside a group the call returns at once and weft_group_end completes it. */

/* recvbuff[count] = op over ranks of sendbuff[count]. In place: sendbuff == recvbuff. */
WEFT_API weft_result_t weft_all_reduce(const void* sendbuff, void* recvbuff, size_t count,
                                       weft_datatype_t type, weft_op_t op, weft_comm_t comm);
/* recvbuff[recvcount] = block `rank` of op over ranks of sendbuff[ranks * recvcount].
 * In place: recvbuff == sendbuff + rank * recvcount elements. */
WEFT_API weft_result_t weft_reduce_scatter(const void* sendbuff, void* recvbuff, size_t recvcount,
                                           weft_datatype_t type, weft_op_t op, weft_comm_t comm);
/* recvbuff[ranks * sendcount] = the blocks sendbuff[sendcount] of all ranks, in order of rank.
 * In place: sendbuff == recvbuff + rank * sendcount elements. */
WEFT_API weft_result_t weft_all_gather(const void* sendbuff, void* recvbuff, size_t sendcount,
                                       weft_datatype_t type, weft_comm_t comm);
/* recvbuff[count] = sendbuff[count] of rank `root`. sendbuff is read at the root only; in place
 * there: sendbuff == recvbuff. */
WEFT_API weft_result_t weft_broadcast(const void* sendbuff, void* recvbuff, size_t count,
                                      weft_datatype_t type, int root, weft_comm_t comm);
/* No rank leaves before all have come. */
WEFT_API weft_result_t weft_barrier(weft_comm_t comm);

/* The same with a handle: they return at once, buffers belong to the library until weft_test or
 * weft_wait has returned something else than weft_in_progress. Operations of one communicator start
 * in call order and may be in flight together. At most WEFT_MAX_IN_FLIGHT of them may not have been
 * waited for: one more is refused with weft_invalid_argument. */
#define WEFT_MAX_IN_FLIGHT 256
WEFT_API weft_result_t weft_all_reduce_start(const void* sendbuff, void* recvbuff, size_t count,
                                             weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                             weft_request_t* request);
WEFT_API weft_result_t weft_reduce_scatter_start(const void* sendbuff, void* recvbuff,
                                                 size_t recvcount, weft_datatype_t type,
                                                 weft_op_t op, weft_comm_t comm,
                                                 weft_request_t* request);
WEFT_API weft_result_t weft_all_gather_start(const void* sendbuff, void* recvbuff, size_t sendcount,
                                             weft_datatype_t type, weft_comm_t comm,
                                             weft_request_t* request);
WEFT_API weft_result_t weft_broadcast_start(const void* sendbuff, void* recvbuff, size_t count,
                                            weft_datatype_t type, int root, weft_comm_t comm,
                                            weft_request_t* request);
WEFT_API weft_result_t weft_barrier_start(weft_comm_t comm, weft_request_t* request);

/* weft_in_progress, or the operation's result; then the handle is freed and *request becomes NULL.
 * Makes progress where the caller's thread drives. */
WEFT_API weft_result_t weft_test(weft_request_t* request);
/* Waits until the operation ends, at most `timeout_seconds` (0 or less: the communicator's
 * timeout). When that passes first the operation fails with weft_timed_out. Frees the handle as
 * weft_test does. */
WEFT_API weft_result_t weft_wait(weft_request_t* request, double timeout_seconds);

/* ---- groups: one thread drives several ranks ----
 * Between start and end, blocking collectives, weft_comm_create and weft_comm_destroy are recorded;
 * the outermost weft_group_end makes communicators, runs the collectives all at once, lets go of
 * communicators, and returns the first error. A call that fails in between records nothing. Groups
 * nest. They belong to a thread. */
WEFT_API weft_result_t weft_group_start(void);
WEFT_API weft_result_t weft_group_end(void);

#ifdef __cplusplus
}
#endif
#endif /* WEFT_WEFT_H */
