// SPDX-License-Identifier: BSD-3-Clause
//
// A program that opens a library with OpenMP, as Python does.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

int main(int count, char** words) {
  char path[4096] = "";
  MPI_Init(&count, &words);
  if (readlink("/proc/self/exe", path, sizeof path - 32) < 0) return 2;
  strcpy(strrchr(path, '/') + 1, "libopenmp_plugin.so");
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 3;
  int (*work)(void) = (int (*)(void))dlsym(library, "work");
  int sum = 0;
  for (int i = 0; i < 10; ++i) sum += work();
  MPI_Finalize();
  printf("plugged: %d\n", sum);
  return 0;
}
