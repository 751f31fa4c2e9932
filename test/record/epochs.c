// SPDX-License-Identifier: BSD-3-Clause
//
// epochs CASE   what two ranks wait for in one-sided communication; kRounds times kLate
// milliseconds.
//
//   late_post      rank 0 has put something before rank 1 posts its window
//   late_complete  rank 1 waits for the end of its epoch while rank 0 is still busy
//   late_test      the same, asked by MPI_Win_test
//   lock           rank 0 holds the lock of its window while rank 1 wants it
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

enum { kRounds = 5, kLate = 20 };

static int rank;
static double *memory, value = 1;
static MPI_Win window;

static void pause_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static void put(int target) { MPI_Put(&value, 1, MPI_DOUBLE, target, 0, 1, MPI_DOUBLE, window); }

static void group_round(const char* what, MPI_Group other) {
  if (rank == 0) {
    MPI_Win_start(other, 0, window);
    put(1);
    if (strcmp(what, "late_post") != 0) pause_ms(kLate);
    MPI_Win_complete(window);
    return;
  }
  if (strcmp(what, "late_post") == 0) pause_ms(kLate);
  MPI_Win_post(other, 0, window);
  int done = strcmp(what, "late_test") != 0;
  if (done) MPI_Win_wait(window);
  while (!done) MPI_Win_test(window, &done);
}

static void lock_round(void) {
  if (rank == 1) pause_ms(1);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  put(0);
  if (rank == 0) {
    MPI_Win_flush(0, window);
    pause_ms(kLate + 1);
  }
  MPI_Win_unlock(0, window);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Group world, other;
  const int peer = 1 - rank;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(argv[1], "lock") == 0) {
      lock_round();
      continue;
    }
    // A group of its own each time, as programs make them.
    MPI_Group_incl(world, 1, &peer, &other);
    group_round(argv[1], other);
    MPI_Group_free(&other);
  }
  MPI_Group_free(&world);
  MPI_Win_free(&window);
  if (rank == 0) puts("done");
  MPI_Finalize();
  return 0;
}
