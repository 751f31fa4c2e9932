// SPDX-License-Identifier: BSD-3-Clause
//
// sites: calls of MPI from several places, two ranks. run_options finds the lines by their remarks.
#include <mpi.h>

#include "pathline/pathline.h"

static int rank;
static long out, in, sum;

__attribute__((noinline)) static void exchange(void) {
  MPI_Sendrecv(&out, 1, MPI_LONG, 1 - rank, 0, &in, 1, MPI_LONG, 1 - rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);  // in exchange
  __asm__ volatile("" ::: "memory");
}

__attribute__((always_inline)) static inline void check(void) {
  MPI_Barrier(MPI_COMM_WORLD);  // in check
  __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void reduce_twice(void) {
  MPI_Allreduce(&in, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);  // first
  MPI_Allreduce(&sum, &in, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);  // second
  check();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; ++i) {
    exchange();
    reduce_twice();
    pathline_region_begin("inside");
    exchange();
    pathline_region_end("inside");
  }
  MPI_Finalize();
  return 0;
}
