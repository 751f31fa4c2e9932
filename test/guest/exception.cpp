// SPDX-License-Identifier: BSD-3-Clause
//
// An error handler leaves MPI by an exception, on one rank.
#include <cstdio>

#include <mpi.h>

static void throw_it(MPI_Comm*, int* error, ...) { throw *error; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(throw_it, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  if (rank == 0) {
    try {
      MPI_Send(&rank, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
    } catch (int) {
      std::printf("caught\n");
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
