// SPDX-License-Identifier: BSD-3-Clause
#include "findings/what_if.hpp"

#include <algorithm>

namespace pathline::findings {

WhatIf::WhatIf(const Model& model, const Replay& replay)
    : model_(model),
      replay_(replay),
      gaps_(gap_ticks(model)),
      costs_(call_costs(model, CallCost::kTypical)),
      ticks_(play(gaps_, costs_)) {}

uint64_t WhatIf::play(const base::Column<uint64_t>& gaps,
                      const base::Column<uint64_t>& costs) const {
  return replay_.run(gaps, costs).ticks;
}

uint64_t WhatIf::ticks_with(const base::Column<uint64_t>& costs) const {
  return play(gaps_, costs);
}

void WhatIf::apply(const Repair& repair, base::Column<uint64_t>& gaps) const {
  for (const uint32_t path : repair.paths) {
    const base::Column<uint64_t> changed = changed_gaps(model_, path, repair.change, repair.ranks);
    for (size_t i = 0; i < gaps.size(); ++i) {
      const auto difference = static_cast<int64_t>(changed[i] - gaps_[i]);
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
