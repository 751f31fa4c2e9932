// SPDX-License-Identifier: BSD-3-Clause
//
// What a simulated machine has in the place of a real one's: hosts of its own, no hardware
// counters, and no tool between the program and MPI.
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <mpi.h>

#include "record/node.hpp"
#include "record/process.hpp"

namespace pathline::record {

void node_name(uint32_t rank, char* name, size_t size) {
  (void)rank;
  char host[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  PMPI_Get_processor_name(host, &length);
  std::snprintf(name, size, "%s", host);
}

const char* switches_above(uint32_t rank) {
  (void)rank;
  return "";
}

/// The process is that of smpimain, whose first argument is the program.
void program_file(char* path, size_t size) {
  path[0] = '\0';
  char line[4096] = "";
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t bytes = read(file, line, sizeof line - 1);
  close(file);
  const size_t first = std::strlen(line) + 1;
  if (bytes > 0 && first < static_cast<size_t>(bytes)) {
    std::snprintf(path, size, "%s", line + first);
  }
}

void program_name(char* name, size_t size) {
  char path[1024];
  program_file(path, sizeof path);
  const char* slash = std::strrchr(path, '/');
  std::snprintf(name, size, "%s", slash == nullptr ? path : slash + 1);
}

void* behind_us(const char* name, void* own) {
  (void)name;
  return own;
}

void write_counters(uint64_t ticks) { (void)ticks; }
void start_counters() {
  if (process.settings.counters[0] != '\0' && process.rank == 0) {
    say("--counters has no effect: a simulated machine has none");
  }
}
void start_thread_counters() {}
void end_thread_counters() {}

}  // namespace pathline::record
