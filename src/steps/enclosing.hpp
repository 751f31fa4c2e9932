// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "steps/repetition.hpp"

namespace pathline::steps {

/// Of pieces that alone cannot be told from chance those that enclose the turns of a loop. They
/// divide three quarters of the sequence at least into groups of these turns. In a random order the
/// sizes of groups are geometric. Pieces with five groups are kept if the sizes vary by half their
/// mean at most and, with all the pieces tried, are as alike in random order with a probability
/// below 10^-4 (by their geometric mean); pieces with three or four, if neighbouring groups differ
/// by 10 % of their sum at most and that has a probability below 10^-2.
///
/// pieces          with all their places in `starts`; three at least.
/// symbol_count    of the sequence.
/// returns  in any order, with `irregularity` 1 for a random order, without the places that are
///          start-up or shut-down, and with `by_inner` set.
/// cost     O(symbol_count + places).
std::vector<Repetition> enclosing(std::vector<Repetition> pieces, const Repetition& loop,
                                  size_t symbol_count);

}  // namespace pathline::steps
