// SPDX-License-Identifier: BSD-3-Clause
//
// Another tool, preloaded or linked: counts MPI_Sendrecv and calls whoever comes next.
#include <dlfcn.h>
#include <stdio.h>

#include <mpi.h>

static int calls;

__attribute__((destructor)) static void tell(void) {
  if (calls != 0) printf("the other tool saw %d calls\n", calls);
}

int MPI_Sendrecv(const void* sent, int count, MPI_Datatype type, int dest, int tag, void* received,
                 int room, MPI_Datatype its_type, int source, int its_tag, MPI_Comm comm,
                 MPI_Status* status) {
  ++calls;
  int (*next)() = (int (*)())dlsym(RTLD_NEXT, "MPI_Sendrecv");
  return next(sent, count, type, dest, tag, received, room, its_type, source, its_tag, comm,
              status);
}
