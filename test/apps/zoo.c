// SPDX-License-Identifier: BSD-3-Clause
//
// zoo [SECTION...] [-SECTION...]   runs all sections, or those named, but not those with a minus.
//                                  Needs 4 ranks or more, an even number. Ends with 0 if all data
//                                  arrived as it was sent.
#include "zoo.h"

int zoo_rank;
int zoo_size;
static int failures;

void zoo_check(bool right, const char* text, const char* file, int line) {
  if (right) return;
  ++failures;
  fprintf(stderr, "zoo: rank %d: %s:%d: not so: %s\n", zoo_rank, file, line, text);
}

void zoo_ring(MPI_Comm comm, int count, int tag) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  int* out = malloc((size_t)(count + 1) * sizeof *out);
  int* in = malloc((size_t)(count + 1) * sizeof *in);
  for (int i = 0; i < count; ++i) {
    out[i] = rank * 1000 + i;
    in[i] = -1;
  }
  MPI_Status status;
  MPI_Request request;
  MPI_Irecv(in, count, MPI_INT, previous, tag, comm, &request);
  MPI_Send(out, count, MPI_INT, next, tag, comm);
  MPI_Wait(&request, &status);
  CHECK(status.MPI_SOURCE == previous && status.MPI_TAG == tag);
  for (int i = 0; i < count; ++i) CHECK(in[i] == previous * 1000 + i);
  free(out);
  free(in);
}

typedef struct {
  const char* name;
  void (*run)(void);
} Section;

static const Section sections[] = {
    {"blocking", zoo_blocking},
    {"nonblocking", zoo_nonblocking},
    {"proc_null", zoo_proc_null},
    {"any_source", zoo_any_source},
    {"types", zoo_types},
    {"persistent", zoo_persistent},
    {"probes", zoo_probes},
    {"cancel", zoo_cancel},
    {"self", zoo_self},
    {"refused", zoo_refused},
    {"waits", zoo_waits},
    {"tests", zoo_tests},
    {"odd_requests", zoo_odd_requests},
    {"threads", zoo_threads},
    {"communicators", zoo_communicators},
    {"intercommunicators", zoo_intercommunicators},
    {"topologies", zoo_topologies},
    {"collectives", zoo_collectives},
    {"nonblocking_collectives", zoo_nonblocking_collectives},
    {"fence", zoo_fence},
    {"post_start", zoo_post_start},
    {"locks", zoo_locks},
    {"windows", zoo_windows},
    {"files", zoo_files},
    {"mpi4", zoo_mpi4},
};

static bool wanted(const char* name, int argc, char** argv) {
  bool all = true;
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-' && strcmp(argv[i] + 1, name) == 0) return false;
    if (strcmp(argv[i], name) == 0) return true;
    if (argv[i][0] != '-') all = false;
  }
  return all;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &zoo_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &zoo_size);
  if (zoo_size < 4 || zoo_size % 2 != 0) {
    if (zoo_rank == 0) fprintf(stderr, "zoo: needs an even number of ranks, 4 or more\n");
    MPI_Finalize();
    return 2;
  }
  int ran = 0;
  for (size_t i = 0; i < sizeof sections / sizeof *sections; ++i) {
    if (!wanted(sections[i].name, argc, argv)) continue;
    sections[i].run();
    MPI_Barrier(MPI_COMM_WORLD);
    if (zoo_rank == 0) printf("%s\n", sections[i].name);
    fflush(stdout);
    ++ran;
  }
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (zoo_rank == 0) printf("zoo: %d sections, %d failures\n", ran, all);
  MPI_Finalize();
  return all != 0 || ran == 0;
}
