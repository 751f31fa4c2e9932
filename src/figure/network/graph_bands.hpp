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

/// A straight band from a group to another, on the right of its way: from `from_px` to `to_px`
/// beside the line between their middles.
void add_band(layout::Ribbons& ribbons, const GraphNodes& nodes, uint32_t from, uint32_t to,
              double from_px, double to_px, layout::Color color);

/// Bands as wide as the load before, grey, and on them as wide as the load after, coloured by how
/// they differ: what became less stands out in the grey.
void add_changed_bands(layout::Scene& scene, const layout::Theme& theme, const layout::Rect& area,
                       const GraphNodes& nodes, std::span<const LinkChange> changes,
                       const DifferenceScale& scale);

}  // namespace pathline::figure
