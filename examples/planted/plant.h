/* SPDX-License-Identifier: BSD-3-Clause */
/* Common to the planted programs: work that needs no core, so that more ranks than cores do not
 * distort it. */
#ifndef PLANT_H
#define PLANT_H
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>

#include "pathline/pathline.h"
static int me, np;
static void nap(double ms) {
  if (ms <= 0) return;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  long long n = t.tv_nsec + (long long)(ms * 1e6);
  t.tv_sec += n / 1000000000;
  t.tv_nsec = n % 1000000000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0)) {
  }
}
static void work(const char* name, double ms) {
  pathline_region_begin(name);
  nap(ms);
  pathline_region_end(name);
}
static void start(int* c, char*** v) {
  prctl(PR_SET_TIMERSLACK, 1);
  MPI_Init(c, v);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  MPI_Barrier(MPI_COMM_WORLD);
}
static double buf[8][1 << 17];
/* Exchange with both neighbours of an open line, nonblocking. */
static void halo(int n) {
  MPI_Request q[4];
  int k = 0;
  for (int d = -1; d <= 1; d += 2) {
    int o = me + d;
    if (o < 0 || o >= np) continue;
    MPI_Irecv(buf[d + 1], n, MPI_DOUBLE, o, 1, MPI_COMM_WORLD, &q[k++]);
  }
  for (int d = -1; d <= 1; d += 2) {
    int o = me + d;
    if (o < 0 || o >= np) continue;
    MPI_Isend(buf[d + 2], n, MPI_DOUBLE, o, 1, MPI_COMM_WORLD, &q[k++]);
  }
  MPI_Waitall(k, q, MPI_STATUSES_IGNORE);
}
static void sum(void) {
  double a = me, b;
  MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
#endif
