// SPDX-License-Identifier: BSD-3-Clause
//
// box STEPS N [bad|alone]   hands a box over in memory: N x N x N cells on each rank, one rank
// behind the other in x. In step s rank r sends 100 * (r + 1) * s bytes to the next rank. "bad":
// the mesh of rank 1 is none. "alone": steps are marked by pathline_insitu_execute only. Prints
// "done" if all signal handlers, the locale and the working directory are what they were.
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>
#include <pathline/pathline.h>

static void own_handler(int signal) { _exit(100 + signal); }

struct Host {
  struct sigaction actions[65];
  char locale[256];
  char folder[4096];
};

static void look(struct Host* host) {
  memset(host, 0, sizeof *host);
  for (int signal = 1; signal < 65; ++signal) sigaction(signal, NULL, &host->actions[signal]);
  snprintf(host->locale, sizeof host->locale, "%s", setlocale(LC_ALL, NULL));
  if (getcwd(host->folder, sizeof host->folder) == NULL) host->folder[0] = '\0';
}

static int differences(const struct Host* a, const struct Host* b) {
  int found = strcmp(a->locale, b->locale) != 0 || strcmp(a->folder, b->folder) != 0;
  for (int signal = 1; signal < 65; ++signal) {
    found += a->actions[signal].sa_handler != b->actions[signal].sa_handler;
  }
  return found;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int steps = argc > 1 ? atoi(argv[1]) : 3;
  const int64_t n = argc > 2 ? atoi(argv[2]) : 4;
  const int bad = argc > 3 && strcmp(argv[3], "bad") == 0 && rank == 1;
  const int alone = argc > 3 && strcmp(argv[3], "alone") == 0;

  const int64_t points = (n + 1) * (n + 1) * (n + 1), cells = n * n * n;
  double* xyz = malloc((size_t)points * 3 * sizeof *xyz);
  int64_t* corners = malloc((size_t)cells * 8 * sizeof *corners);
  int64_t* ends = malloc((size_t)cells * sizeof *ends);
  uint8_t* types = malloc((size_t)cells);
  for (int64_t z = 0, p = 0; z <= n; ++z) {
    for (int64_t y = 0; y <= n; ++y) {
      for (int64_t x = 0; x <= n; ++x, ++p) {
        xyz[3 * p] = (double)(rank * n + x);
        xyz[3 * p + 1] = (double)y;
        xyz[3 * p + 2] = (double)z;
      }
    }
  }
  for (int64_t z = 0, c = 0; z < n; ++z) {
    for (int64_t y = 0; y < n; ++y) {
      for (int64_t x = 0; x < n; ++x, ++c) {
        const int64_t p = (z * (n + 1) + y) * (n + 1) + x, row = n + 1, plane = row * row;
        const int64_t eight[8] = {p,         p + 1,         p + row + 1,         p + row,
                                  p + plane, p + plane + 1, p + plane + row + 1, p + plane + row};
        memcpy(corners + 8 * c, eight, sizeof eight);
        ends[c] = 8 * (c + 1);
        types[c] = 12;
      }
    }
  }
  if (bad) corners[5] = points + 7;

  signal(SIGTERM, own_handler);
  signal(SIGSEGV, own_handler);
  struct Host before, after;
  look(&before);
  char* buffer = calloc(1, (size_t)(100 * ranks * (steps + 1)));
  pathline_insitu_grid(xyz, points, corners, ends, types, cells);
  int changed = 0;
  for (int step = 1; step <= steps; ++step) {
    if (alone) {
      pathline_insitu_execute(step, 0.1 * step);
    } else {
      pathline_step(step, 0.1 * step);
    }
    const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    MPI_Sendrecv(buffer, 100 * (rank + 1) * step, MPI_CHAR, next, 0, buffer, 100 * ranks * step,
                 MPI_CHAR, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!alone) pathline_insitu_execute(step, 0.1 * step);
    look(&after);
    changed += differences(&before, &after);
  }
  MPI_Finalize();
  look(&after);
  changed += differences(&before, &after);
  if (changed != 0) printf("rank %d: %d things have changed\n", rank, changed);
  if (rank == 0) printf("done\n");
  return 0;
}
