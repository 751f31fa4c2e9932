// SPDX-License-Identifier: BSD-3-Clause
//
// io FOLDER   each rank works on files of its own below FOLDER, and both on one by MPI-IO. Built
// twice, as `io` and, with the names that large files and _FORTIFY_SOURCE give the same functions,
// as `io64`. run_options knows by heart what stands here.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <mpi.h>

static int rank;
static char folder[512];

static void expect(const char* what, ssize_t found, ssize_t expected) {
  if (found == expected) return;
  fprintf(stderr, "io: %s gave %zd instead of %zd\n", what, found, expected);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static char* path_of(const char* name) {
  static char path[600];
  snprintf(path, sizeof path, "%s/%s.%d", folder, name, rank);
  return path;
}

// 3030 bytes written and 4530 read; `size` is not known to the compiler.
static void use_all(volatile size_t size) {
  char buffer[4000];
  memset(buffer, 'x', sizeof buffer);
  const int fd = open(path_of("all"), O_CREAT | O_RDWR | O_TRUNC, 0644);
  for (int i = 0; i < 2; ++i) expect("write", write(fd, buffer, size), 1000);
  expect("lseek", lseek(fd, -500, SEEK_CUR), 1500);
  expect("read", read(fd, buffer, size), 500);
  expect("read at the end", read(fd, buffer, size), 0);
  expect("pwrite", pwrite(fd, buffer, size, 2000), 1000);
  expect("pread", pread(fd, buffer, size, 0), 1000);
  struct iovec parts[2] = {{buffer, 10}, {buffer + 10, 20}};
  lseek(fd, 0, SEEK_END);
  expect("writev", writev(fd, parts, 2), 30);
  lseek(fd, 0, SEEK_SET);
  expect("readv", readv(fd, parts, 2), 30);
  expect("read what is there", read(fd, buffer, 3 * size + size), 3000);
  expect("fsync", fsync(fd), 0);
  expect("fdatasync", fdatasync(fd), 0);
  expect("close", close(fd), 0);
}

// Numbers of descriptors go from file to file: 100 bytes to each of `first`, `second` and `third`,
// 10 to `fourth`.
static void reuse_descriptors(void) {
  char buffer[100] = "";
  int fd = creat(path_of("first"), 0644);
  expect("write", write(fd, buffer, 100), 100);
  const int copy = openat(AT_FDCWD, path_of("second"), O_WRONLY | O_CREAT, 0644);
  expect("write", write(copy, buffer, 100), 100);
  expect("dup2", dup2(fd, copy), copy);  // now `first`, too
  expect("lseek", lseek(copy, 0, SEEK_CUR), 100);
  close(copy);
  close(fd);
  FILE* file = fopen(path_of("third"), "w");
  fd = fileno(file);
  expect("write", write(fd, buffer, 100), 100);
  fclose(file);
  file = fopen(path_of("fourth"), "w");
  expect("the number of the descriptor", fileno(file), fd);
  expect("write", write(fileno(file), buffer, 10), 10);
  fclose(file);
}

// These count as calls, not as operations on files.
static void talk_through_a_pipe(void) {
  int ends[2];
  char buffer[7] = "";
  expect("pipe", pipe(ends), 0);
  expect("write to a pipe", write(ends[1], buffer, 7), 7);
  expect("read from a pipe", read(ends[0], buffer, 7), 7);
  close(ends[0]);
  close(ends[1]);
}

static void use_mpi(void) {
  char path[600];
  snprintf(path, sizeof path, "%s/shared", folder);
  MPI_File file;
  char buffer[64] = "";
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, rank * 64, buffer, 64, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_write_at_all(file, 128 + rank * 64, buffer, 64, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, rank * 64, buffer, 32, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  snprintf(folder, sizeof folder, "%s", argv[1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  use_all(1000);
  reuse_descriptors();
  talk_through_a_pipe();
  expect("open of nothing", open(path_of("no/where"), O_RDONLY), -1);
  use_mpi();
  MPI_Finalize();
  if (rank == 0) puts("done");
  return 0;
}
