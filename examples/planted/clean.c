/* SPDX-License-Identifier: BSD-3-Clause */
#include "examples/planted/plant.h"
int main(int c, char** v) {
  start(&c, &v);
  for (int s = 0; s < 30; s++) {
    pathline_step(s, s);
    work("compute", 20);
    halo(1000);
    sum();
  }
  MPI_Finalize();
}
