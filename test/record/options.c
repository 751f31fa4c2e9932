// SPDX-License-Identifier: BSD-3-Clause
//
// options CASE [N]   what run_options records in one way and another; two ranks.
//
//   steps    12 time steps, marked by pathline_step, with requests and regions that reach from one
//            into the next
//   rounds   the same without marks; with N = 2, the second rank has a host's name of its own
//   flood    N messages each way, each in two regions
//   threads  N threads, one after the other, each with a region
//   calls    all of pathline.h; N is the exit status
//   kokkos   what a Kokkos program does with a tool
//   polls    5 tests that fail, with 5 ms between them; N in a row
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "pathline/pathline.h"

enum { kSteps = 12 };

static int rank;

// Begun in one step, seen complete in the next: a send and a receive, persistent ones, a
// collective.
static long out, in, persistent_out, persistent_in, sum, sums;
static MPI_Request crossing[5], persistent[2];

static void begin(int step) {
  const int other = 1 - rank;
  out = persistent_out = step;
  MPI_Irecv(&in, 1, MPI_LONG, other, 100 + step, MPI_COMM_WORLD, &crossing[0]);
  MPI_Isend(&out, 1, MPI_LONG, other, 100 + step, MPI_COMM_WORLD, &crossing[1]);
  MPI_Iallreduce(&sum, &sums, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &crossing[2]);
  MPI_Startall(2, persistent);
}

static void end(int step) {
  crossing[3] = persistent[0];
  crossing[4] = persistent[1];
  MPI_Waitall(5, crossing, MPI_STATUSES_IGNORE);
  if (in != step || persistent_in != step) MPI_Abort(MPI_COMM_WORLD, 4);
}

