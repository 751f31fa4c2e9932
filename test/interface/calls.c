// SPDX-License-Identifier: BSD-3-Clause
#include <stdio.h>

#include "pathline/pathline.h"

int main(void) {
  for (int step = 6; step < 8; ++step) {
    pathline_step(step, 0.25 * step);
    pathline_region_begin("outer region");
    pathline_region_next("MPI_Allreduce");
    pathline_region_end("outer region");
  }
  pathline_step(INT64_C(1) << 40, 0);
  puts("done");
  return 0;
}
