// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "layout/scene.hpp"

namespace pathline::layout {

/// Two nodes that attract each other.
struct ForceEdge {
  uint32_t a = 0;
  uint32_t b = 0;     ///< Not `a`.
  double weight = 1;  ///< > 0; the more, the nearer.
};

struct ForceLayout {
  std::vector<Point> at;  ///< Per node, in a unit of its own.
  bool by_weight = true;  ///< False: the graph is too large, so its weights were not considered.
};

/// Places the nodes of a graph so that neighbours lie near each other, heavy ones nearer.
///
/// Graphviz does both steps. Its multilevel force-directed placement `sfdp` (Hu, "Efficient,
/// High-Quality Force-Directed Graph Drawing", 2005) finds the shape, but it cannot start from
/// given positions and does not look at weights. So each component is then pulled towards distances
/// along its edges of sqrt(mean weight / weight), within 1/4 to 4, by a few steps of stress
/// majorization (`neato`; Gansner, Koren, North, Graph Drawing 2004), which takes the positions of
/// the first step as its start. Components keep the places and sizes of the first step.
///
/// The same graph gives the same positions. Nodes without edges get places beside the others; leave
/// them out when there are many. Several edges between the same nodes count as one of all their
/// weight.
///
/// threads  may be called by several, but Graphviz keeps state of its own, so one waits for the
///          other. Sets the state of rand() and drand48().
/// errors   kInvalidArgument for edges of nodes that do not exist and of weights that are not
///          finite and above 0; kUnsupported if Graphviz lacks its placements.
/// cost     2,048 nodes with 31,703 edges: 0.4 s for the first and 1.5 s for the second step, which
///          needs all shortest distances and is left out beyond 4,096 nodes or about 3 s.
base::Result<ForceLayout> force_layout(uint32_t node_count, std::span<const ForceEdge> edges);

}  // namespace pathline::layout
