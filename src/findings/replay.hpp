// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/column.hpp"
#include "findings/model.hpp"

namespace pathline::findings {

/// What a call costs beside its wait.
enum class CallCost : uint8_t {
  kIdeal,    ///< An ideal network: data and operations take no time.
  kRest,     ///< What it cost when it was measured. Such a replay lasts as long as the run did.
  kTypical,  ///< That, but at most the median of its MPI function: for what-ifs, changed and
             ///< unchanged. A rank that has time to wait is slow in MPI, and would look as if it
             ///< could not help it.
};

/// Ticks per call; 0 for those outside the window.
///
/// cost  O(calls), kTypical O(calls log calls).
base::Column<uint64_t> call_costs(const Model& model, CallCost cost);

/// Useful ticks per gap, as measured.
base::Column<uint64_t> gap_ticks(const Model& model);

/// How the useful time of one call path is changed.
enum class Change : uint8_t {
  kStatic,  ///< Each rank has as much in total as their mean.
  kStep,    ///< Each rank has as much in each step as their mean.
  kRemove,  ///< None.
};

/// As gap_ticks(), with the pieces of `path` (an index into Model::call_paths; not of the paths
/// below) scaled.
///
/// In time steps, ranks that have none of it get the mean as well, where their part of the step
/// begins: no work gets lost. Outside of steps nobody knows when they should do it, and they do
/// not.
///
/// ranks  by rank, those whose pieces are removed; empty means all. For kRemove only.
base::Column<uint64_t> changed_gaps(const Model& model, uint32_t path, Change change,
                                    const std::vector<bool>& ranks = {});

struct Replayed {
  uint64_t ticks = 0;   ///< From the begin of the window until the last lane is done.
  uint64_t forced = 0;  ///< Dependencies that were dropped because all lanes waited in a circle.
};

/// The replay of what was measured, which others start from.
struct Measured {
  Replayed replayed;
  /// Calls that wait, or are done with others in a group, in an order in which each comes behind
  /// all that it depends on; and their lanes.
  struct Completed {
    uint32_t call;
    uint32_t lane;
  };
  base::Column<Completed> completed;
};

/// Plays a program again with other times: lanes go through their gaps and calls; a call ends when
/// all that it depends on has begun, at the latest of that, and after its cost.
///
/// A Replay holds what runs have in common. Several may run at the same time.
class Replay {
 public:
  /// model  must outlive this.
  explicit Replay(const Model& model);

  /// gaps     per gap; costs  per call.
  /// without  dependencies of this kind count for nothing.
  /// cost     O(calls + dependencies), 12 bytes a call while it runs.
  Replayed run(const base::Column<uint64_t>& gaps, const base::Column<uint64_t>& costs,
               comm::WaitKind without = comm::kNoWait) const;
  /// With gap_ticks() and CallCost::kRest.
  Measured run_measured() const;

 private:
  friend class Player;
  const Model& model_;
  base::Column<uint32_t> arrivals_;  // Per group: how many of its members are in the window.
  std::vector<bool> fixed_;          // Per call: it waits for somebody who came after the window.
};

}  // namespace pathline::findings
