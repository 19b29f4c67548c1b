/**
 * @file collectives.h
 * @brief Collectives on blocks of one size, part of weft.h.
 */
#ifndef WEFT_COLLECTIVES_H
#define WEFT_COLLECTIVES_H

#include "weft.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup collectives Collectives
 * Each has three forms.
 *
 * - The blocking form returns when recvbuff holds the result and sendbuff may be reused. Inside a
 *   group it returns at once and weft_group_end completes it.
 * - `_start` returns at once with a request; buffers belong to the library until weft_test or
 *   weft_wait has returned something else than weft_in_progress. Operations of one communicator
 *   start in call order and may be in flight together, at most WEFT_MAX_IN_FLIGHT of them: one more
 *   is refused with weft_invalid_argument.
 * - `_init` plans the call and gives an operation for weft_operation_start. It copies its
 *   arguments, not the buffers.
 *
 * Buffers may have any alignment. count may be 0 (buffers may then be NULL). In place: as each
 * says; any other overlap of sendbuff and recvbuff is refused with weft_invalid_argument.
 * @{ */

/** recvbuff[count] = op over ranks of sendbuff[count]. In place: sendbuff == recvbuff. */
WEFT_API weft_result_t weft_all_reduce(const void* sendbuff, void* recvbuff, size_t count,
                                       weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                       weft_stream_t stream);
/** As weft_all_reduce, with a request. */
WEFT_API weft_result_t weft_all_reduce_start(const void* sendbuff, void* recvbuff, size_t count,
                                             weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                             weft_stream_t stream, weft_request_t* request);
/** As weft_all_reduce, planned. */
WEFT_API weft_result_t weft_all_reduce_init(const void* sendbuff, void* recvbuff, size_t count,
                                            weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                            weft_stream_t stream, weft_operation_t* operation);

/**@{*/
/** recvbuff[recvcount] = block `rank` of op over ranks of sendbuff[ranks * recvcount].
 * In place: recvbuff == sendbuff + rank * recvcount elements; other blocks of sendbuff are then
 * left as they are. */
WEFT_API weft_result_t weft_reduce_scatter(const void* sendbuff, void* recvbuff, size_t recvcount,
                                           weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                           weft_stream_t stream);
WEFT_API weft_result_t weft_reduce_scatter_start(const void* sendbuff, void* recvbuff,
                                                 size_t recvcount, weft_datatype_t type,
                                                 weft_op_t op, weft_comm_t comm,
                                                 weft_stream_t stream, weft_request_t* request);
WEFT_API weft_result_t weft_reduce_scatter_init(const void* sendbuff, void* recvbuff,
                                                size_t recvcount, weft_datatype_t type,
                                                weft_op_t op, weft_comm_t comm,
                                                weft_stream_t stream, weft_operation_t* operation);
/**@}*/

/**@{*/
/** recvbuff[ranks * sendcount] = the blocks sendbuff[sendcount] of all ranks, in order of rank.
 * In place: sendbuff == recvbuff + rank * sendcount elements. */
WEFT_API weft_result_t weft_all_gather(const void* sendbuff, void* recvbuff, size_t sendcount,
                                       weft_datatype_t type, weft_comm_t comm,
                                       weft_stream_t stream);
WEFT_API weft_result_t weft_all_gather_start(const void* sendbuff, void* recvbuff, size_t sendcount,
                                             weft_datatype_t type, weft_comm_t comm,
                                             weft_stream_t stream, weft_request_t* request);
WEFT_API weft_result_t weft_all_gather_init(const void* sendbuff, void* recvbuff, size_t sendcount,
                                            weft_datatype_t type, weft_comm_t comm,
                                            weft_stream_t stream, weft_operation_t* operation);
/**@}*/

/**@{*/
/** recvbuff[count] = sendbuff[count] of rank `root`. sendbuff is read at the root only; in place
 * there: sendbuff == recvbuff. */
WEFT_API weft_result_t weft_broadcast(const void* sendbuff, void* recvbuff, size_t count,
                                      weft_datatype_t type, int root, weft_comm_t comm,
                                      weft_stream_t stream);
WEFT_API weft_result_t weft_broadcast_start(const void* sendbuff, void* recvbuff, size_t count,
                                            weft_datatype_t type, int root, weft_comm_t comm,
                                            weft_stream_t stream, weft_request_t* request);
WEFT_API weft_result_t weft_broadcast_init(const void* sendbuff, void* recvbuff, size_t count,
                                           weft_datatype_t type, int root, weft_comm_t comm,
                                           weft_stream_t stream, weft_operation_t* operation);
/**@}*/

/**@{*/
/** No rank leaves before all have come. */
WEFT_API weft_result_t weft_barrier(weft_comm_t comm, weft_stream_t stream);
WEFT_API weft_result_t weft_barrier_start(weft_comm_t comm, weft_stream_t stream,
                                          weft_request_t* request);
WEFT_API weft_result_t weft_barrier_init(weft_comm_t comm, weft_stream_t stream,
                                         weft_operation_t* operation);
/**@}*/

/**@{*/
/** recvbuff[count] of rank `root` = op over ranks of sendbuff[count]; recvbuff of the others is not
 * looked at. In place at the root: sendbuff == recvbuff. */
WEFT_API weft_result_t weft_reduce(const void* sendbuff, void* recvbuff, size_t count,
                                   weft_datatype_t type, weft_op_t op, int root, weft_comm_t comm,
                                   weft_stream_t stream);
WEFT_API weft_result_t weft_reduce_start(const void* sendbuff, void* recvbuff, size_t count,
                                         weft_datatype_t type, weft_op_t op, int root,
                                         weft_comm_t comm, weft_stream_t stream,
                                         weft_request_t* request);
WEFT_API weft_result_t weft_reduce_init(const void* sendbuff, void* recvbuff, size_t count,
                                        weft_datatype_t type, weft_op_t op, int root,
                                        weft_comm_t comm, weft_stream_t stream,
                                        weft_operation_t* operation);
/**@}*/

/**@{*/
/** recvbuff[ranks * sendcount] of rank `root` = the blocks sendbuff[sendcount] of all ranks, in
 * order of rank; recvbuff of the others is not looked at. In place at the root: sendbuff ==
 * recvbuff + root * sendcount elements. */
WEFT_API weft_result_t weft_gather(const void* sendbuff, void* recvbuff, size_t sendcount,
                                   weft_datatype_t type, int root, weft_comm_t comm,
                                   weft_stream_t stream);
WEFT_API weft_result_t weft_gather_start(const void* sendbuff, void* recvbuff, size_t sendcount,
                                         weft_datatype_t type, int root, weft_comm_t comm,
                                         weft_stream_t stream, weft_request_t* request);
WEFT_API weft_result_t weft_gather_init(const void* sendbuff, void* recvbuff, size_t sendcount,
                                        weft_datatype_t type, int root, weft_comm_t comm,
                                        weft_stream_t stream, weft_operation_t* operation);
/**@}*/

/**@{*/
/** recvbuff[recvcount] = block `rank` of sendbuff[ranks * recvcount] of rank `root`; sendbuff of
 * the others is not looked at. In place at the root: recvbuff == sendbuff + root * recvcount
 * elements. */
WEFT_API weft_result_t weft_scatter(const void* sendbuff, void* recvbuff, size_t recvcount,
                                    weft_datatype_t type, int root, weft_comm_t comm,
                                    weft_stream_t stream);
WEFT_API weft_result_t weft_scatter_start(const void* sendbuff, void* recvbuff, size_t recvcount,
                                          weft_datatype_t type, int root, weft_comm_t comm,
                                          weft_stream_t stream, weft_request_t* request);
WEFT_API weft_result_t weft_scatter_init(const void* sendbuff, void* recvbuff, size_t recvcount,
                                         weft_datatype_t type, int root, weft_comm_t comm,
                                         weft_stream_t stream, weft_operation_t* operation);
/**@}*/

/**@{*/
/** Block r of recvbuff = block `rank` of sendbuff of rank r; both hold ranks * count elements. In
 * place: sendbuff == recvbuff; this costs a copy of the buffer. */
WEFT_API weft_result_t weft_all_to_all(const void* sendbuff, void* recvbuff, size_t count,
                                       weft_datatype_t type, weft_comm_t comm,
                                       weft_stream_t stream);
WEFT_API weft_result_t weft_all_to_all_start(const void* sendbuff, void* recvbuff, size_t count,
                                             weft_datatype_t type, weft_comm_t comm,
                                             weft_stream_t stream, weft_request_t* request);
WEFT_API weft_result_t weft_all_to_all_init(const void* sendbuff, void* recvbuff, size_t count,
                                            weft_datatype_t type, weft_comm_t comm,
                                            weft_stream_t stream, weft_operation_t* operation);
/**@}*/

/**@{*/
/** recvbuff[count] = op over ranks 0 to `rank` of sendbuff[count]. In place: sendbuff == recvbuff.
 * weft_avg means nothing here. */
WEFT_API weft_result_t weft_scan(const void* sendbuff, void* recvbuff, size_t count,
                                 weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                 weft_stream_t stream);
WEFT_API weft_result_t weft_scan_start(const void* sendbuff, void* recvbuff, size_t count,
                                       weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                       weft_stream_t stream, weft_request_t* request);
WEFT_API weft_result_t weft_scan_init(const void* sendbuff, void* recvbuff, size_t count,
                                      weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                      weft_stream_t stream, weft_operation_t* operation);
/**@}*/

/**@{*/
/** recvbuff[count] = op over ranks 0 to `rank` - 1 of sendbuff[count]; recvbuff of rank 0 is not
 * looked at. In place: sendbuff == recvbuff. weft_avg means nothing here. */
WEFT_API weft_result_t weft_exscan(const void* sendbuff, void* recvbuff, size_t count,
                                   weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                   weft_stream_t stream);
WEFT_API weft_result_t weft_exscan_start(const void* sendbuff, void* recvbuff, size_t count,
                                         weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                         weft_stream_t stream, weft_request_t* request);
WEFT_API weft_result_t weft_exscan_init(const void* sendbuff, void* recvbuff, size_t count,
                                        weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                        weft_stream_t stream, weft_operation_t* operation);
/**@}*/

/** @} */

#ifdef __cplusplus
}
#endif

#endif
