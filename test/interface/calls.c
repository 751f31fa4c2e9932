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
  const double points[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.5};
  const int64_t corners[] = {0, 1, 2, 3};
  const int64_t ends[] = {4};
  const uint8_t types[] = {9};
  pathline_insitu_grid(points, 4, corners, ends, types, 1);
  pathline_insitu_execute(8, 2.0);
  pathline_insitu_grid(NULL, 0, NULL, NULL, NULL, 0);
  for (int i = 0; i < pathline_insitu_count(); ++i) {
    printf("array %s %.0f\n", pathline_insitu_name(i), pathline_insitu_value(i));
  }
  if (pathline_insitu_name(-1) || pathline_insitu_name(2) || pathline_insitu_value(2) > 0) return 1;
  puts("done");
  return 0;
}