static void go_through_steps(int marked) {
  long packet[2] = {0, 0}, total[2];
  MPI_Send_init(&persistent_out, 1, MPI_LONG, 1 - rank, 7, MPI_COMM_WORLD, &persistent[0]);
  MPI_Recv_init(&persistent_in, 1, MPI_LONG, 1 - rank, 7, MPI_COMM_WORLD, &persistent[1]);
  for (int step = 0; step < kSteps; ++step) {
    // Before the last step has ended: reaches into this one.
    if (step > 0) pathline_region_begin("reaches over");
    if (marked) pathline_step(step, 0.5 * step);
    if (step > 0) pathline_region_end("reaches over");
    if (marked) pathline_region_begin("work");
    if (step > 0) end(step - 1);
    begin(step);
    if (rank == 0) {
      MPI_Send(packet, 1, MPI_LONG, 1, step, MPI_COMM_WORLD);
      MPI_Recv(packet, 2, MPI_LONG, 1, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(packet, 1, MPI_LONG, 0, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(packet, 2, MPI_LONG, 0, step, MPI_COMM_WORLD);
    }
    MPI_Allreduce(packet, total, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(packet, total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(packet, total, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (marked) pathline_region_end("work");
  }
  end(kSteps - 1);
  for (int i = 0; i < 2; ++i) MPI_Request_free(&persistent[i]);
}

static void flood(int messages) {
  long number = 0;
  for (int i = 0; i < messages; ++i) {
    pathline_region_begin("outer");
    pathline_region_begin("inner");
    MPI_Sendrecv_replace(&number, 1, MPI_LONG, 1 - rank, i % 30000, 1 - rank, i % 30000,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pathline_region_end("inner");
    pathline_region_end("outer");
  }
}

static void* visit(void* unused) {
  pathline_region_begin("visit");
  pathline_region_end("visit");
  pathline_region_begin("stays open");
  return unused;
}

static int count_entries(const char* folder) {
  int count = 0;
  DIR* open = opendir(folder);
  while (readdir(open)) ++count;
  closedir(open);
  return count;
}

static void have_visitors(int count) {
  int files = 0;
  for (int i = 0; i < count; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, visit, NULL);
    pthread_join(thread, NULL);
    if (i == 0) files = count_entries("/proc/self/fd");
  }
  files = count_entries("/proc/self/fd") - files;
  if (rank == 0) printf("files left open by threads = %d\n", files);
}

static void call_all(void) {
  char name[16];
  for (int step = 0; step < 3; ++step) {
    pathline_step(10 + step, 0.25 * step);
    pathline_region_begin("outer region");
    for (int i = 0; i < 4; ++i) {
      // Another name at the same place.
      snprintf(name, sizeof name, "inner %d", i % 2);
      pathline_region_begin(name);
      pathline_region_end(name);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    pathline_region_next("MPI_Barrier");
    pathline_region_end("outer region");
  }
  pathline_region_end("never begun");
  MPI_Pcontrol(0);
  pathline_region_begin("switched off");
  MPI_Barrier(MPI_COMM_WORLD);
  pathline_region_end("switched off");
  pathline_region_begin("ends later");
  MPI_Pcontrol(1);
  pathline_region_end("ends later");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) puts("done");
}

// ---- Kokkos: how it finds a tool and what it tells it, as written in its documentation
// ------------

typedef struct {
  char name[64];
} Space;
typedef void (*Init)(int sequence, uint64_t version, uint32_t devices, void* info);
typedef void (*Plain)(void);
typedef void (*Begin)(const char* name, uint32_t device, uint64_t* id);
typedef void (*End)(uint64_t id);
typedef void (*Push)(const char* name);
typedef void (*BeginCopy)(Space to, const char* to_name, const void* to_at, Space from,
                          const char* from_name, const void* from_at, uint64_t bytes);

static void* tool;

static void* hook(const char* name) {
  void* found = dlsym(tool, name);
  if (!found) {
    fprintf(stderr, "options: the tool has no %s\n", name);
    MPI_Abort(MPI_COMM_WORLD, 5);
  }
  return found;
}

static void run_kernel(const char* kind, const char* name) {
  char function[64];
  uint64_t id = 99;
  snprintf(function, sizeof function, "kokkosp_begin_%s", kind);
  ((Begin)(uintptr_t)hook(function))(name, 0, &id);
  snprintf(function, sizeof function, "kokkosp_end_%s", kind);
  ((End)(uintptr_t)hook(function))(id);
}

static void be_kokkos(void) {
  const char* libraries = getenv("KOKKOS_TOOLS_LIBS");
  if (libraries && *libraries) {
    char path[4096];
    snprintf(path, sizeof path, "%s", libraries);
    tool = dlopen(strtok(path, ";"), RTLD_NOW | RTLD_GLOBAL);
    if (!tool) {
      fprintf(stderr, "options: %s\n", dlerror());
      MPI_Abort(MPI_COMM_WORLD, 5);
    }
    ((Init)(uintptr_t)hook("kokkosp_init_library"))(0, 20211015, 1, NULL);
    ((Push)(uintptr_t)hook("kokkosp_push_profile_region"))("solver");
    for (int i = 0; i < 3; ++i) {
      run_kernel("parallel_for", "axpy");
      run_kernel("parallel_reduce", "dot");
    }
    run_kernel("parallel_scan", "offsets");
    run_kernel("fence", "wait for all");
    const Space host = {"Host"}, device = {"Cuda"};
    ((BeginCopy)(uintptr_t)hook("kokkosp_begin_deep_copy"))(device, "a", NULL, host, "b", NULL,
                                                            800);
    ((Plain)(uintptr_t)hook("kokkosp_end_deep_copy"))();
    MPI_Barrier(MPI_COMM_WORLD);
    ((Plain)(uintptr_t)hook("kokkosp_pop_profile_region"))();
    ((Plain)(uintptr_t)hook("kokkosp_finalize_library"))();
  }
  if (rank == 0) puts("done");
}

// As processes on two nodes have. Who may not do that says so.
static void be_on_two_hosts(void) {
  const char* of_openmpi = getenv("OMPI_COMM_WORLD_RANK");
  const char* of_mpich = getenv("PMI_RANK");
  const char* own = of_openmpi ? of_openmpi : of_mpich ? of_mpich : "0";
  if (atoi(own) == 0) return;
  if (unshare(CLONE_NEWUTS) != 0 || sethostname("second", 6) != 0) puts("no name of its own");
}

/// What it waits for comes from the other rank when that has done the same.
static void poll_often(int polls) {
  int number = 0, done = 0;
  for (int work = 1; work >= 0; --work) {
    MPI_Request request;
    MPI_Irecv(&number, 1, MPI_INT, 1 - rank, work, MPI_COMM_WORLD, &request);
    for (int i = 0; i < (work ? 5 : polls); ++i) {
      if (work && i > 0) usleep(5000);
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done) MPI_Abort(MPI_COMM_WORLD, 5);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&number, 1, MPI_INT, 1 - rank, work, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  if (strcmp(what, "rounds") == 0 && number == 2) be_on_two_hosts();
  pathline_region_begin("before MPI");
  MPI_Init(&argc, &argv);
  pathline_region_end("before MPI");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(what, "steps") == 0) go_through_steps(1);
  if (strcmp(what, "rounds") == 0) go_through_steps(0);
  if (strcmp(what, "flood") == 0) flood(number);
  if (strcmp(what, "threads") == 0) have_visitors(number);
  if (strcmp(what, "calls") == 0) call_all();
  if (strcmp(what, "kokkos") == 0) be_kokkos();
  if (strcmp(what, "polls") == 0) poll_often(number);
  MPI_Finalize();
  if (strcmp(what, "calls") != 0) return 0;
  // Launchers end all others when one ends like this: not before they are through with MPI, too.
  sleep(1);
  return number;
}
