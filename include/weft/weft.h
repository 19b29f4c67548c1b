/**
 * @file weft.h
 * @brief Weft's C API: collectives for training on several nodes.
 *
 * A communicator is one rank's membership in a group of ranks. Every rank of the group makes the
 * same collective calls in the same order; different communicators are independent. Ranks are
 * processes, or threads of one process, or several ranks driven by one thread through group calls.
 *
 * **Threads.** A communicator is used by one thread at a time, except weft_comm_abort and
 * weft_comm_get_async_error, which any thread may call at any time before weft_comm_destroy.
 * Different communicators may be used by any threads at once.
 *
 * **Errors.** Every function returns a weft_result_t; weft_last_error() gives the text of this
 * thread's last failure: what was tried, on which rank, with whom, and what to do. The first error
 * of an operation poisons its communicator: later operations return weft_aborted, and
 * weft_comm_destroy still works. A call that is refused with weft_invalid_argument before it starts
 * poisons nothing.
 *
 * **Deadlines.** Every wait ends, by WEFT_TIMEOUT or the timeout of its call, with weft_timed_out.
 *
 * **Units.** Counts are in elements; sizes and offsets in bytes where a name ends in `_bytes`;
 * times in seconds.
 *
 * **fork().** In a child, every call on a communicator of its parent is refused; the parent is not
 * touched, and the child may end in any way or make communicators of its own.
 *
 * **exit().** A process may end without weft_comm_destroy: it does not hang, and its peers are told
 * as if it had died.
 */
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks what the library exports. */
#if defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif

/**@{*/
/** The version of this header. */
#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 2
#define WEFT_VERSION_PATCH 0
/**@}*/
/** The version as one number that grows: 10000 major + 100 minor + patch. */
#define WEFT_VERSION (WEFT_VERSION_MAJOR * 10000 + WEFT_VERSION_MINOR * 100 + WEFT_VERSION_PATCH)

/** What a call came to. */
typedef enum {
  weft_ok = 0,
  weft_invalid_argument = 1, /**< the caller's mistake; nothing was started */
  weft_system_error = 2,     /**< the operating system refused */
  weft_remote_error = 3,     /**< a peer died, closed its connection or broke the protocol */
  weft_timed_out = 4,        /**< a deadline passed */
  weft_mismatch = 5,         /**< ranks called different things */
  weft_aborted = 6,          /**< an earlier error, or weft_comm_abort, on this or another rank */
  weft_unsupported = 7,      /**< not in this build, or not on this machine */
  weft_in_progress = 8       /**< no error: not finished yet */
} weft_result_t;

/** @defgroup types Types and operators
 * @{ */

/** Types of elements. The first twelve have the numbers of ncclDataType_t. */
typedef enum {
  weft_int8 = 0,
  weft_uint8 = 1,
  weft_int32 = 2,
  weft_uint32 = 3,
  weft_int64 = 4,
  weft_uint64 = 5,
  weft_float16 = 6, /**< IEEE binary16 */
  weft_float32 = 7,
  weft_float64 = 8,
  weft_bfloat16 = 9,
  weft_float8_e4m3 = 10, /**< OCP E4M3: no infinity, largest 448 */
  weft_float8_e5m2 = 11, /**< OCP E5M2: as IEEE, largest 57344 */
  weft_bool = 12,        /**< one byte: 0 is false, anything else true; reductions give 0 or 1 */
  weft_int16 = 13,
  weft_uint16 = 14,
  /* A value and an index, laid out as C lays out struct { value; int32_t index; }: the types of
   * MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_SHORT_INT, MPI_2INT, MPI_LONG_INT. */
  weft_float32_int32 = 15,
  weft_float64_int32 = 16, /**< 16 bytes */
  weft_int16_int32 = 17,   /**< 8 bytes */
  weft_int32_int32 = 18,
  weft_int64_int32 = 19 /**< 16 bytes */
} weft_datatype_t;

