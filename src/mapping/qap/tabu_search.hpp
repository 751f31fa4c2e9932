// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mapping/qap/qap.hpp"
#include "mapping/search/random.hpp"

namespace pathline::mapping {

struct TabuResult {
  Permutation place_of_item;  ///< The best met, `start` included.
  int64_t cost = 0;
  uint64_t swap_count = 0;
};

/// Robust tabu search (Taillard, Parallel Computing 17, 1991): always the best swap, up or down,
/// but for some swaps no item back to a place that it left, unless that is the best ever.
///
/// deadline  looked at every few hundred swaps; may be shared by several threads.
/// cost      swap_count * O(size^2), after O(size^3).
TabuResult tabu_search(const Qap& qap, std::span<const uint32_t> start, uint64_t swap_count,
                       Random random, Deadline& deadline);

}  // namespace pathline::mapping
