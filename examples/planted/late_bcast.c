/* SPDX-License-Identifier: BSD-3-Clause */
/* root 2 prepares 10 ms before it broadcasts: 30 x 10 ms x 7 = 2.1 rank-s */
#include "examples/planted/plant.h"
int main(int c, char** v) {
  start(&c, &v);
  for (int s = 0; s < 30; s++) {
    pathline_step(s, s);
    if (me == 2) work("prepare", 10);
    MPI_Bcast(buf[0], 100, MPI_DOUBLE, 2, MPI_COMM_WORLD);
    work("compute", 20);
    halo(1000);
  }
  MPI_Finalize();
}