/**
 * Reductions. The first five have the numbers of ncclRedOp_t. docs/semantics.md has the rules of
 * overflow, NaN, rounding and order; in short:
 * integers wrap; floats are rounded to nearest even at every node of the tree (narrow ones after an
 * addition in float32); NaN wins in max and min, and -0 < +0; an average divides the sum once, at
 * the end, by the number of ranks, integers towards zero.
 * Numbers take sum, prod, max, min and avg; integers and weft_bool also band to lxor, weft_bool no
 * avg; the pairs take minloc and maxloc alone. weft_reduces() tells.
 */
typedef enum {
  weft_sum = 0,
  weft_prod = 1,
  weft_max = 2,
  weft_min = 3,
  weft_avg = 4,
  weft_band = 5, /**< bitwise and, or, exclusive or */
  weft_bor = 6,
  weft_bxor = 7,
  weft_land = 8, /**< logical, giving 0 or 1 */
  weft_lor = 9,
  weft_lxor = 10,
  weft_minloc = 11, /**< the least value and the lowest index that has it; NaN wins */
  weft_maxloc = 12, /**< the greatest value and the lowest index that has it; NaN wins */
  /** Sum and average whose partial results travel in float32 and are rounded once, at the end: for
   * types narrower than float32, at twice or four times the traffic. */
  weft_sum_wide = 13,
  weft_avg_wide = 14,
  weft_op_values_end = 0x7fffffff /**< not an operator: makes room for those made at run time */
} weft_op_t;

/** Bytes of one element; 0: no such type. */
WEFT_API size_t weft_datatype_bytes(weft_datatype_t type);
/** 1 if this built-in operator means something for this type, else 0. */
WEFT_API int weft_reduces(weft_datatype_t type, weft_op_t op);

/** @} */

typedef struct weft_comm* weft_comm_t;           /**< one rank's membership in a group of ranks */
typedef struct weft_request* weft_request_t;     /**< one call on its way */
typedef struct weft_operation* weft_operation_t; /**< a call planned once, started many times */
typedef struct weft_memory* weft_memory_t;       /**< a registration of memory */

/**
 * A CUDA stream: the same type as cudaStream_t, named without its header. NULL for buffers in host
 * memory, where a call completes as its form says. Streams need a build with CUDA: without it
 * anything but NULL is refused with weft_unsupported.
 */
typedef struct CUstream_st* weft_stream_t;

/** @defgroup library About the library
 * @{ */

/** WEFT_VERSION of the library that is loaded. */
WEFT_API int weft_version(void);
/** "timed out" and the like; a constant. */
WEFT_API const char* weft_result_name(weft_result_t result);
/** The text of the calling thread's last failure, "" if none. Valid until the thread's next call.
 */
WEFT_API const char* weft_last_error(void);

/** @} */

/** @defgroup communicators Communicators
 * @{ */

#define WEFT_UNIQUE_ID_BYTES 128 /**< of a weft_unique_id_t */
/** Plain data that names a job and holds its secret: whoever has it may join. Give it to every
 * rank, and to nobody else. */
typedef struct {
  char bytes[WEFT_UNIQUE_ID_BYTES]; /**< may be copied and sent as they are */
} weft_unique_id_t;

/** How a communicator is made. Initialise with WEFT_CONFIG_INITIALIZER, then set what differs. */
typedef struct {
  size_t size;          /**< sizeof(weft_config_t): lets the struct grow */
  unsigned int version; /**< WEFT_VERSION the caller was compiled with */
  /** NULL: WEFT_NODE or the host's boot id; else a string equal on ranks of a node. */
  const char* node;
  /** NULL: WEFT_ALGORITHM or chosen; else a name that `weft algorithms` lists. */
  const char* algorithm;
  /** 0: WEFT_TIMEOUT. */
  double timeout_seconds;
  /** -1: WEFT_PROGRESS; 0: the caller's thread drives operations; 1: a thread of the library. */
  int progress_thread;
  /** NULL: WEFT_ORDER; else "auto", "canonical", "shape" or "fast". */
  const char* order;
  /** 0: weft_comm_create, _split, _dup and _finalize return weft_in_progress at once, and
   * weft_comm_get_async_error tells when they are done. */
  int blocking;
  int reserved; /**< 0 */
} weft_config_t;

