// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench/shallow/division.hpp"
#include "bench/shallow/fields.hpp"

namespace shallow {

inline constexpr double kDxM = 1e5;  ///< Size of a cell in x.
inline constexpr double kDyM = 1e5;
inline constexpr double kDtS = 90;       ///< Time step; gravity waves allow up to 158 s.
inline constexpr double kAlpha = 0.001;  ///< Of the time filter.

enum class Start {
  kSteady,     ///< One mode of the stream function, with the depth that balances it.
  kPerturbed,  ///< And a second one, with nothing to balance it: all terms of the equations work.
};

/// Sets u, v, p and their old values, with halos. What a cell gets depends on its place in the
/// whole grid only.
void set_start(const Division& division, Start start, Fields& fields);

}  // namespace shallow
