// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/describe_grid.hpp"
#include "predict/application.hpp"

namespace pathline::app {

/// Along which axis a message goes, and to which end of it.
struct Way {
  uint32_t axis;
  bool up;
  friend bool operator==(const Way&, const Way&) = default;
};
/// Of each message of each group of a pattern; none: it goes to no neighbour.
using Ways = std::vector<std::vector<std::optional<Way>>>;

/// The bytes that a rank sent, and the cells it has.
struct SeenBytes {
  std::array<uint32_t, predict::kMaxAxes> local;
  uint64_t bytes;
};

/// values_per_cell and extra of a shift along `axis` whose bytes are exactly those that were seen:
/// the least that is added to a side, at most 2. None: there are none.
std::optional<predict::Shift> fit_shift(uint32_t axis, size_t axes,
                                        std::span<const SeenBytes> seen);

/// The shifts of one time step, as a rank sees it that has neighbours on all sides.
struct Shifts {
  struct Group {
    std::vector<predict::Shift> shifts;
    bool at_once = false;
  };
  std::vector<Group> groups;  ///< As many as the reference has, in its order.
  std::vector<bool> periodic;
  std::vector<Ways> ways;  ///< By rank, of its pattern.
  /// By rank: its cells along each axis, divided in the way that fits the messages best.
  std::vector<std::array<uint32_t, predict::kMaxAxes>> locals;
  size_t misfits = 0;  ///< Shifts whose bytes are not those that were seen.
  std::vector<std::string> remarks;
};

/// Finds them in the messages of `reference`, the rank that sends most. Where an axis has two ranks
/// and ends, the other one's messages along it are added. Where cells do not divide evenly, ranks
/// with one more may be the first ones of an axis, the last ones, or spread evenly.
///
/// patterns  by rank.
/// ranks     of each axis, x fastest.
Shifts find_shifts(const PairCounts& pairs, std::span<const Pattern> patterns, uint32_t reference,
                   const std::vector<uint32_t>& cells, const std::vector<uint32_t>& ranks);

}  // namespace pathline::app
