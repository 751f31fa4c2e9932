// SPDX-License-Identifier: BSD-3-Clause
#include "findings/what_if.hpp"

#include <algorithm>

namespace pathline::findings {

WhatIf::WhatIf(const Model& model, const Replay& replay, bool until_last_step)
    : model_(model),
      replay_(replay),
      measured_(gap_ticks(model)),
      gaps_(gap_ticks(model)),
      costs_(call_costs(model, CallCost::kTypical)) {
  if (until_last_step) end_with_steps();
  ticks_ = play(gaps_, costs_);
}

void WhatIf::end_with_steps() {
  const StepWindows& steps = model_.step_windows;
  for (uint32_t lane = 0; lane < model_.lanes.size(); ++lane) {
    const Model::Lane& of = model_.lanes[lane];
    const uint32_t rank = model_.all->calls.lanes[lane].rank;
    if (rank >= steps.size() || steps[rank].empty()) continue;
    const uint64_t end = steps[rank].back().end_ticks;
    for (uint32_t call = of.end_call;; --call) {
      const size_t gap = Model::gap(call, lane);
      for (uint32_t i = model_.first_piece[gap]; i < model_.first_piece[gap + 1]; ++i) {
        if (model_.piece_step[i] == kNone) gaps_[gap] -= model_.piece_ticks[i];
      }
      // What the last step ends in is behind the call before.
      if (call == of.first_call || model_.begin(call - 1) < end) break;
      costs_[call - 1] = 0;
    }
  }
}

uint64_t WhatIf::play(const base::Column<uint64_t>& gaps,
                      const base::Column<uint64_t>& costs) const {
  return replay_.run(gaps, costs).ticks;
}

uint64_t WhatIf::ticks_with(const base::Column<uint64_t>& costs) const {
  return play(gaps_, costs);
}

double WhatIf::gain(const base::Column<uint64_t>& gaps) const {
  return static_cast<double>(ticks_) - static_cast<double>(play(gaps, costs_));
}

double WhatIf::gain_without(comm::WaitKind kind) const {
  return static_cast<double>(ticks_) - static_cast<double>(replay_.run(gaps_, costs_, kind).ticks);
}

void WhatIf::apply(const Repair& repair, base::Column<uint64_t>& gaps) const {
  for (const uint32_t path : repair.paths) {
    const base::Column<uint64_t> changed = changed_gaps(model_, path, repair.change, repair.ranks);
    for (size_t i = 0; i < gaps.size(); ++i) {
      const auto difference = static_cast<int64_t>(changed[i] - measured_[i]);
      gaps[i] =
          static_cast<uint64_t>(std::max<int64_t>(0, static_cast<int64_t>(gaps[i]) + difference));
    }
  }
}

double WhatIf::gain(const Repair& repair) const { return Repaired(*this).add(repair); }

WhatIf::Repaired::Repaired(const WhatIf& what_if) : what_if_(what_if), gaps_(what_if.gaps_.size()) {
  std::copy(what_if.gaps_.begin(), what_if.gaps_.end(), gaps_.begin());
}

double WhatIf::Repaired::add(const Repair& repair) {
  what_if_.apply(repair, gaps_);
  return static_cast<double>(what_if_.ticks_) -
         static_cast<double>(what_if_.play(gaps_, what_if_.costs_));
}

}  // namespace pathline::findings
