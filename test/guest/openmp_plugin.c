// SPDX-License-Identifier: BSD-3-Clause
//
// A library with OpenMP for a program that has none.
#include <omp.h>

int work(void) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    sum += 1 + 10 * (omp_get_num_threads() == 2);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 10; ++i) sum += 1;
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    sum += 100;
#pragma omp barrier
  }
  return sum;
}
