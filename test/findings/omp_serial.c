// SPDX-License-Identifier: BSD-3-Clause
//
// Three quarters of each step are outside of the parallel region, where only one thread works: 7.5
// ms of 20 could be gained.
#include <omp.h>

#include "plant.h"

int main(int count, char** words) {
  start(&count, &words);
  for (int step = 0; step < 20; ++step) {
    pathline_step(step, step);
    work("assemble", 15);
#pragma omp parallel num_threads(2)
    nap(5);
    sum();
  }
  MPI_Finalize();
  return 0;
}