/** All defaults. */
#define WEFT_CONFIG_INITIALIZER \
  { sizeof(weft_config_t), WEFT_VERSION, NULL, NULL, 0.0, -1, NULL, 1, 0 }

/** A new id whose rendezvous listens in this process: call it on the process of rank 0, hand the id
 * to all ranks. The listener lives until rank 0 has made its communicator. */
WEFT_API weft_result_t weft_get_unique_id(weft_unique_id_t* id);

#define WEFT_UNIQUE_ID_TEXT_BYTES 176 /**< of an id's text form, with the final 0 */
/** Text form of an id, for an environment variable; `text` holds WEFT_UNIQUE_ID_TEXT_BYTES. */
WEFT_API weft_result_t weft_unique_id_to_text(const weft_unique_id_t* id, char* text);
/** The id of a text that weft_unique_id_to_text or `weft unique-id` gave. */
WEFT_API weft_result_t weft_unique_id_from_text(weft_unique_id_t* id, const char* text);

/** Joins rank `rank` of `ranks`. Returns once all ranks have joined. config may be NULL.
 * Inside a group it returns at once and the communicator is made by weft_group_end. */
WEFT_API weft_result_t weft_comm_create(weft_comm_t* comm, int ranks, int rank,
                                        const weft_unique_id_t* id, const weft_config_t* config);

/** Joins as the launcher says: PMIx (mpirun, srun), or RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT
 * (torchrun), or RANK, WORLD_SIZE, WEFT_UNIQUE_ID. None of them: one rank. A launcher without a
 * rendezvous is refused. */
WEFT_API weft_result_t weft_comm_create_from_environment(weft_comm_t* comm,
                                                         const weft_config_t* config);

/** A colour of weft_comm_split for ranks that join no new communicator. */
#define WEFT_NO_COLOR (-1)
/**
 * New communicators of the ranks with equal colours, ordered by key, then by rank in `comm`.
 * Collective over `comm`, in order with its other calls; `comm` stays as it is and is independent
 * of the new one. color >= 0, or WEFT_NO_COLOR: *made becomes NULL (with blocking = 0: fit to be
 * destroyed only). config: NULL: as `comm`; its node is always that of `comm`. An error of one rank
 * is an error on all ranks of its colour. With blocking = 0 every call on `comm` is refused until
 * the new communicator is ready or has failed. In a group it is recorded; splits of one
 * communicator happen in the order of their calls.
 */
WEFT_API weft_result_t weft_comm_split(weft_comm_t comm, int color, int key, weft_comm_t* made,
                                       const weft_config_t* config);
/** A communicator of the same ranks in the same order. Collective, as weft_comm_split. */
WEFT_API weft_result_t weft_comm_dup(weft_comm_t comm, weft_comm_t* made,
                                     const weft_config_t* config);

/**
 * After ranks have been lost: a communicator of those that are left, in the order of their ranks.
 * Collective over them, each of which calls it once it has seen the error; `comm`, whatever state
 * it is in, can afterwards only be destroyed, and what is under way on it ends with weft_aborted.
 * All agree on who is left, also when others are lost meanwhile; a rank that was given up (frozen
 * for too long) gets weft_aborted. Waits for the others at most the communicator's timeout. config,
 * blocking = 0 and groups: as weft_comm_split.
 */
WEFT_API weft_result_t weft_comm_shrink(weft_comm_t comm, weft_comm_t* made,
                                        const weft_config_t* config);

/** Ends the use of a communicator: waits until every operation has ended and all ranks have come,
 * at most the communicator's timeout. Collective; recorded in a group. Afterwards only requests
 * that were not waited for, queries, and weft_comm_destroy, which then waits for nobody. */
WEFT_API weft_result_t weft_comm_finalize(weft_comm_t comm);

/** Frees it; all ranks call it. NULL is allowed. Outstanding operations must have been waited for.
 * Without weft_comm_finalize before, it waits up to 10 s for the other ranks to leave too, so that
 * nothing under way is cut off, and frees in any case. One that is still being made is given up, as
 * by weft_comm_abort. A thread that has several ranks destroys their communicators in one group. */
