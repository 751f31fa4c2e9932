// SPDX-License-Identifier: BSD-3-Clause
#include "record/mpi/clock_offset.hpp"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "record/process.hpp"

namespace pathline::record {
namespace {

constexpr int kExchanges = 20;

struct Offset {
  int64_t offset_ns = 0;  ///< To be added to our clock.
  int64_t error_ns = 0;
};

uint64_t mono() { return clock_ns(CLOCK_MONOTONIC); }

/// The side that has the reference clock.
void answer(MPI_Comm comm, int other, int tag) {
  for (int i = 0; i < kExchanges; ++i) {
    char ping = 0;
    PMPI_Recv(&ping, 1, MPI_CHAR, other, tag, comm, MPI_STATUS_IGNORE);
    uint64_t time = mono();
    PMPI_Send(&time, sizeof time, MPI_BYTE, other, tag, comm);
  }
}

Offset ask(MPI_Comm comm, int reference, int tag) {
  Offset best;
  uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < kExchanges; ++i) {
    const char ping = 0;
    uint64_t theirs = 0;
    const uint64_t begin = mono();
    PMPI_Send(&ping, 1, MPI_CHAR, reference, tag, comm);
    PMPI_Recv(&theirs, sizeof theirs, MPI_BYTE, reference, tag, comm, MPI_STATUS_IGNORE);
    const uint64_t end = mono();
    if (end - begin >= shortest) continue;
    shortest = end - begin;
    best.offset_ns = static_cast<int64_t>(theirs - (begin + shortest / 2));
    best.error_ns = static_cast<int64_t>(shortest / 2 + 1);
  }
  return best;
}

}  // namespace

int measure_clock_offsets(MPI_Comm comm, int tag) {
  int rank = 0;
  int size = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  // Who shares a node: a hash of the host's name of every process.
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  uint64_t mine = 1469598103934665603ULL;
  for (const char* c = host; *c != '\0'; ++c)
    mine = (mine ^ static_cast<uint8_t>(*c)) * 1099511628211ULL;
  auto* hosts = static_cast<uint64_t*>(std::malloc(sizeof(uint64_t) * static_cast<size_t>(size)));
  // All or none: a process that stayed away would leave the others waiting.
  int ready = hosts != nullptr ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, comm);
  if (ready == 0) {
    std::free(hosts);
    return -1;
  }
  PMPI_Allgather(&mine, 1, MPI_UINT64_T, hosts, 1, MPI_UINT64_T, comm);
  int leader = 0;
  while (hosts[leader] != mine) ++leader;

  Offset offset;
  if (rank == 0) {
    for (int other = 1; other < size; ++other) {
      int first = 0;
      while (hosts[first] != hosts[other]) ++first;
      if (first == other) answer(comm, other, tag);
    }
  } else if (leader == rank) {
    offset = ask(comm, 0, tag);
  }
  if (leader == rank) {
    for (int other = rank + 1; other < size; ++other) {
      if (hosts[other] != mine) continue;
      answer(comm, other, tag);
      PMPI_Send(&offset, sizeof offset, MPI_BYTE, other, tag, comm);
    }
  } else {
    const Offset own = ask(comm, leader, tag);
    PMPI_Recv(&offset, sizeof offset, MPI_BYTE, leader, tag, comm, MPI_STATUS_IGNORE);
    // Containers may have clocks of their own.
    constexpr int64_t kSameClock = 1000;
    if (std::llabs(own.offset_ns) > kSameClock + own.error_ns) {
      offset.offset_ns += own.offset_ns;
      offset.error_ns += own.error_ns;
    }
  }
  std::free(hosts);
  const uint64_t numbers[] = {mono(), chunk::zigzag(offset.offset_ns),
                              static_cast<uint64_t>(offset.error_ns) + process.clock_error_ns};
  define(RecordKind::kClockOffset, numbers, 3);
  return leader;
}

}  // namespace pathline::record
