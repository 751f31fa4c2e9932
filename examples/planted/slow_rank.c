/* SPDX-License-Identifier: BSD-3-Clause */
/* rank 5 takes 30 instead of 20 ms in `solve`; only halos, no collective: the delay travels hop by
 * hop */
#include "examples/planted/plant.h"
int main(int c, char** v) {
  start(&c, &v);
  for (int s = 0; s < 30; s++) {
    pathline_step(s, s);
    work("assemble", 5);
    work("solve", me == 5 ? 30 : 20);
    halo(1000);
  }
  MPI_Finalize();
}
