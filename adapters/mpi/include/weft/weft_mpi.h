/**
 * @file weft_mpi.h
 * @brief A communicator for a program that has an MPI communicator already.
 *
 * Header only, so that the library needs no MPI and works with any: C99 or C++, compiled with the
 * program's own mpi.h. MPI is used for one agreement and one broadcast while the communicator is
 * made, and never afterwards.
 *
 * Threads: as MPI_THREAD_SERIALIZED allows for `mpi`; nothing is kept between calls.
 */
#ifndef WEFT_WEFT_MPI_H
#define WEFT_WEFT_MPI_H

#include <mpi.h>
#include <string.h>

#include "weft/weft.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What rank 0 tells the others. */
typedef struct {
  int result; /**< a weft_result_t */
  weft_unique_id_t id;
} weft_mpi_invitation_t_;

/** weft_ok if all ranks of `mpi` say so, else the result with the greatest number; on all ranks. */
static inline weft_result_t weft_mpi_agree_(weft_result_t mine, MPI_Comm mpi) {
  int given = (int)mine, worst = (int)mine;
  if (MPI_Allreduce(&given, &worst, 1, MPI_INT, MPI_MAX, mpi) != MPI_SUCCESS)
    return weft_remote_error;
  return (weft_result_t)worst;
}

/**
 * A communicator of the ranks of `mpi`, in their order. Collective over `mpi`, an
 * intracommunicator, which is not kept: it may be freed as soon as this has returned.
 *
 * Rank 0 makes a unique id and broadcasts it, then all ranks call weft_comm_create. If rank 0
 * cannot, or a rank has given no place for the result, all ranks return that error and none waits
 * for another; weft_last_error() has a text only where the error arose. Errors of weft_comm_create
 * are those of weft_comm_create. An error of MPI, where the error handler of `mpi` lets it return
 * at all, is weft_remote_error.
 *
 * @param comm    gets the communicator; NULL after an error. Freed by weft_comm_destroy, which
 * needs no MPI and so may also be called after MPI_Finalize.
 * @param mpi     as the standard's MPI_COMM_WORLD or anything split from it; every rank of it
 * calls.
 * @param config  as for weft_comm_create; NULL: all defaults.
 */
static inline weft_result_t weft_comm_create_from_mpi(weft_comm_t* comm, MPI_Comm mpi,
                                                      const weft_config_t* config) {
  weft_mpi_invitation_t_ invitation;
  weft_result_t result;
  int rank = 0, ranks = 0, is_inter = 0;
  if (comm) *comm = NULL;
  if (MPI_Comm_test_inter(mpi, &is_inter) != MPI_SUCCESS ||
      MPI_Comm_rank(mpi, &rank) != MPI_SUCCESS || MPI_Comm_size(mpi, &ranks) != MPI_SUCCESS)
    return weft_remote_error;
  if (is_inter) return weft_invalid_argument;
  result = weft_mpi_agree_(comm ? weft_ok : weft_invalid_argument, mpi);
  if (result != weft_ok) return result;

  memset(&invitation, 0, sizeof invitation);
  if (rank == 0) invitation.result = (int)weft_get_unique_id(&invitation.id);
  if (MPI_Bcast(&invitation, (int)sizeof invitation, MPI_BYTE, 0, mpi) != MPI_SUCCESS)
    return weft_remote_error;
  if (invitation.result != (int)weft_ok) return (weft_result_t)invitation.result;
  return weft_comm_create(comm, ranks, rank, &invitation.id, config);
}

#ifdef __cplusplus
}
#endif
#endif /* WEFT_WEFT_MPI_H */
