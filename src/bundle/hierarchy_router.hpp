// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "base/thread_pool.hpp"
#include "bundle/router.hpp"
#include "layout/scene.hpp"

namespace pathline::bundle {

struct HierarchyOptions {
  uint32_t level_count = 3;  ///< of clusters, without the root; 1 to 8
  double radius_px = 0;      ///< of the lowest level; 0 is default_radius_px (mean_shift.hpp)
  double radius_growth = 3;  ///< from each level to the next; at least 1
};

/// Messages along a tree, as hierarchical edge bundling draws them (D. Holten, "Hierarchical Edge
/// Bundles", TVCG 12(5), 2006) with the tree that Brendel et al. (VPA 2016) use for timelines: all
/// ends of messages are clustered by mean shift (mean_shift.hpp), their centres again with a larger
/// radius, and so on; the root is the weighted centroid of all ends.
///
/// A polygon goes from the sending event through its ancestors up to the lowest common one and down
/// to the receiving event. Where a cluster is at the same place as its only child, that point comes
/// once. Straight lines are drawn where there is no
/// tree, and from or to a point that is not finite.
///
/// lines    the straight messages; ends outside `clip` are clustered where they are nearest to.
///          Messages with a coordinate that is not finite or a weight not above 0 are ignored.
/// returns  a router with the same routes for any order of `lines` and any number of threads.
///          route() costs O(level_count); nodes() are the clusters, level by level, and the root.
/// cost     O(messages), and of the lowest level what mean_shift costs.
std::unique_ptr<Router> make_hierarchy_router(const layout::Segments& lines,
                                              const HierarchyOptions& options,
                                              base::ThreadPool& pool);

}  // namespace pathline::bundle