WEFT_API weft_result_t weft_comm_destroy(weft_comm_t comm);

/** Ends all operations of this communicator with weft_aborted, here and on all ranks, and poisons
 * it. Never waits; from any thread. Calls that wait return; weft_comm_destroy is still due. Other
 * ranks hear of it within a second from the library's control thread, also ranks that compute just
 * now or never exchanged anything with this one. One that is still being made is given up. */
WEFT_API weft_result_t weft_comm_abort(weft_comm_t comm);

/** *state: weft_ok, weft_in_progress (being made or finalized), or the first error, whose text
 * weft_last_error then gives. From any thread. Returns weft_ok if it could tell. */
WEFT_API weft_result_t weft_comm_get_async_error(weft_comm_t comm, weft_result_t* state);

/** *rank: this member's number, from 0. */
WEFT_API weft_result_t weft_comm_rank(weft_comm_t comm, int* rank);
/** *ranks: the number of members. */
WEFT_API weft_result_t weft_comm_size(weft_comm_t comm, int* ranks);

/** What the communicator knows of itself, as text for reports and headers. Valid while comm lives.
 */
typedef struct {
  size_t size;                   /**< sizeof(weft_comm_info_t): lets the struct grow */
  int node;                      /**< this rank's node, from 0 in order of first ranks */
  int nodes;                     /**< number of nodes */
  int local_rank;                /**< this rank's number in its node, from 0 */
  int local_ranks;               /**< ranks of this node */
  int rails;                     /**< parts that travel apart between nodes */
  const char* node_name;         /**< of this rank's node */
  const char* shape;             /**< ranks of each node: "2+2" */
  const char* transport_in_node; /**< "shm", "loopback" between threads, "none" for one rank */
  const char* transport_between_nodes; /**< "tcp", "none" for one node */
  const char* order;                   /**< that float sums keep: "canonical", "shape", "fast" */
} weft_comm_info_t;
/** Nothing known yet. */
#define WEFT_COMM_INFO_INITIALIZER \
  { sizeof(weft_comm_info_t), 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL }
/** Fills `info`, whose size was set by WEFT_COMM_INFO_INITIALIZER. */
WEFT_API weft_result_t weft_comm_info(weft_comm_t comm, weft_comm_info_t* info);

/** Collectives, for weft_explain. */
typedef enum {
  weft_collective_all_reduce = 0,
  weft_collective_reduce_scatter = 1,
  weft_collective_all_gather = 2,
  weft_collective_broadcast = 3,
  weft_collective_barrier = 4,
  weft_collective_reduce = 5,
  weft_collective_gather = 6,
  weft_collective_scatter = 7,
  weft_collective_all_to_all = 8,
  weft_collective_scan = 9,
  weft_collective_exscan = 10
} weft_collective_t;

/** Which schedule a call of this size takes, which order it keeps, and why, in one line: `text`
 * gets at most text_bytes. `op` matters to reductions only. */
WEFT_API weft_result_t weft_explain(weft_comm_t comm, weft_collective_t collective, size_t count,
                                    weft_datatype_t type, weft_op_t op, char* text,
                                    size_t text_bytes);

/** @} */

/** @defgroup operators Operators made at run time
 * They belong to one communicator; every rank makes the same ones in the same order.
 * @{ */

/** result[i] = left[i] op right[i] for `count` elements. result is left or right exactly, or
 * apart from both. Called on the thread that drives the communicator; no call into this library. */
typedef void (*weft_op_function_t)(const void* left, const void* right, void* result, size_t count,
                                   weft_datatype_t type, void* context);

/** An associative operator of the user's. If not commutative, operands stand in the order of ranks.
 * Works on elements of any type. `context` is handed through. */
WEFT_API weft_result_t weft_op_create(weft_op_t* op, weft_op_function_t function, void* context,
                                      int commutative, weft_comm_t comm);
/** The sum of every rank's input times that rank's scalar: one element of `type`, a number, read
 * now. The product is rounded to the type before it is added. May differ from rank to rank. */
WEFT_API weft_result_t weft_op_create_premul_sum(weft_op_t* op, const void* scalar,
                                                 weft_datatype_t type, weft_comm_t comm);
