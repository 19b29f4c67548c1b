/* The sum of all ranks' numbers, by the C API alone. Prints it on rank 0. */
#include <stdio.h>
#include <weft/weft.h>

int main(void) {
  weft_comm_t comm = NULL;
  int rank = 0, ranks = 0;
  double value = 0;

  weft_result_t result = weft_comm_create_from_environment(&comm, NULL);
  if (result == weft_ok) result = weft_comm_rank(comm, &rank);
  if (result == weft_ok) result = weft_comm_size(comm, &ranks);
  if (result == weft_ok) {
    value = rank + 1;
    result = weft_all_reduce(&value, &value, 1, weft_float64, weft_sum, comm, NULL);
  }
  if (result != weft_ok) {
    fprintf(stderr, "%s: %s\n", weft_result_name(result), weft_last_error());
    weft_comm_destroy(comm);
    return 1;
  }
  if (rank == 0) printf("sum of %d ranks: %g\n", ranks, value);
  return weft_comm_destroy(comm) == weft_ok ? 0 : 1;
}
