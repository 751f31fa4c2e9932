// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/region_filter.hpp"
#include "base/thread_pool.hpp"
#include "summary/run_summary.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// What one region costs in a trace. Summed over ranks.
struct ScoreRow {
  trace::Region region;  ///< none() for what was recorded outside of calls.
  std::string label;     ///< No two rows have the same.
  /// "mpi", "io", "omp"; "com" for others that lead to MPI calls, "usr" for those that do not.
  std::string_view group;
  uint64_t calls = 0;
  double time_s = 0;  ///< Exclusive.
  uint64_t trace_bytes = 0;
  bool filtered = false;  ///< By the filter that was asked about.
};

struct Score {
  std::vector<ScoreRow> rows;            ///< Most bytes first.
  std::vector<uint64_t> bytes_of_ranks;  ///< Estimated trace of each rank.
  std::vector<uint64_t> kept_of_ranks;   ///< The same without what the filter leaves out.
  uint64_t trace_bytes = 0;
  uint64_t filtered_bytes = 0;
  uint64_t filtered_regions = 0;
};

/// Regions by what they cost in the trace. Bytes are those of an OTF2 archive: each event as the
/// format writes it, counted to the call it happened in, so that a filter that leaves the call out
/// saves as much; events other than enter and leave stay in a trace that is filtered, as messages
/// do, and count to the call around.
///
/// filter  whose verdict is wanted; MPI is never left out.
/// cost    O(events), parallel over locations.
Score score(const trace::Trace& trace, const base::RegionFilter& filter, base::ThreadPool& pool);

/// score() of a run in tables, whose locations are in `run`; without a filter, which needs events.
Score score(const summary::RunSummary& summary, const trace::Trace& run);

/// A filter in Score-P's syntax that leaves out the regions of group "usr" that take at least 1 %
/// of the trace and less than 10 us a call; "" if there are none. What the filter in `score` leaves
/// out already stays left out.
std::string proposed_filter(const trace::Trace& trace, const Score& score);

}  // namespace pathline::app
