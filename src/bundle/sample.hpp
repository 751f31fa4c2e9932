// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "bundle/phase_grid.hpp"
#include "layout/scene.hpp"

// Some of very many message lines, for measures that need not see them all.
namespace pathline::bundle {

/// About `count` lines, chosen by what they are, so that their order does not matter; all where
/// there are no more. O(lines).
layout::Segments sample(const layout::Segments& lines, size_t count);

/// All lines, or some thousand of each of three parts of the picture, at the beginning, the middle
/// and the end of the messages, as close to each other as they are there; `clip` is the part.
///
/// reach_px   how far curves leave the rows between their ends: lines so far outside a part
///            belong to it.
std::vector<layout::Segments> typical_parts(const layout::Segments& lines, const EndCounts& ends,
                                            double reach_px);

}  // namespace pathline::bundle
