// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mapping/search/swap_search.hpp"

namespace pathline::mapping {

/// Annealing by exchanging blocks of items or of places: all whose numbers differ from each other
/// in some bits only are exchanged with those that differ from them in some other bits. Blocks of
/// one are swaps; large ones turn, shift and mirror parts of a placement as a whole, which swaps
/// cannot do without getting much worse first.
///
/// place_of_item  improved in place, never made worse.
/// steps          exchanges tried; each costs O(partners of the items moved), about 4 items in the
///                mean.
void anneal_blocks(const Problem& problem, const Weights& weights, const Cooling& cooling,
                   Random& random, Deadline& deadline, Permutation& place_of_item);

}  // namespace pathline::mapping
