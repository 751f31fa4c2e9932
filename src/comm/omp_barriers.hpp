// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/column.hpp"
#include "base/thread_pool.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

/// Visits of barriers of OpenMP, explicit and implicit, of ranks with several threads: rank by
/// rank, barrier by barrier.
struct OmpBarriers {
  base::Column<uint32_t> location;
  base::Column<uint64_t> begin_ticks;
  base::Column<uint64_t> end_ticks;
  base::Column<uint64_t> last_ticks;     ///< Enter of the last thread of the team.
  base::Column<uint32_t> last_location;  ///< That thread.

  [[nodiscard]] size_t size() const { return location.size(); }
};

/// The threads that are in a barrier of the same region at one time are a team: none leaves before
/// the last has come.
///
/// cost  O(events of ranks with threads), parallel over ranks.
OmpBarriers omp_barriers(const trace::Trace& trace, base::ThreadPool& pool);

/// Whether a region is a barrier of OpenMP, by region.
std::vector<bool> omp_barrier_regions(const trace::Definitions& definitions);

}  // namespace pathline::comm
