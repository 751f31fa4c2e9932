// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "findings/model.hpp"

namespace pathline::findings {

/// A stretch of the critical path.
struct CriticalSegment {
  uint32_t lane;
  uint64_t begin_ticks;
  uint64_t end_ticks;
  friend bool operator==(const CriticalSegment&, const CriticalSegment&) = default;
};

/// What one call path of one lane has of the critical path.
struct CriticalPart {
  uint32_t path;  ///< Index into Model::call_paths; kNone: outside of every call.
  uint32_t lane;
  uint64_t ticks;
  friend bool operator==(const CriticalPart&, const CriticalPart&) = default;
};

/// One call path on the critical path and elsewhere.
struct CriticalTotal {
  uint32_t path;
  uint64_t on_path_ticks;
  uint64_t all_ticks;  ///< Of all ranks, waits left out.
  /// Time on the critical path beyond the mean of all ranks: what balance would gain.
  [[nodiscard]] double imbalance_ticks(uint32_t ranks) const {
    return static_cast<double>(on_path_ticks) - static_cast<double>(all_ticks) / ranks;
  }
};

/// The chain of work that determines how long a program takes: from the end of the window back to
/// the latest end of a wait, from there to whoever was waited for, and on (Boehme et al., IPDPS
/// 2012). What is not on it can be made faster without any gain.
struct CriticalPath {
  std::vector<CriticalSegment> segments;  ///< In the order of time, without holes: its length is
                                          ///< that of the window.
  std::vector<CriticalPart> parts;        ///< By path, then lane.
  std::vector<CriticalTotal> totals;      ///< By path: of all that took time.
};

/// cost  O(calls + pieces).
CriticalPath critical_path(const Model& model);

}  // namespace pathline::findings
