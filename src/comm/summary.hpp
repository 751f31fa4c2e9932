// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/packing.hpp"
#include "base/thread_pool.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

/// What a trace holds, in numbers.
struct Summary {
  uint64_t events = 0;
  std::array<uint64_t, trace::kEventKindCount> events_by_kind{};  ///< Unmatched leaves are leaves.
  uint64_t cpu_threads = 0;
  uint64_t streams = 0;          ///< Of accelerators.
  uint64_t communicators = 0;    ///< Of MPI; others stand for teams of threads and the like.
  uint64_t regions_visited = 0;  ///< Distinct regions that some location entered.
  uint64_t hosts = 0;            ///< System tree nodes that hold processes.
  uint64_t messages = 0;
  uint64_t message_bytes = 0;
  uint64_t unmatched_sends = 0;
  uint64_t unmatched_receives = 0;
  uint64_t collectives = 0;  ///< Operations of MPI.
  uint64_t io_operations = 0;
  uint64_t io_bytes_read = 0;
  uint64_t io_bytes_written = 0;
  uint64_t marked_steps = 0;          ///< Largest number of time steps that a rank marked.
  uint64_t init_end_ticks = 0;        ///< Of the last MPI_Init that ended; 0 without.
  uint64_t finalize_begin_ticks = 0;  ///< Of the last MPI_Finalize; 0 without.
};

/// cost  one pass over the kinds of all events, parallel over locations.
Summary summarise(const trace::Trace& trace, base::ThreadPool& pool);

/// The same of a run whose events come a part of the time after the other. What is not of events
/// (messages, collective operations, steps) is for the caller to fill in.
class GrowingSummary {
 public:
  /// earlier  per location: how many of its events were in the part before.
  /// open     gets, per location, events that are needed once more: I/O that goes on.
  void add(const trace::Trace& part, const std::vector<size_t>& earlier,
           std::vector<std::vector<uint32_t>>& open, base::ThreadPool& pool);
  [[nodiscard]] Summary finish(const trace::Trace& trace) const;
  /// What was counted so far, for another process; take() adds it to its own.
  void pack(base::Packer& out) const;
  void take(base::Unpacker& in);

 private:
  void add(const Summary& more, const std::vector<bool>& visited);
  void choose_regions(const trace::Definitions& definitions);

  Summary summary_;
  std::vector<uint32_t> starts_;  // Regions.
  std::vector<uint32_t> ends_;
  std::vector<bool> visited_;  // Per region.
};

}  // namespace pathline::comm
