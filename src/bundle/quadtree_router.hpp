// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/thread_pool.hpp"
#include "bundle/quadtree_graph.hpp"
#include "bundle/router.hpp"
#include "layout/scene.hpp"

namespace pathline::bundle {

struct QuadtreeOptions {
  QuadtreeLimits limits;
  double length_power = 1.1;  ///< above 1 long edges cost more than several short ones
  double use_power = 0.3;     ///< how strongly used edges attract; 0 not at all
  double max_detour = 1.3;    ///< longest route, as a multiple of the straight line
  uint32_t round_count = 2;   ///< the first finds the shortest ways, each further one shared ones
  size_t max_bundle_count = size_t{1} << 18;   ///< pairs of cells that get a route
  size_t max_search_effort = size_t{1} << 23;  ///< searches per round times vertices
};

/// Messages along the borders of a quadtree that is fine where many messages begin or end (A.
/// Lambert, R. Bourqui, D. Auber, "Winding Roads: Routing edges into bundles", Comput. Graph. Forum
/// 29(3), 2010; quadtree_graph.hpp).
///
/// Messages with the same leaf cells at both ends are one bundle of summed weight and have the same
/// inner points: the cheapest way from the corners of the sender's cell to the corners of the
/// receiver's cell. An edge costs length^length_power * (1 + use)^-use_power, its use being the
/// weight that the round before sent along it, in multiples of the mean weight of a bundle, so that
/// the unit of the weights does not matter. The ways from a cell's corners to its mean event cost
/// length^length_power. Ways may not leave the disc about the sender that holds every route short
/// enough for the farthest of its receivers.
///
/// Straight lines are drawn
///   - where the route would be longer than max_detour times the straight line;
///   - inside one cell, between cells that had no message, from or to a point that is not finite;
///   - beyond the limits: only the heaviest max_bundle_count bundles are routed, and of them those
///     from the first max_search_effort / vertices sending cells (by their heaviest bundle, but at
///     least 64). The defaults are reached by pictures in which almost each message goes its own
///     way; equal weights are taken in the order of cells, so the choice never depends on chance.
///
/// lines    the straight messages; ends outside `clip` count to the nearest cell. Messages with a
///          coordinate that is not finite or a weight not above 0 are ignored.
/// returns  a router with the same routes for any order of `lines` and any number of threads.
///          route() costs O(log bundles of a cell + points); nodes() are the corners, all level 0.
/// cost     O(messages), and per round one search (Dijkstra) per sending cell, which ends when its
///          receivers are reached.
std::unique_ptr<Router> make_quadtree_router(const layout::Segments& lines,
                                             const QuadtreeOptions& options,
                                             base::ThreadPool& pool);

}  // namespace pathline::bundle
