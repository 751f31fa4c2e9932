// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread_pool.hpp"
#include "bundle/router.hpp"
#include "layout/scene.hpp"

namespace pathline::bundle {

/// A node of a grid; columns count from the left, rows from the top.
struct GridNode {
  int32_t column = 0;
  int32_t row = 0;

  friend bool operator==(const GridNode&, const GridNode&) = default;
};

/// Adds a shortest path over 8 neighbours (1 straight, sqrt 2 diagonal) to `path`, both ends
/// included: of the many that are equally short, the one with all diagonal steps first, seen from
/// the sender `from`, then straight ones.
void octile_route(GridNode from, GridNode to, std::vector<GridNode>& path);

struct GridOptions {
  uint32_t column_count = 0;    ///< 0: one per 40 px; 2 to 1024
  uint32_t row_count = 0;       ///< likewise
  bool cluster_centres = true;  ///< polygons pass the clusters of their events
  double radius_px = 0;         ///< of these clusters; 0 is default_radius_px (mean_shift.hpp)
};

/// Messages along a uniform grid (Brendel et al., VPA 2016, V.A). The nodes are the middles of
/// column_count x row_count equal rectangles of the clip. A polygon goes from the sending event to
/// the centre of its cluster, the node nearest to that, by octile_route to the node nearest to the
/// other cluster, that cluster's centre and the receiving event. Of two equally near nodes the one
/// further right or further down is taken. Points that would follow themselves come once, and
/// messages inside one cluster go through its centre only: the way to the grid and back would be a
/// spike. Straight lines are drawn from or to a point that is not finite.
///
/// lines    the straight messages; ends outside `clip` are clustered where they are nearest to.
///          Messages with a coordinate that is not finite or a weight not above 0 are ignored.
/// returns  a router with the same routes for any order of `lines` and any number of threads.
///          route() costs O(points of the polygon); nodes() are the cluster centres (level 0) and
///          the grid, row by row (level 1).
/// cost     O(messages), what mean_shift costs; nothing without cluster centres.
std::unique_ptr<Router> make_grid_router(const layout::Segments& lines, const GridOptions& options,
                                         base::ThreadPool& pool);

}  // namespace pathline::bundle
