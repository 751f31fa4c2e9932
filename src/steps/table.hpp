// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pathline::steps {

/// What one rank did in some part of the run. Ticks are those of the trace's clock, summed over the
/// threads of the rank.
struct Counters {
  uint64_t mpi_ticks = 0;  ///< In calls of MPI that are not file I/O.
  uint64_t io_ticks = 0;   ///< In calls of file I/O, those of MPI included.
  uint64_t sent_messages = 0;
  uint64_t sent_bytes = 0;
  uint64_t received_messages = 0;
  uint64_t received_bytes = 0;
  uint64_t read_bytes = 0;
  uint64_t written_bytes = 0;

  Counters& operator+=(const Counters& other) {
    mpi_ticks += other.mpi_ticks;
    io_ticks += other.io_ticks;
    sent_messages += other.sent_messages;
    sent_bytes += other.sent_bytes;
    received_messages += other.received_messages;
    received_bytes += other.received_bytes;
    read_bytes += other.read_bytes;
    written_bytes += other.written_bytes;
    return *this;
  }
  friend bool operator==(const Counters&, const Counters&) = default;
};

/// One time step of one rank.
struct Row {
  uint32_t step;
  uint32_t rank;
  uint64_t begin_ticks;
  uint64_t end_ticks;
  Counters counters;
  bool recorded = true;  ///< False: nothing is known but its times.
};

/// The time steps of a run: every message and every tick of a call is in one row or in `outside`.
struct Table {
  std::vector<Row> rows;          ///< By step, rank, begin.
  std::vector<Counters> outside;  ///< Per rank: what lies in no step.
};

/// Calls visit(row, how many numbers of steps are less, how often its rank had this number before):
/// a program may count its steps from the beginning again.
template <class Visit>
void for_each_row(const Table& table, Visit visit) {
  size_t number = 0;
  size_t again = 0;
  const Row* last = nullptr;
  for (const Row& row : table.rows) {
    if (last != nullptr && last->step != row.step) ++number;
    const bool is_again = last != nullptr && last->step == row.step && last->rank == row.rank;
    again = is_again ? again + 1 : 0;
    visit(row, number, again);
    last = &row;
  }
}

}  // namespace pathline::steps
