// SPDX-License-Identifier: BSD-3-Clause
//
// One thread of each team works four times as long as the other: 15 ms of every step are lost for
// half of the threads, and 7.5 ms of 20 could be gained.
#include <omp.h>

#include "plant.h"

int main(int count, char** words) {
  start(&count, &words);
  for (int step = 0; step < 20; ++step) {
    pathline_step(step, step);
#pragma omp parallel num_threads(2)
    nap(omp_get_thread_num() == 1 ? 20 : 5);
    sum();
  }
  MPI_Finalize();
  return 0;
}
