// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "figure/network/graph_nodes.hpp"
#include "figure/network/view.hpp"

// Nodes that exchange nothing with the others.
namespace pathline::figure {

/// The groups that talk among each other only, each with its groups (of a view) ascending, the
/// largest first, ties by the first. Those of fewer than 3 are left out.
std::vector<std::vector<uint32_t>> clusters(std::span<const GroupPair> pairs, uint32_t group_count);

/// A ground below the nodes of each cluster, as far as they reach.
void add_cluster_grounds(layout::Scene& scene, const layout::Theme& theme, const GraphNodes& nodes,
                         std::span<const std::vector<uint32_t>> clusters);

}  // namespace pathline::figure
