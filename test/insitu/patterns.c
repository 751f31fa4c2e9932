// SPDX-License-Identifier: BSD-3-Clause
//
// patterns KIND   Three time steps of communication as solvers do it, each rank with other figures.
//
//   onesided     a multigrid cycle: on each of four levels, the coarser the less, a rank puts its
//                edge into the rank after it and gets that of the rank before it
//   persistent   sweeps of a multi-partition scheme: persistent requests to the ranks one, two and
//                three further on, started one by one forwards and all at once backwards
//   neighbours   a process graph, on which each rank sends (its rank + 1) * 8 bytes to the next one
//                and twice as much to the one behind that; then a row of ranks with open ends, on
//                which all send 24 bytes to both sides, once blocking and once not
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>
#include <pathline/pathline.h>

enum { kSteps = 3, kLevels = 4, kEdge = 64, kSweeps = 3, kMost = 4096 };

static int rank, size;
static double values[kMost], halo[kMost];

static void onesided(void) {
  MPI_Win window;
  MPI_Win_create(values, sizeof values, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  const int after = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int step = 1; step <= kSteps; ++step) {
    pathline_step(step, step);
    for (int level = 0; level < kLevels; ++level) {
      const int count = kEdge >> level;
      MPI_Win_fence(0, window);
      MPI_Put(halo, count, MPI_DOUBLE, after, 0, count, MPI_DOUBLE, window);
      MPI_Win_fence(0, window);
      MPI_Get(halo, count, MPI_DOUBLE, before, kEdge, count, MPI_DOUBLE, window);
      MPI_Win_fence(0, window);
    }
  }
  MPI_Win_free(&window);
}

static void persistent(void) {
  MPI_Request requests[4 * kSweeps];
  MPI_Request* const back = requests + 2 * kSweeps;
  for (int i = 0; i < kSweeps; ++i) {
    const int to = (rank + i + 1) % size, from = (rank + size - i - 1) % size;
    const int count = 10 * (i + 1);
    MPI_Recv_init(halo + 100 * i, count, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &requests[2 * i]);
    MPI_Send_init(values, count, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, &requests[2 * i + 1]);
    MPI_Recv_init(halo + 100 * (i + kSweeps), count, MPI_INT, to, 1, MPI_COMM_WORLD, &back[2 * i]);
    MPI_Send_init(values, count, MPI_INT, from, 1, MPI_COMM_WORLD, &back[2 * i + 1]);
  }
  for (int step = 1; step <= kSteps; ++step) {
    pathline_step(step, step);
    for (int i = 0; i < 2 * kSweeps; ++i) MPI_Start(&requests[i]);
    MPI_Waitall(2 * kSweeps, requests, MPI_STATUSES_IGNORE);
    MPI_Startall(2 * kSweeps, back);
    MPI_Waitall(2 * kSweeps, back, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 4 * kSweeps; ++i) MPI_Request_free(&requests[i]);
}

static void neighbours(void) {
  const int before[] = {(rank + size - 1) % size, (rank + size - 2) % size};
  const int after[] = {(rank + 1) % size, (rank + 2) % size};
  MPI_Comm graph, row;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, before, MPI_UNWEIGHTED, 2, after,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  const int open_ends = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open_ends, 0, &row);
  const int sent[] = {rank + 1, 2 * (rank + 1)}, sent_at[] = {0, rank + 1};
  const int got[] = {before[0] + 1, 2 * (before[1] + 1)}, got_at[] = {0, before[0] + 1};
  for (int step = 1; step <= kSteps; ++step) {
    pathline_step(step, step);
    MPI_Neighbor_alltoallv(values, sent, sent_at, MPI_DOUBLE, halo, got, got_at, MPI_DOUBLE, graph);
    MPI_Neighbor_allgather(values, 3, MPI_DOUBLE, halo, 3, MPI_DOUBLE, row);
    MPI_Request request;
    MPI_Ineighbor_alltoall(values, 3, MPI_DOUBLE, halo, 3, MPI_DOUBLE, row, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&graph);
  MPI_Comm_free(&row);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* kind = argc > 1 ? argv[1] : "";
  if (strcmp(kind, "onesided") == 0) onesided();
  if (strcmp(kind, "persistent") == 0) persistent();
  if (strcmp(kind, "neighbours") == 0) neighbours();
  if (rank == 0) puts("done");
  MPI_Finalize();
  return 0;
}
