// SPDX-License-Identifier: BSD-3-Clause
//
// loops BLOCKS CALLS NAME...
//
// Times loops over one MPI operation, or one pair of region calls, in BLOCKS blocks of CALLS calls.
// Rank 0 prints a line of JSON for each loop: the 10 % quantile and the median of the blocks in ns
// per call, and the longest block in CPU time of the thread, which no other process disturbs. The
// last line holds the peak memory of the largest rank.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>
#include <pathline/pathline.h>

static int rank, size;
static MPI_Win window;
static long number;

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void send_null(void) { MPI_Send(&number, 1, MPI_LONG, MPI_PROC_NULL, 0, MPI_COMM_WORLD); }

static void iprobe(void) {
  int flag;
  MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void allreduce_self(void) {
  long sum;
  MPI_Allreduce(&number, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_SELF);
}

static void self_message(void) {
  MPI_Request request;
  long in;
  MPI_Irecv(&in, 1, MPI_LONG, rank, 2, MPI_COMM_WORLD, &request);
  MPI_Send(&number, 1, MPI_LONG, rank, 2, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void ping_pong(void) {  // a whole round trip
  if (rank == 0) {
    MPI_Send(&number, 1, MPI_LONG, 1, 3, MPI_COMM_WORLD);
    MPI_Recv(&number, 1, MPI_LONG, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&number, 1, MPI_LONG, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&number, 1, MPI_LONG, 0, 3, MPI_COMM_WORLD);
  }
}

static void allreduce(void) {
  long sum;
  MPI_Allreduce(&number, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

static void put_fence(void) {
  MPI_Put(&number, 1, MPI_LONG, 1 - rank, 0, 1, MPI_LONG, window);
  MPI_Win_fence(0, window);
}

static void region(void) {
  pathline_region_begin("region");
  pathline_region_end("region");
}

static const struct {
  const char* name;
  void (*call)(void);
  int ranks;
} loops[] = {
    {"send_null", send_null, 1},
    {"iprobe", iprobe, 1},
    {"allreduce_self", allreduce_self, 1},
    {"self_message", self_message, 1},
    {"region", region, 1},
    {"ping_pong", ping_pong, 2},
    {"allreduce", allreduce, 2},
    {"put_fence", put_fence, 2},
};

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void measure(const char* name, void (*call)(void), int blocks, int calls) {
  double* wall = malloc((size_t)blocks * sizeof *wall);
  double longest = 0;
  for (int i = 0; i < calls; ++i) call();
  for (int block = 0; block < blocks; ++block) {
    const double cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    const double begin = seconds_of(CLOCK_MONOTONIC);
    for (int i = 0; i < calls; ++i) call();
    wall[block] = (seconds_of(CLOCK_MONOTONIC) - begin) / calls * 1e9;
    const double used = seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu;
    if (used > longest) longest = used;
  }
  qsort(wall, (size_t)blocks, sizeof *wall, by_value);
  if (rank == 0) {
    printf(
        "{\"loop\": \"%s\", \"calls\": %ld, \"q10_ns\": %.2f, \"median_ns\": %.2f, "
        "\"longest_block_us\": %.1f}\n",
        name, (long)(blocks + 1) * calls, wall[blocks / 10], wall[blocks / 2], longest * 1e6);
  }
  free(wall);
}

static long peak_kib(void) {
  char line[256];
  long value = 0;
  FILE* file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file)) {
    if (sscanf(line, "VmHWM: %ld", &value) == 1) break;
  }
  if (file) fclose(file);
  return value;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int blocks = argc > 2 ? atoi(argv[1]) : 0, calls = argc > 2 ? atoi(argv[2]) : 0;
  long memory = 0;
  for (int i = 3; i < argc && blocks > 0 && calls > 0; ++i) {
    for (size_t k = 0; k < sizeof loops / sizeof *loops; ++k) {
      if (strcmp(argv[i], loops[k].name) != 0 || size != loops[k].ranks) continue;
      if (loops[k].call == put_fence) {
        MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_fence(0, window);
      }
      measure(loops[k].name, loops[k].call, blocks, calls);
      if (loops[k].call == put_fence) MPI_Win_free(&window);
    }
  }
  const long mine = peak_kib();
  long largest = 0;
  MPI_Reduce(&mine, &largest, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("{\"peak_kib\": %ld}\n", largest);
  MPI_Finalize();
  return 0;
}
