// SPDX-License-Identifier: BSD-3-Clause
#include "record/mpi/clock_offset.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

#include "record/process.hpp"

namespace pathline::record {
namespace {

constexpr int kExchanges = 20;

struct Offset {
  int64_t offset_ns = 0;  ///< To be added to our clock.
  int64_t error_ns = 0;
};

/// Of each clock the first rank that has it, in their order, and how far it is from that of rank 0.
int* leaders = nullptr;
Offset* offsets = nullptr;
int clock_count = 0;
int own_clock = 0;

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

/// A number that only processes with one CLOCK_MONOTONIC have in common.
uint64_t clock_key() {
  char text[256] = "";
  gethostname(text, sizeof text - 1);
  uint64_t key = hash_of(text);
  const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    const ssize_t bytes = read(file, text, sizeof text - 1);
    text[bytes > 0 ? bytes : 0] = '\0';
    close(file);
    key = hash_of(text, key);
  }
  const ssize_t bytes = readlink("/proc/self/ns/time", text, sizeof text - 1);
  text[bytes > 0 ? bytes : 0] = '\0';
  return hash_of(text, key);
}

/// Numbers the clocks in the order of their first ranks.
void number_clocks(const uint64_t* keys, int size, int rank) {
  int last = 0;
  for (int other = 0; other < size; ++other) {
    // Neighbours mostly share one.
    if (clock_count == 0 || keys[leaders[last]] != keys[other]) {
      last = 0;
      while (last < clock_count && keys[leaders[last]] != keys[other]) ++last;
      if (last == clock_count) leaders[clock_count++] = other;
    }
    if (other == rank) own_clock = last;
  }
}

template <class Item>
void shrink(Item*& items, int count) {
  void* less = std::realloc(items, sizeof(Item) * static_cast<size_t>(count));
  if (less != nullptr) items = static_cast<Item*>(less);
}

}  // namespace

int find_clocks() {
  int rank = 0;
  int size = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  const uint64_t mine = clock_key();
  const auto count = static_cast<size_t>(size);
  auto* keys = static_cast<uint64_t*>(std::malloc(sizeof(uint64_t) * count));
  leaders = static_cast<int*>(std::malloc(sizeof(int) * count));
  offsets = static_cast<Offset*>(std::malloc(sizeof(Offset) * count));
  // All or none: a process that stayed away would leave the others waiting.
  int ready = keys != nullptr && leaders != nullptr && offsets != nullptr ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (ready != 0) {
    PMPI_Allgather(&mine, 1, MPI_UINT64_T, keys, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    number_clocks(keys, size, rank);
    shrink(leaders, clock_count);
    shrink(offsets, clock_count);
  }
  std::free(keys);
  return ready == 0 ? -1 : leaders[own_clock];
}

bool clocks_differ() { return clock_count > 1; }

void measure_clock_offsets(MPI_Comm comm, int tag) {
  if (clock_count == 0) return;
  Offset own;
  if (clocks_differ()) {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    if (rank == 0) {
      offsets[0] = {};
      for (int clock = 1; clock < clock_count; ++clock) {
        answer(comm, leaders[clock], tag);
        PMPI_Recv(&offsets[clock], sizeof(Offset), MPI_BYTE, leaders[clock], tag, comm,
                  MPI_STATUS_IGNORE);
      }
    } else if (leaders[own_clock] == rank) {
      const Offset offset = ask(comm, 0, tag);
      PMPI_Send(&offset, sizeof offset, MPI_BYTE, 0, tag, comm);
    }
    PMPI_Bcast(offsets, clock_count * static_cast<int>(sizeof(Offset)), MPI_BYTE, 0, comm);
    own = offsets[own_clock];
  }
  const uint64_t numbers[] = {mono(), base::zigzag(own.offset_ns),
                              static_cast<uint64_t>(own.error_ns) + process.clock_error_ns};
  define(RecordKind::kClockOffset, numbers, 3);
}

}  // namespace pathline::record
