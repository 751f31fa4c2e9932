// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "findings/model.hpp"

namespace pathline::findings {

/// Who waits for some ranks, and where one sees it.
struct WaitsOf {
  std::array<uint64_t, comm::kWaitKindCount> by_kind{};
  uint64_t ticks = 0;
  std::vector<uint32_t>
      waiting;        ///< At most four ranks that wait most, ascending; none of the causes.
  Window seen{0, 0};  ///< Around the longest of these waits; empty without any.
  std::optional<uint32_t> seen_cause;  ///< The rank that it waits for.
};

/// What lanes do at some call paths.
struct AtPaths {
  std::vector<uint32_t> paths;  ///< Indices into Model::call_paths.
  std::vector<uint64_t> ticks;  ///< By lane: how long, in the time in which a wait is to be seen.
};

/// Waits of other ranks for those of `lanes` (by lane), without what these inherited.
///
/// seen_in   where it is looked for one to be seen; elsewhere if there is hardly any.
/// to_blame  what the wait is to be for: the longest is seen of which each tick is one that the
///           cause was longer there than who waits, and from where the cause was there last; any
///           if there is none.
/// cost      O(calls).
WaitsOf waits_of(const Model& model, const std::vector<bool>& lanes,
                 const std::optional<Window>& seen_in = std::nullopt, const AtPaths& to_blame = {});

/// Per lane, how long those of other lanes waited for it, by kind: WaitsOf::by_kind of each lane.
///
/// cost  O(calls).
std::vector<std::array<uint64_t, comm::kWaitKindCount>> waits_for_lanes(const Model& model);

/// Whether most messages that other ranks receive come from this lane's rank. Neighbours of a rank
/// that works alone wait for it, too, but talk with others.
///
/// cost  O(messages).
bool serves_others(const Model& model, uint32_t lane);

/// Whether there are calls that take what comes first, or ask whether something came: a run without
/// some fault may have met the messages in another order.
///
/// cost  O(calls).
bool depends_on_order(const Model& model);

}  // namespace pathline::findings