/** No operation that uses it may be under way. */
WEFT_API weft_result_t weft_op_destroy(weft_op_t op, weft_comm_t comm);

/** @} */

/** @defgroup memory Memory
 * Any memory may be used in any call. Memory from here can be reached without staging: ranks of the
 * node read it in place where a message is large. Adopted memory is copied as any other unless its
 * file is a memfd whose size is sealed (F_SEAL_SHRINK and F_SEAL_GROW).
 * @{ */

/** Zeroed memory that ranks of the node can map, page-aligned. Free with weft_mem_free. */
WEFT_API weft_result_t weft_mem_alloc(void** memory, size_t bytes);
/** Maps `length` bytes of a shared file (memfd, dma-buf, file in tmpfs) from `offset`, a multiple
 * of the page size. The descriptor is duplicated. Free with weft_mem_free. */
WEFT_API weft_result_t weft_mem_adopt(void** memory, int fd, size_t offset, size_t length);
/** Frees what weft_mem_alloc or weft_mem_adopt gave. NULL is allowed. */
WEFT_API weft_result_t weft_mem_free(void* memory);
/** Tells the communicator's transports of a buffer that will be used often, so that a NIC can read
 * and write it in place. Where no transport gains by it, it does nothing. Local. */
WEFT_API weft_result_t weft_mem_register(weft_comm_t comm, void* memory, size_t bytes,
                                         weft_memory_t* registration);
/** Before the memory is freed and before weft_comm_destroy. */
WEFT_API weft_result_t weft_mem_deregister(weft_comm_t comm, weft_memory_t registration);

/** @} */

/** @defgroup requests Requests and operations
 * @{ */

/** Calls of one communicator that may be on their way at once. */
#define WEFT_MAX_IN_FLIGHT 256

/** weft_in_progress, or the operation's result; then the request is freed and *request becomes
 * NULL. Makes progress where the caller's thread drives. */
WEFT_API weft_result_t weft_test(weft_request_t* request);
/** Waits until the operation ends, at most `timeout_seconds` (0: the communicator's timeout; less
 * is refused, and the request stays). When that passes first the operation fails with
 * weft_timed_out. Frees the request as weft_test does. */
WEFT_API weft_result_t weft_wait(weft_request_t* request, double timeout_seconds);

/** Called once, when the operation has ended, with its result. */
typedef void (*weft_callback_t)(void* argument, weft_result_t result);
/**
 * Has `callback` called when the operation ends: on the library's thread where one drives, else in
 * whatever call of the communicator makes the last bit of progress; at once if it has ended. It may
 * read and write the buffers but not call into this library. The request is freed by weft_test or
 * weft_wait as ever, after the callback has returned. One callback a request.
 */
WEFT_API weft_result_t weft_request_on_completion(weft_request_t request, weft_callback_t callback,
                                                  void* argument);

/** Starts a planned call on the buffers it was planned for, in order with the communicator's other
 * calls. An operation runs once at a time: its last request must have been waited for. */
WEFT_API weft_result_t weft_operation_start(weft_operation_t operation, weft_request_t* request);
/** Frees it; NULL is allowed. It must not be running. Before weft_comm_destroy. */
WEFT_API weft_result_t weft_operation_free(weft_operation_t operation);

/** @} */

/** @defgroup groups Groups
 * One thread drives several ranks: between start and end, blocking collectives, weft_comm_create,
 * weft_comm_create_from_environment, weft_comm_split, weft_comm_dup, weft_comm_finalize and
 * weft_comm_destroy are recorded; the outermost weft_group_end makes communicators, runs the
 * collectives all at once, lets go of communicators, and returns the first error. A call that fails
 * in between records nothing. Groups nest. They belong to a thread.
 * @{ */
/** Begins a group, or one within another. */
WEFT_API weft_result_t weft_group_start(void);
/** Ends a group; the outermost does what was recorded. */
WEFT_API weft_result_t weft_group_end(void);
/** @} */

#ifdef __cplusplus
}
#endif

#include "collectives.h"
#include "uneven.h"

#endif
