// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/column.hpp"
#include "findings/replay.hpp"

namespace pathline::findings {

/// How call paths are changed to see what that gains.
struct Repair {
  std::vector<uint32_t> paths;  ///< Indices into Model::call_paths; none: nothing a replay can do.
  Change change = Change::kStep;
  std::vector<bool> ranks;  ///< For Change::kRemove, by rank; empty means all.
};

/// Replays of one model with something changed.
class WhatIf {
 public:
  /// model, replay    of the model, must outlive this.
  /// until_last_step  each rank is done with its last time step: what early ones do behind it would
  ///                  hide that the others could be as early.
  WhatIf(const Model& model, const Replay& replay, bool until_last_step = false);

  /// How many ticks shorter the window would be; negative if it got longer.
  ///
  /// cost  a replay, and O(pieces) for each path.
  [[nodiscard]] double gain(const Repair& repair) const;
  /// The same of replays in which no send waits for its receive. A receiver that takes what comes
  /// first would take it in another order then; in that of the run, those that are later than they
  /// were would hold up all others.
  [[nodiscard]] double gain_in_any_order(const Repair& repair) const;

  /// Repairs more and more.
  class Repaired {
   public:
    /// without  dependencies of this kind count for nothing, before and after.
    explicit Repaired(const WhatIf& what_if, comm::WaitKind without = comm::kNoWait);
    /// returns  what all of them gain together.
    double add(const Repair& repair);

   private:
    const WhatIf& what_if_;
    const comm::WaitKind without_;
    const uint64_t ticks_;  // Of the unchanged replay.
    base::Column<uint64_t> pieces_;
    base::Column<uint64_t> times_;
  };

  [[nodiscard]] uint64_t ticks() const { return ticks_; }  ///< Of the unchanged replay.
  /// Gain of a replay with these useful times in place of gap_ticks().
  [[nodiscard]] double gain(const base::Column<uint64_t>& gaps) const;
  /// Gain of a replay in which nobody waits for what is of this kind.
  [[nodiscard]] double gain_without(comm::WaitKind kind) const;
  /// Gain of a replay in which these calls cost nothing and wait for nobody.
  [[nodiscard]] double gain_without(const std::vector<uint32_t>& calls) const;
  /// Of a replay with these costs of calls.
  [[nodiscard]] uint64_t ticks_with(const base::Column<uint64_t>& costs) const;
  /// Unchanged ones: per call, per gap.
  ///
  /// cost  O(calls), each time.
  [[nodiscard]] base::Column<uint64_t> costs(CallCost cost = CallCost::kTypical) const;
  [[nodiscard]] base::Column<uint64_t> gaps() const;

 private:
  [[nodiscard]] std::vector<uint32_t> behind_steps() const;
  [[nodiscard]] uint64_t gap_ticks(uint32_t lane, uint32_t call) const;
  [[nodiscard]] uint64_t cost(uint32_t lane, uint32_t call) const {
    return call < end_call_[lane] ? cost_of_(call) : 0;
  }
  [[nodiscard]] double gain_of(const Replayed& replayed) const {
    return static_cast<double>(ticks_) - static_cast<double>(replayed.ticks);
  }

  const Model& model_;
  const Replay& replay_;
  const CostOfCall cost_of_;
  const std::vector<uint32_t> end_call_;  // Per lane: from here on only time steps count.
  const base::Column<uint64_t> times_;    // Replay::times().
  const base::Column<uint32_t> row_of_piece_;
  const uint64_t ticks_;
};

}  // namespace pathline::findings
