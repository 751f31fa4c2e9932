// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mapping/search/place_tree.hpp"
#include "mapping/search/swap_search.hpp"

namespace pathline::mapping {

struct HalvingOptions {
  uint32_t bisect_starts = 4;
  uint32_t block_sweeps = 0;  ///< Swaps of whole parts tried per part after each halving.
  double block_hottest = 0.1;
  double block_coolest = 0.01;
  double hottest = 0.02;  ///< As in Cooling.
  double coolest = 0.002;
  uint32_t sweeps = 30;  ///< Swaps tried per item after each halving.
};

/// Places all items by halving them along the tree. Cost O(depth * (weights + items * sweeps *
/// partners)).
Permutation halve_recursively(const Weights& weights, const PlaceTree& tree,
                              const HalvingOptions& options, Random& random, Deadline& deadline);

}  // namespace pathline::mapping
