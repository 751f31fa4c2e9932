// SPDX-License-Identifier: BSD-3-Clause
//
// meshes KIND [ARGUMENT]   Hands over strips of squares as the mesh of each rank.
//
//   changes    rank 0 keeps its two cells; rank 1 has 1 + step % 3 in other memory each time; the
//              points of rank 2 move in step 4 where they are; rank 3 has a cell in steps 3 and 4
//   alone      pathline_insitu_execute is all that marks the steps
//   differs    it is told other numbers than pathline_step
//   back       steps 1 2 3 4, then 2 3 4 5; 1 cell in step 1, 3 from step 3 on, 2 after going back
//   nonsense   rank 1 has a bad mesh of sort ARGUMENT in steps 2 and 3, good ones before and after
//   large      500,000 cells each, 44 MB
//   watch      two cells; goes on until the file ARGUMENT is there, 60 s at most, and says so
//
// Six steps where nothing else is said; in step S rank R sends 100 * S + R bytes to the next.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>
#include <pathline/pathline.h>

static int rank, size;

struct mesh {
  int64_t points, cells;
  double* place;
  int64_t *corners, *ends;
  uint8_t* types;
};

/// Squares along x, at y = rank.
static struct mesh strip(int64_t cells) {
  struct mesh m = {2 * (cells + 1), cells, NULL, NULL, NULL, NULL};
  m.place = malloc((size_t)m.points * 3 * sizeof *m.place);
  m.corners = malloc((size_t)cells * 4 * sizeof *m.corners + 1);
  m.ends = malloc((size_t)cells * sizeof *m.ends + 1);
  m.types = malloc((size_t)cells + 1);
  for (int64_t i = 0; i < m.points; ++i) {
    m.place[3 * i] = (double)(i / 2);
    m.place[3 * i + 1] = rank + 0.5 * (double)(i % 2);
    m.place[3 * i + 2] = 0;
  }
  for (int64_t i = 0; i < cells; ++i) {
    const int64_t square[] = {2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1};
    memcpy(m.corners + 4 * i, square, sizeof square);
    m.ends[i] = 4 * i + 4;
    m.types[i] = 9;
  }
  return m;
}

static void hand_over(const struct mesh* m) {
  pathline_insitu_grid(m->place, m->points, m->corners, m->ends, m->types, m->cells);
}

static void release(struct mesh* m) {
  free(m->place), free(m->corners), free(m->ends), free(m->types);
}

static void hand_over_nonsense(struct mesh* m, int sort) {
  m->corners[5] = sort == 0 ? 99 : m->corners[5];
  m->ends[0] = sort == 1 ? 9 : m->ends[0];
  m->points = sort == 2 ? -5 : m->points;
  m->cells = sort == 3 ? INT64_C(1) << 50 : m->cells;
  m->types[1] = sort == 4 ? 12 : m->types[1];
  m->corners[2] = sort == 5 ? -7 : m->corners[2];
  pathline_insitu_grid(sort == 6 ? NULL : m->place, m->points, sort == 7 ? NULL : m->corners,
                       m->ends, m->types, m->cells);
}

static void exchange(int step) {
  static char to[4096], from[4096];
  MPI_Sendrecv(to, 100 * step + rank, MPI_CHAR, (rank + 1) % size, 0, from, sizeof from, MPI_CHAR,
               (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void changes(int step, struct mesh* m) {
  if (rank == 1) {
    release(m);
    *m = strip(1 + step % 3);
    hand_over(m);
  } else if (rank == 2 && step == 4) {
    for (int64_t i = 0; i < m->points; ++i) m->place[3 * i + 2] = 1;
    hand_over(m);
  } else if (rank == 3 && step == 3) {
    release(m);
    *m = strip(1);
    hand_over(m);
  } else if (rank == 3 && step == 5) {
    pathline_insitu_grid(NULL, 0, NULL, NULL, NULL, 0);
  }
  pathline_step(step, 0.5 * step);
  pathline_insitu_execute(step, 0.5 * step);
}

static void go_back(int turn, struct mesh* m) {
  const int step = turn <= 4 ? turn : turn - 3;
  const int64_t cells = turn < 3 ? 1 : turn <= 4 ? 3 : 2;
  if (cells != m->cells) {
    release(m);
    *m = strip(cells);
    hand_over(m);
  }
  pathline_step(step, 0.5 * turn);
  pathline_insitu_execute(step, 0.5 * turn);
}

static void refused(int step, struct mesh* m, int sort) {
  pathline_step(step, step);
  if (rank == 1 && step == 2) hand_over_nonsense(m, sort);
  if (rank == 1 && step == 4) {
    *m = strip(3);
    hand_over(m);
  }
  pathline_insitu_execute(step, step);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* kind = argc > 1 ? argv[1] : "changes";
  const int watches = strcmp(kind, "watch") == 0;
  const int is_back = strcmp(kind, "back") == 0;
  const int steps = watches ? 1200 : is_back ? 8 : 6;
  int seen = 0;
  struct mesh m = strip(strcmp(kind, "large") == 0 ? 500000 : is_back ? 1 : 2);
  if (!(rank == 3 && strcmp(kind, "changes") == 0)) hand_over(&m);
  for (int step = 1; step <= steps && !seen; ++step) {
    if (strcmp(kind, "changes") == 0) {
      changes(step, &m);
    } else if (is_back) {
      go_back(step, &m);
    } else if (strcmp(kind, "nonsense") == 0) {
      refused(step, &m, argc > 2 ? atoi(argv[2]) : 0);
    } else {
      if (strcmp(kind, "alone") != 0) pathline_step(step, 0.5 * step);
      pathline_insitu_execute(strcmp(kind, "differs") == 0 ? step + 100 : step, 0.5 * step);
    }
    exchange(watches ? 1 : step);
    if (watches) {
      const struct timespec time = {0, 50000000};
      nanosleep(&time, NULL);
      seen = rank == 0 && access(argv[2], R_OK) == 0;
      MPI_Bcast(&seen, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) puts(seen ? "seen" : "done");
  MPI_Finalize();
  return 0;
}
