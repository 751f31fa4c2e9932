/* SPDX-License-Identifier: BSD-3-Clause */
/* rank 3 works s ms more in step s: sum of 0..29 = 435 ms late, 7 ranks wait: 3.045 rank-s */
#include "examples/planted/plant.h"
int main(int c, char** v) {
  start(&c, &v);
  for (int s = 0; s < 30; s++) {
    pathline_step(s, s);
    work("compute", 20 + (me == 3 ? s : 0));
    halo(1000);
    sum();
  }
  MPI_Finalize();
}
