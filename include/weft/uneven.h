/**
 * @file uneven.h
 * @brief Collectives on blocks of any size, part of weft.h.
 */
#ifndef WEFT_UNEVEN_H
#define WEFT_UNEVEN_H

#include "weft.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup uneven Uneven collectives
 * Blocks of any size, 0 too, at any place: counts and displacements are in elements, one a rank. An
 * array of displacements may be NULL: blocks then follow one another. Arrays are copied by the
 * call: also the `_start` and `_init` forms have done with them when they return. What is received
 * may not overlap; gaps are left as they are. Both sides of a message give the same count: one that
 * finds another ends in an error on all ranks.
 *
 * The three forms are those of weft_all_reduce. Counts that were given lately have a plan; new ones
 * cost one, in time that grows with the number of ranks.
 * @{ */

/** recvbuff of rank `root`: recvcounts[r] elements of rank r from rdispls[r] on, which are its
 * sendbuff[sendcount]. recvbuff, recvcounts and rdispls are looked at at the root only. In place
 * there: sendbuff == recvbuff + rdispls[root] elements. */
WEFT_API weft_result_t weft_gatherv(const void* sendbuff, size_t sendcount, void* recvbuff,
                                    const size_t* recvcounts, const size_t* rdispls,
                                    weft_datatype_t type, int root, weft_comm_t comm,
                                    weft_stream_t stream);
/** As weft_gatherv, with a request. */
WEFT_API weft_result_t weft_gatherv_start(const void* sendbuff, size_t sendcount, void* recvbuff,
                                          const size_t* recvcounts, const size_t* rdispls,
                                          weft_datatype_t type, int root, weft_comm_t comm,
                                          weft_stream_t stream, weft_request_t* request);
/** As weft_gatherv, planned. */
WEFT_API weft_result_t weft_gatherv_init(const void* sendbuff, size_t sendcount, void* recvbuff,
                                         const size_t* recvcounts, const size_t* rdispls,
                                         weft_datatype_t type, int root, weft_comm_t comm,
                                         weft_stream_t stream, weft_operation_t* operation);

/**@{*/
/** recvbuff[recvcount] of rank r = sendcounts[r] elements of sendbuff of rank `root` from
 * sdispls[r] on. sendbuff, sendcounts and sdispls are looked at at the root only. In place there:
 * recvbuff == sendbuff + sdispls[root] elements. */
WEFT_API weft_result_t weft_scatterv(const void* sendbuff, const size_t* sendcounts,
                                     const size_t* sdispls, void* recvbuff, size_t recvcount,
                                     weft_datatype_t type, int root, weft_comm_t comm,
                                     weft_stream_t stream);
WEFT_API weft_result_t weft_scatterv_start(const void* sendbuff, const size_t* sendcounts,
                                           const size_t* sdispls, void* recvbuff, size_t recvcount,
                                           weft_datatype_t type, int root, weft_comm_t comm,
                                           weft_stream_t stream, weft_request_t* request);
WEFT_API weft_result_t weft_scatterv_init(const void* sendbuff, const size_t* sendcounts,
                                          const size_t* sdispls, void* recvbuff, size_t recvcount,
                                          weft_datatype_t type, int root, weft_comm_t comm,
                                          weft_stream_t stream, weft_operation_t* operation);
/**@}*/

/**@{*/
/** recvbuff: recvcounts[r] elements of rank r from rdispls[r] on, which are its sendbuff. All ranks
 * give the same recvcounts. In place: sendbuff == recvbuff + rdispls[rank] elements. */
WEFT_API weft_result_t weft_all_gatherv(const void* sendbuff, void* recvbuff,
                                        const size_t* recvcounts, const size_t* rdispls,
                                        weft_datatype_t type, weft_comm_t comm,
                                        weft_stream_t stream);
WEFT_API weft_result_t weft_all_gatherv_start(const void* sendbuff, void* recvbuff,
                                              const size_t* recvcounts, const size_t* rdispls,
                                              weft_datatype_t type, weft_comm_t comm,
                                              weft_stream_t stream, weft_request_t* request);
WEFT_API weft_result_t weft_all_gatherv_init(const void* sendbuff, void* recvbuff,
                                             const size_t* recvcounts, const size_t* rdispls,
                                             weft_datatype_t type, weft_comm_t comm,
                                             weft_stream_t stream, weft_operation_t* operation);
/**@}*/

/**@{*/
/** recvbuff[recvcounts[rank]] = op over ranks of the elements of sendbuff from displs[rank] on. All
 * ranks give the same recvcounts. In place: recvbuff == sendbuff + displs[rank] elements; other
 * blocks of sendbuff are then left as they are. */
WEFT_API weft_result_t weft_reduce_scatterv(const void* sendbuff, void* recvbuff,
                                            const size_t* recvcounts, const size_t* displs,
                                            weft_datatype_t type, weft_op_t op, weft_comm_t comm,
                                            weft_stream_t stream);
WEFT_API weft_result_t weft_reduce_scatterv_start(const void* sendbuff, void* recvbuff,
                                                  const size_t* recvcounts, const size_t* displs,
                                                  weft_datatype_t type, weft_op_t op,
                                                  weft_comm_t comm, weft_stream_t stream,
                                                  weft_request_t* request);
WEFT_API weft_result_t weft_reduce_scatterv_init(const void* sendbuff, void* recvbuff,
                                                 const size_t* recvcounts, const size_t* displs,
                                                 weft_datatype_t type, weft_op_t op,
                                                 weft_comm_t comm, weft_stream_t stream,
                                                 weft_operation_t* operation);
/**@}*/

/**@{*/
/** To rank r go sendcounts[r] elements of sendbuff from sdispls[r] on; from it come recvcounts[r]
 * elements of recvbuff from rdispls[r] on. In place: sendbuff == recvbuff; this costs a copy. */
WEFT_API weft_result_t weft_all_to_allv(const void* sendbuff, const size_t* sendcounts,
                                        const size_t* sdispls, void* recvbuff,
                                        const size_t* recvcounts, const size_t* rdispls,
                                        weft_datatype_t type, weft_comm_t comm,
                                        weft_stream_t stream);
WEFT_API weft_result_t weft_all_to_allv_start(const void* sendbuff, const size_t* sendcounts,
                                              const size_t* sdispls, void* recvbuff,
                                              const size_t* recvcounts, const size_t* rdispls,
                                              weft_datatype_t type, weft_comm_t comm,
                                              weft_stream_t stream, weft_request_t* request);
WEFT_API weft_result_t weft_all_to_allv_init(const void* sendbuff, const size_t* sendcounts,
                                             const size_t* sdispls, void* recvbuff,
                                             const size_t* recvcounts, const size_t* rdispls,
                                             weft_datatype_t type, weft_comm_t comm,
                                             weft_stream_t stream, weft_operation_t* operation);
/**@}*/

/**@{*/
/** As weft_all_to_allv with all that is sent known to all: from rank f to rank t go
 * counts[f * ranks + t] elements, without gaps in both buffers. So calls that differ are found
 * before anything has moved. */
WEFT_API weft_result_t weft_all_to_allvc(const void* sendbuff, void* recvbuff, const size_t* counts,
                                         weft_datatype_t type, weft_comm_t comm,
                                         weft_stream_t stream);
WEFT_API weft_result_t weft_all_to_allvc_start(const void* sendbuff, void* recvbuff,
                                               const size_t* counts, weft_datatype_t type,
                                               weft_comm_t comm, weft_stream_t stream,
                                               weft_request_t* request);
WEFT_API weft_result_t weft_all_to_allvc_init(const void* sendbuff, void* recvbuff,
                                              const size_t* counts, weft_datatype_t type,
                                              weft_comm_t comm, weft_stream_t stream,
                                              weft_operation_t* operation);
/**@}*/

/** @} */

#ifdef __cplusplus
}
#endif

#endif
