// SPDX-License-Identifier: BSD-3-Clause
//
// busy FACTOR   two ranks that work for real, each on a core of its own, in the order of those that
// the program may run on: rank 1 FACTOR times as much.
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include <mpi.h>

#include "pathline/pathline.h"

enum { kSteps = 20, kWorkMs = 10 };

static double value = 1;

/// Without the core it takes longer.
static void work(double ms) {
  struct timespec begin, now;
  pathline_region_begin("work");
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    for (int i = 0; i < 2000; ++i) value = value * 1.0000001 + 1e-9;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1e3 + (now.tv_nsec - begin.tv_nsec) * 1e-6 < ms);
  pathline_region_end("work");
}

static void take_core(int rank) {
  cpu_set_t allowed, one;
  sched_getaffinity(0, sizeof allowed, &allowed);
  int core = 0;
  for (int left = rank % CPU_COUNT(&allowed); left > 0 || !CPU_ISSET(core, &allowed); ++core) {
    if (CPU_ISSET(core, &allowed)) --left;
  }
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

int main(int argc, char** argv) {
  int rank;
  double sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  take_core(rank);
  const double ms = kWorkMs * (rank == 1 ? atof(argv[1]) : 1);
  for (int step = 0; step < kSteps; ++step) {
    pathline_step(step, step);
    work(ms);
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
