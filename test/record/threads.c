// SPDX-License-Identifier: BSD-3-Clause
//
// threads ROUNDS   every rank talks to the next one with eight threads at once (needs
// MPI_THREAD_MULTIPLE): blocking and nonblocking, on a communicator of their own and on a common
// one, while regions open and close and further threads come and go. Rank 0 prints how many
// messages there were in all.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include "pathline/pathline.h"

enum { kThreads = 8 };

static int rank, size, rounds;
static MPI_Comm comms[kThreads];

static void* visitor(void* argument) {
  pathline_region_begin("visitor");
  pathline_region_end("visitor");
  return argument;
}

static void* talk(void* argument) {
  const int thread = *(const int*)argument;
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int i = 0; i < rounds; ++i) {
    pathline_region_begin("round");
    int in[2] = {-1, -1};
    const int out = thread * 100000 + i;
    MPI_Request requests[4];
    MPI_Irecv(&in[0], 1, MPI_INT, previous, i % 7, comms[thread], &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, previous, 10 + thread, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&out, 1, MPI_INT, next, i % 7, comms[thread], &requests[2]);
    MPI_Isend(&out, 1, MPI_INT, next, 10 + thread, MPI_COMM_WORLD, &requests[3]);
    if (i % 3 == 0) {
      int done = 0;
      while (!done) MPI_Testall(4, requests, &done, MPI_STATUSES_IGNORE);
    } else {
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    if (in[0] != out || in[1] != out) MPI_Abort(MPI_COMM_WORLD, 9);
    int back = -1;
    MPI_Sendrecv(&out, 1, MPI_INT, next, 50 + thread, &back, 1, MPI_INT, previous, 50 + thread,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (back != out) MPI_Abort(MPI_COMM_WORLD, 9);
    if (i % 16 == 0) {
      pthread_t guest;
      pthread_create(&guest, NULL, visitor, NULL);
      pthread_join(guest, NULL);
    }
    pathline_region_end("round");
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  rounds = argc > 1 ? atoi(argv[1]) : 100;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) puts("no MPI_THREAD_MULTIPLE");
    MPI_Finalize();
    return 0;
  }
  pthread_t threads[kThreads];
  int numbers[kThreads];
  for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < kThreads; ++i) {
    numbers[i] = i;
    pthread_create(&threads[i], NULL, talk, &numbers[i]);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&comms[i]);
  if (rank == 0) printf("messages = %d\n", 3 * rounds * kThreads * size);
  MPI_Finalize();
  return 0;
}
