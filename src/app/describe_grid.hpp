// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/describe_steps.hpp"
#include "base/result.hpp"

namespace pathline::app {

/// Messages by sender and receiver.
using PairCounts = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;

PairCounts pair_counts(const RankSteps& steps);

/// From a rank to one of its neighbours in a grid of ranks.
struct Move {
  uint32_t axis;
  bool up;     ///< To the larger coordinate, or from the last to the first.
  bool wraps;  ///< From the last to the first or back, where an axis has three or more ranks.
  friend bool operator==(const Move&, const Move&) = default;
};

/// How `to` is reached from `from` in a grid of ranks, x fastest. Along an axis of two ranks up is
/// from 0 to 1. None: they are no neighbours along one axis, or the same rank.
std::optional<Move> move_between(uint32_t from, uint32_t to, std::span<const uint32_t> ranks);

/// The grids of ranks whose neighbours are those who exchange messages: along one axis, with the
/// wrap-around, and all neighbours do. The most even one comes first.
///
/// cells   of the whole grid; no axis gets more ranks.
/// errors  kInvalidArgument where no grid explains 95 % of the messages, naming what the best one
///         explains.
base::Result<std::vector<std::vector<uint32_t>>> find_rank_grids(uint32_t rank_count,
                                                                 const std::vector<uint32_t>& cells,
                                                                 const PairCounts& pairs);

/// What a rank does most often in a step.
struct Pattern {
  std::vector<MessageGroup> groups;
  size_t steps = 0;  ///< That are like this.
  [[nodiscard]] size_t sends() const;
  [[nodiscard]] bool fits(const RankStep& step) const;  ///< The same messages in the same order.
};

/// The most common sequence of messages of these steps; the earliest of several.
Pattern pattern_of(std::span<const RankStep> steps);

/// Whether an axis has ends, and how certain that is.
struct AxisEnds {
  bool periodic = false;
  bool known = true;
};

/// Looks at the messages of each axis. With two ranks along an axis it tells whether it is periodic
/// by calls that send to and receive from the same rank, else by the number of messages beside that
/// of an axis with three or more ranks, else by their tags.
///
/// patterns   by rank.
/// reference  the rank that sends most.
std::vector<AxisEnds> find_ends(const PairCounts& pairs, std::span<const Pattern> patterns,
                                uint32_t reference, std::span<const uint32_t> ranks);

}  // namespace pathline::app
