// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "findings/model.hpp"

namespace pathline::findings {

/// Calls visit(dependency, set, ticks) for each operation in the window that a call takes part in
/// and that none leaves before all have come: `ticks` is when the last one came.
template <class Visit>
void for_each_operation(const Model& model, uint32_t call, Visit visit) {
  const comm::Dependencies& all = *model.all;
  for (uint32_t i = all.first[call]; i < all.first[call + 1]; ++i) {
    const comm::Dependency& one = all.list[i];
    if (!one.of_group() || !one.waits() || one.kind == comm::WaitKind::kEarlyScan) continue;
    const uint32_t group = all.group[one.target];
    const uint32_t latest = all.group_latest[group];
    if (latest == comm::kNoCall || !model.in_window(latest)) continue;
    visit(one, all.group_set[group], model.begin(latest));
  }
}

/// Where a set stands or would, in `sets` that ascend.
template <class Sets>
auto set_at(Sets& sets, uint32_t set) {
  return std::lower_bound(sets.begin(), sets.end(), set,
                          [](const auto& a, uint32_t b) { return a.set < b; });
}

/// The one of a set; a new one if there was none.
template <class Sets>
auto& set_in(Sets& sets, uint32_t set) {
  auto at = set_at(sets, set);
  if (at == sets.end() || at->set != set) at = sets.insert(at, {set, {}});
  return *at;
}

}  // namespace pathline::findings
