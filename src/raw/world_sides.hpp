// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "raw/process.hpp"

namespace pathline::raw {

/// A communicator as one world knows it.
struct WorldSide {
  size_t world = 0;
  std::span<const uint64_t> members;  ///< Of its own side, as Definitions::Members.
  Definitions::OtherWorld other;      ///< The other side; size 0 if that is not another world.
};

/// The communicators that two worlds have to one another: a program and what it spawned, or two
/// that met at a port. Nothing names them in common; what fits are their sizes, and of those the
/// ones that were made at about the same time.
///
/// returns  for each side its counterpart, SIZE_MAX for none
/// cost     quadratic in the number of such sides, of which 1024 are looked at
std::vector<size_t> join_sides(const std::vector<WorldSide>& sides);

}  // namespace pathline::raw
