// SPDX-License-Identifier: BSD-3-Clause
//
// A program on a simulated machine that ends as its argument says: without ever having called
// MPI_Init, with a rank that waits for ever, or well.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <mpi.h>

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  std::puts("began");
  if (std::strcmp(how, "nothing") == 0) return 0;
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (std::strcmp(how, "hang") == 0 && rank == 1) std::exit(3);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
