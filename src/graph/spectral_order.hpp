// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/traffic.hpp"

// Orders of the ranks that put those side by side that talk to each other. Both take the traffic
// in its two directions together, treat each connected component on its own, and put the components
// in the order of their smallest rank. Pairs of weight 0 and messages to oneself do not count.
namespace pathline::graph {

enum class Weight : uint8_t { kMessages, kBytes };

/// By the Fiedler vector, the eigenvector of the second smallest eigenvalue of the graph's
/// Laplacian: it minimises sum w (x_s - x_r)^2 (M. Fiedler, "Algebraic connectivity of graphs",
/// Czech. Math. J. 23, 1973). The first rank whose entry is not zero has a negative one, ranks of
/// equal entries follow their numbers, and where several vectors are possible that nearest to the
/// order of the ranks is taken.
///
/// returns  the rank at each position; a component of which the eigenvector was not found, within
///          bounded time, is in the order of rcm_order().
/// cost     graphs that can be cut cheaply, as grids: a sparse factorisation, O(n^1.5) for grids;
///          others: O(pairs) times some hundred. 1024 ranks and 60,000 pairs: tens of ms.
std::vector<uint32_t> spectral_order(const Traffic& traffic, Weight weight);

/// Reverse Cuthill-McKee: breadth first from an end of the graph, neighbours of few neighbours
/// first, then backwards (E. Cuthill, J. McKee, "Reducing the bandwidth of sparse symmetric
/// matrices", 24th ACM Nat. Conf., 1969; ends after A. George, J. W. H. Liu, "An implementation of
/// a pseudoperipheral node finder", ACM TOMS 5, 1979). It looks at who talks to whom, not how much.
///
/// returns  the rank at each position.
/// cost     O(pairs log pairs)
std::vector<uint32_t> rcm_order(const Traffic& traffic, Weight weight);

/// Mean distance in positions that a message (a byte) goes: sum w |position(sender) -
/// position(receiver)| / sum w, messages to oneself included. 0 without weight.
///
/// position  per rank.
double order_score(const Traffic& traffic, Weight weight, std::span<const uint32_t> position);

}  // namespace pathline::graph
