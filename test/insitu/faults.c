// SPDX-License-Identifier: BSD-3-Clause
//
// faults KIND   A flow solver on a ring of ranks with one fault, of the four that the dissertation
// "In Situ Visualization of Performance Data in Parallel CFD Applications" found in codes of
// industry.
//
//   edges      the partitions are uneven: rank 2 has three times the edges of the others to
//   compute,
//              and sends three times the bytes to its neighbours
//   boundary   the first and the last rank have a boundary, whose function is slow
//   empty      every rank sends a message without content to every other in each step
//   io         rank 0 collects and writes everything (argument 2: the file)
//   none       nothing of it
//   watch      nothing of it; goes on until the file of argument 2 is there, 60 s at most, and says
//   so
//
// Five steps, but for the last one. Work is waiting for a time, so that more ranks than cores do
// not stretch it.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>
#include <pathline/pathline.h>

enum { kSteps = 5, kMostSteps = 1200, kValues = 256 };

static int rank, size;
static char values[3 * kValues * 8], left[sizeof values], right[sizeof values];

static void work(const char* name, double ms) {
  pathline_region_begin(name);
  const struct timespec time = {0, (long)(1e6 * ms)};
  nanosleep(&time, NULL);
  pathline_region_end(name);
}

static void exchange(int count) {
  const int after = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request requests[4];
  MPI_Irecv(left, sizeof left, MPI_CHAR, before, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(right, sizeof right, MPI_CHAR, after, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(values, count, MPI_CHAR, after, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(values, count, MPI_CHAR, before, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void send_nothing_to_all(void) {
  MPI_Request* requests = malloc(2 * (size_t)size * sizeof *requests);
  int count = 0;
  for (int other = 0; other < size; ++other) {
    if (other == rank) continue;
    MPI_Irecv(NULL, 0, MPI_CHAR, other, 2, MPI_COMM_WORLD, &requests[count++]);
    MPI_Isend(NULL, 0, MPI_CHAR, other, 2, MPI_COMM_WORLD, &requests[count++]);
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  free(requests);
}

static void write_all(int file) {
  char* all = rank == 0 ? malloc((size_t)size * sizeof values) : NULL;
  MPI_Gather(values, sizeof values, MPI_CHAR, all, sizeof values, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  for (int other = 0; other < size; ++other) {
    if (write(file, all + (size_t)other * sizeof values, sizeof values) != (ssize_t)sizeof values)
      MPI_Abort(MPI_COMM_WORLD, 3);
  }
  free(all);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* fault = argc > 1 ? argv[1] : "none";
  const int uneven = strcmp(fault, "edges") == 0 && rank == 2 ? 3 : 1;
  const int boundary = strcmp(fault, "boundary") == 0 && (rank == 0 || rank == size - 1);
  const int writes = strcmp(fault, "io") == 0;
  const int file = writes && rank == 0 ? open(argv[2], O_CREAT | O_TRUNC | O_WRONLY, 0666) : -1;
  const int watches = strcmp(fault, "watch") == 0;
  int seen = 0;
  for (int step = 1; step <= (watches ? kMostSteps : kSteps) && !seen; ++step) {
    pathline_step(step, 0.1 * step);
    work("fluxes", 25.0 * uneven);
    work("boundary", boundary ? 100.0 : 25.0);
    exchange(kValues * 8 * uneven);
    if (strcmp(fault, "empty") == 0) send_nothing_to_all();
    if (writes) write_all(file);
    if (watches) {
      seen = rank == 0 && access(argv[2], R_OK) == 0;
      MPI_Bcast(&seen, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    double residual = rank, sum;
    MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (file >= 0) close(file);
  if (rank == 0) puts(seen ? "seen" : "done");
  MPI_Finalize();
  return 0;
}
