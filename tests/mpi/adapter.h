/* The cases of the MPI adapter, as a header so that they are compiled as C99 and as C++.
 *
 * Each is a function of the ranks of MPI_COMM_WORLD that says what went wrong, or NULL. */
#ifndef WEFT_TESTS_MPI_ADAPTER_H
#define WEFT_TESTS_MPI_ADAPTER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft_mpi.h>

#define WEFT_EXPECT(condition) \
  if (!(condition)) return #condition

/* The sum over the communicator of (rank + 1) is that of 1 .. ranks, and ranks are those of MPI. */
static const char* sums(weft_comm_t comm, MPI_Comm mpi) {
  int rank = -1, ranks = -1, mpi_rank = -2, mpi_ranks = -2;
  int32_t value;
  MPI_Comm_rank(mpi, &mpi_rank);
  MPI_Comm_size(mpi, &mpi_ranks);
  WEFT_EXPECT(weft_comm_rank(comm, &rank) == weft_ok && rank == mpi_rank);
  WEFT_EXPECT(weft_comm_size(comm, &ranks) == weft_ok && ranks == mpi_ranks);
  value = rank + 1;
  WEFT_EXPECT(weft_all_reduce(&value, &value, 1, weft_int32, weft_sum, comm, NULL) == weft_ok);
  WEFT_EXPECT(value == ranks * (ranks + 1) / 2);
  return NULL;
}

static const char* the_world(void) {
  weft_comm_t comm = NULL;
  const char* wrong;
  WEFT_EXPECT(weft_comm_create_from_mpi(&comm, MPI_COMM_WORLD, NULL) == weft_ok);
  wrong = sums(comm, MPI_COMM_WORLD);
  WEFT_EXPECT(weft_comm_destroy(comm) == weft_ok);
  return wrong;
}

/* Two halves at once, in reverse order of rank; the MPI communicator is freed before the use. */
static const char* halves(void) {
  weft_comm_t comm = NULL;
  MPI_Comm half, kept;
  int rank = 0;
  const char* wrong;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_dup(half, &kept);
  WEFT_EXPECT(weft_comm_create_from_mpi(&comm, half, NULL) == weft_ok);
  MPI_Comm_free(&half);
  wrong = sums(comm, kept);
  MPI_Comm_free(&kept);
  WEFT_EXPECT(weft_comm_destroy(comm) == weft_ok);
  return wrong;
}

/* Rank 0 cannot make an id: an error on every rank, and the world still works afterwards. */
static const char* rank_0_cannot(void) {
  weft_comm_t comm = NULL;
  weft_result_t result;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) setenv("WEFT_PORT_RANGE", "no port", 1);
  result = weft_comm_create_from_mpi(&comm, MPI_COMM_WORLD, NULL);
  if (rank == 0) unsetenv("WEFT_PORT_RANGE");
  WEFT_EXPECT(result == weft_invalid_argument);
  WEFT_EXPECT(comm == NULL);
  WEFT_EXPECT(rank != 0 || strstr(weft_last_error(), "WEFT_PORT_RANGE=no port") != NULL);
  return the_world();
}

static const char* one_rank_gives_no_place(void) {
  weft_comm_t comm = NULL;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  WEFT_EXPECT(weft_comm_create_from_mpi(rank == 1 ? NULL : &comm, MPI_COMM_WORLD, NULL) ==
              weft_invalid_argument);
  WEFT_EXPECT(comm == NULL);
  return the_world();
}

static const char* an_intercommunicator(void) {
  weft_comm_t comm = NULL;
  MPI_Comm half, inter;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
  WEFT_EXPECT(weft_comm_create_from_mpi(&comm, inter, NULL) == weft_invalid_argument);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
  return NULL;
}

/* Prints the first failure of this rank; the program's exit status. */
static int run_all(int argc, char** argv) {
  const struct {
    const char* name;
    const char* (*run)(void);
  } cases[] = {{"the_world", the_world},
               {"halves", halves},
               {"rank_0_cannot", rank_0_cannot},
               {"one_rank_gives_no_place", one_rank_gives_no_place},
               {"an_intercommunicator", an_intercommunicator}};
  int rank = 0, ranks = 0, failed = 0;
  size_t i;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) {
    fprintf(stderr, "%d ranks: is this the mpirun of another MPI?\n", ranks);
    return 1;
  }
  for (i = 0; i < sizeof cases / sizeof cases[0] && !failed; ++i) {
    const char* wrong = cases[i].run();
    failed = wrong != NULL;
    if (wrong) fprintf(stderr, "rank %d: %s: not so: %s\n", rank, cases[i].name, wrong);
  }
  if (failed) MPI_Abort(MPI_COMM_WORLD, 1); /* the others may wait */
  MPI_Finalize();
  if (rank == 0) printf("%d cases passed on %d ranks\n", (int)i, ranks);
  return 0;
}

#endif
