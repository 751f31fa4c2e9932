/* SPDX-License-Identifier: BSD-3-Clause */
/* wavefront: each rank needs its left neighbour's result, then works 5 ms, np ranks in series, no
 * pipelining (barrier) */
#include "examples/planted/plant.h"
int main(int c, char** v) {
  start(&c, &v);
  for (int s = 0; s < 20; s++) {
    pathline_step(s, s);
    if (me > 0) MPI_Recv(buf[0], 100, MPI_DOUBLE, me - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work("sweep", 5);
    if (me < np - 1) MPI_Send(buf[1], 100, MPI_DOUBLE, me + 1, 3, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
