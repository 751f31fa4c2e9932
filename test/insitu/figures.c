// SPDX-License-Identifier: BSD-3-Clause
//
// figures FILE   What a program with a Catalyst adapter of its own does: at the end of each time
// step it asks for its figures. They go to FILE.RANK as lines of step, name and value, separated by
// tabs. A step has messages of several kinds, also on a communicator with other ranks and by
// persistent requests, one-sided operations, collectives, polls that find nothing, regions, one of
// them recursive, and a thread that computes and writes to a file.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>
#include <pathline/pathline.h>

enum { kSteps = 6 };

static int rank, size, file;
static double values[1024], halo[1024];

static void wait_ms(double ms) {
  const struct timespec time = {0, (long)(1e6 * ms)};
  nanosleep(&time, NULL);
}

static void recurse(int depth) {
  pathline_region_begin("recurse");
  wait_ms(1);
  if (depth > 0) recurse(depth - 1);
  pathline_region_end("recurse");
}

static void* beside(void* unused) {
  (void)unused;
  pathline_region_begin("beside");
  wait_ms(3);
  if (write(file, values, 100 + (size_t)rank) < 0) exit(2);
  pathline_region_end("beside");
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  file = open("/dev/null", O_WRONLY);
  char name[1000];
  snprintf(name, sizeof name, "%s.%d", argc > 1 ? argv[1] : "figures", rank);
  FILE* const out = fopen(name, "w");
  if (out == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  static char text[1 << 20];  // So that nothing of it is written before the end.
  setvbuf(out, text, _IOFBF, sizeof text);
  const int after = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Comm backwards;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &backwards);
  const int there = size - 1 - after, here = size - 1 - before;
  MPI_Win window;
  MPI_Win_create(values, sizeof values, 8, MPI_INFO_NULL, backwards, &window);
  MPI_Request kept[2], requests[2];
  MPI_Send_init(values, 7, MPI_DOUBLE, after, 5, MPI_COMM_WORLD, &kept[0]);
  MPI_Recv_init(halo, 7, MPI_DOUBLE, before, 5, MPI_COMM_WORLD, &kept[1]);
  for (int step = 1; step <= kSteps; ++step) {
    pathline_step(step, 0.1 * step);
    pthread_t thread;
    pthread_create(&thread, NULL, beside, NULL);
    recurse(2);
    MPI_Irecv(halo, 100, MPI_DOUBLE, here, 1, backwards, &requests[0]);
    MPI_Isend(values, 10 * step, MPI_DOUBLE, there, 1, backwards, &requests[1]);
    for (int flag = 0; !flag;) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    if (rank % 2 == 0) MPI_Send(values, rank, MPI_DOUBLE, after, 2, MPI_COMM_WORLD);
    if (before % 2 == 0)
      MPI_Recv(halo, 100, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Startall(2, kept);
    MPI_Waitall(2, kept, MPI_STATUSES_IGNORE);
    MPI_Win_fence(0, window);
    MPI_Put(halo, 3, MPI_DOUBLE, there, 0, 3, MPI_DOUBLE, window);
    MPI_Get(halo + 100, 5, MPI_DOUBLE, here, 3, 5, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Bcast(values, 20, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 8000; ++i) {  // More than a chunk of the file takes.
      pathline_region_begin("recurse");
      pathline_region_end("recurse");
    }
    pthread_join(thread, NULL);
    const int count = pathline_insitu_count();
    for (int i = 0; i < count; ++i) {
      fprintf(out, "%d\t%s\t%.17g\n", step, pathline_insitu_name(i), pathline_insitu_value(i));
    }
  }
  MPI_Request_free(&kept[0]);
  MPI_Request_free(&kept[1]);
  MPI_Win_free(&window);
  MPI_Comm_free(&backwards);
  fclose(out);
  if (rank == 0) puts("done");
  MPI_Finalize();
  return 0;
}
