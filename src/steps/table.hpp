// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

}  // namespace pathline::steps
