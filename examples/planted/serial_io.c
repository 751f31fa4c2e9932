/* SPDX-License-Identifier: BSD-3-Clause */
/* every 5th step rank 0 writes for about 60 ms (2 MB and a nap) while 7 ranks wait: 6 x 60 ms x 7
 * = 2.5 rank-s */
#include "examples/planted/plant.h"
int main(int c, char** v) {
  start(&c, &v);
  int f = -1;
  if (!me) f = open(v[1] ? v[1] : "out.bin", O_CREAT | O_TRUNC | O_WRONLY, 0600);
  for (int s = 0; s < 30; s++) {
    pathline_step(s, s);
    work("compute", 20);
    halo(1000);
    MPI_Gather(buf[0], 1000, MPI_DOUBLE, buf[2], 1000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (s % 5 == 4 && !me) {
      pathline_region_begin("write_output");
      for (int i = 0; i < 20; i++) {
        if (write(f, buf[2], 100000) < 0) return 1;
        nap(3);
      }
      pathline_region_end("write_output");
    }
    sum();
  }
  MPI_Finalize();
}
