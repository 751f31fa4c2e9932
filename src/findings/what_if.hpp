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

  /// Repairs more and more.
  class Repaired {
   public:
    explicit Repaired(const WhatIf& what_if);
    /// returns  what all of them gain together.
    double add(const Repair& repair);

   private:
    const WhatIf& what_if_;
    base::Column<uint64_t> gaps_;
  };

  [[nodiscard]] uint64_t ticks() const { return ticks_; }  ///< Of the unchanged replay.
  /// Gain of a replay with these useful times in place of gap_ticks().
  [[nodiscard]] double gain(const base::Column<uint64_t>& gaps) const;
  /// Gain of a replay in which nobody waits for what is of this kind.
  [[nodiscard]] double gain_without(comm::WaitKind kind) const;
  /// Of a replay with these costs of calls.
  [[nodiscard]] uint64_t ticks_with(const base::Column<uint64_t>& costs) const;
  [[nodiscard]] const base::Column<uint64_t>& costs() const { return costs_; }
  [[nodiscard]] const base::Column<uint64_t>& gaps() const { return gaps_; }  ///< Unchanged ones.

 private:
  void end_with_steps();
  void apply(const Repair& repair, base::Column<uint64_t>& gaps) const;
  [[nodiscard]] uint64_t play(const base::Column<uint64_t>& gaps,
                              const base::Column<uint64_t>& costs) const;

  const Model& model_;
  const Replay& replay_;
  const base::Column<uint64_t> measured_;  // Per gap.
  base::Column<uint64_t> gaps_;            // What of it is replayed.
  base::Column<uint64_t> costs_;
  uint64_t ticks_;
};

}  // namespace pathline::findings
