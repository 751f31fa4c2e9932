/* SPDX-License-Identifier: BSD-3-Clause */
/* root 0 works 5 ms, the others 20 ms before MPI_Reduce: root waits 15 ms x 30 = 0.45 s */
#include "examples/planted/plant.h"
int main(int c, char** v) {
  start(&c, &v);
  double a = 1, b;
  for (int s = 0; s < 30; s++) {
    pathline_step(s, s);
    work("compute", me ? 20 : 5);
    MPI_Reduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
