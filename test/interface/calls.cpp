// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "pathline/pathline.h"

int main() {
  for (int step = 6; step < 8; ++step) {
    pathline_step(step, 0.25 * step);
    const pathline::Region region("outer region");
    pathline_region_next("MPI_Allreduce");
  }
  pathline_step(int64_t{1} << 40, 0);
  std::puts("done");
  return 0;
}
