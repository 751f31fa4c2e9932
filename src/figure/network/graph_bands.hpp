// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "figure/network/graph_nodes.hpp"
#include "figure/network/view.hpp"

// The routes of the communication graph.
namespace pathline::figure {

/// Up to so many routes can have a colour each.
inline constexpr size_t kOneColorEach = 24;

/// A band along a link, at the right of its way.
struct GraphBand {
  uint32_t link = 0;
  double bytes = 0;
  double value = 0;
  uint32_t route = 0;  ///< Only of routes one by one.
  double before = 0;   ///< Bytes between the line from node to node and the band.
};

struct GraphBands {
  std::vector<GraphBand> all;
  double most_bytes = 0;  ///< On a link, of the routes drawn.
  double width_px = 0;    ///< Of that.
  bool single = false;    ///< Of routes one by one, those on a link beside each other.
};

/// Routes one by one where they are few and wide enough to be told apart, else one band for each
/// link that routes drawn cross.
///
/// nodes  placed in `area`.
/// cost   O(links crossed x log).
GraphBands graph_bands(const NetworkView& view, const NetworkOptions& options,
                       std::span<const GroupLink> links, const GraphNodes& nodes,
                       const layout::Rect& area);

double link_length_px(const GraphNodes& nodes, const GroupLink& link);

}  // namespace pathline::figure
