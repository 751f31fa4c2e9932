// SPDX-License-Identifier: BSD-3-Clause
//
// Both threads of both ranks always work: in a region, in a loop of the compiler's schedule with a
// barrier behind it, and in one that hands out pieces.
#include <omp.h>

#include "plant.h"

int main(int count, char** words) {
  start(&count, &words);
  for (int step = 0; step < 20; ++step) {
    pathline_step(step, step);
#pragma omp parallel num_threads(2)
    {
      nap(5);
#pragma omp for schedule(static)
      for (int i = 0; i < 2; ++i) nap(5);
#pragma omp for schedule(dynamic, 1)
      for (int i = 0; i < 4; ++i) nap(5);
    }
    sum();
  }
  MPI_Finalize();
  return 0;
}
