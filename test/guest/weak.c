// SPDX-License-Identifier: BSD-3-Clause
//
// A program without MPI that uses it if it is there.
#include <stdio.h>

#pragma weak MPI_Initialized
int MPI_Initialized(int*);

int main(void) {
  int flag = -1;
  if (MPI_Initialized) MPI_Initialized(&flag);
  printf("MPI is %s, %d\n", MPI_Initialized ? "there" : "not there", flag);
  return 0;
}
