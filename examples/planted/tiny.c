/* SPDX-License-Identifier: BSD-3-Clause */
/* 400 messages of 8 bytes to each neighbour instead of one of 3200 */
#include "examples/planted/plant.h"
int main(int c, char** v) {
  start(&c, &v);
  for (int s = 0; s < 20; s++) {
    pathline_step(s, s);
    work("compute", 20);
    for (int i = 0; i < 400; i++) halo(1);
    sum();
  }
  MPI_Finalize();
}
