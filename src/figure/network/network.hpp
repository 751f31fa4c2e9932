// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "layout/scene.hpp"
#include "layout/theme.hpp"
#include "network/network.hpp"
#include "network/routes.hpp"

namespace pathline::figure {

// The three views of Fujiwara et al., "A Visual Analytics System for Optimizing Communications in
// Massively Parallel Applications" (VAST 2017), as pictures.

/// What Routes::bytes counts. Files of routes without sizes give each route the weight 1.
enum class LoadUnit : uint8_t { kBytes, kRoutes };

/// What the colours of routes and links say. Where several routes share one band or cell, it is
/// that of all of them: sums, the mean length weighed by bytes, or the largest load.
enum class RouteMetric : uint8_t {
  kBytes,     ///< Of a route; of a link its load.
  kRoutes,    ///< Over a link; up to 24 routes have a colour each instead.
  kLength,    ///< Links of a route.
  kHopBytes,  ///< Bytes times links.
  kMaxLoad    ///< The largest load among the links of a route.
};

enum class RankingMetric : uint8_t {
  kRouteLength,
  kRouteBytes,
  kRouteHopBytes,
  kRouteMaxLoad,
  kLinkBytes,
  kLinkRoutes,
  kNodeOutPairs,  ///< Nodes that a node sends to.
  kNodeInPairs,
  kNodeOutBytes,
  kNodeInBytes
};

/// What a cell shows that several links share.
enum class CellValue : uint8_t { kMax, kSum };

struct NetworkOptions {
  double width_px = 1280;
  double height_px = 720;
  double scale = 1;  ///< As in figure::Options.
  layout::ThemeName theme = layout::ThemeName::kLight;
  std::string palette = "blue-orange";  ///< Of lines from source to target, as figure::Options.
  std::string title;                    ///< Usually the name of the file.
  LoadUnit unit = LoadUnit::kBytes;
  /// Dimensions of the addresses that are kept: nodes that agree in them are drawn as one, all
  /// nodes if none is kept. Absent: every node by itself.
  std::optional<std::vector<size_t>> aggregate;
  /// Draw only routes over the most loaded links, as network::top_links; from 1 on all. Where
  /// nodes lie, their sizes and the loads are those of all routes in any case.
  double top_links_share = 1;
  /// Draw only these routes, ascending; absent: all. Both conditions together draw what meets both.
  std::optional<std::vector<uint32_t>> chosen;
  RouteMetric color = RouteMetric::kBytes;
  CellValue cells = CellValue::kMax;
  RankingMetric ranking = RankingMetric::kLinkBytes;
  std::string state;  ///< Where routes and places come from: "placement new.txt"; "" for the usual.
  /// What the same traffic, or that of another run, does on this network in another state; nullptr:
  /// no comparison.
  /// Then links are coloured by how their loads differ, the routes given are drawn grey, and the
  /// heading says what the hottest link and the hop-bytes became.
  const network::Routes* after = nullptr;
  std::string after_state;  ///< As `state`.
};

/// The communication view: nodes as circles, near to those that they exchange much with (see
/// layout/force_layout.hpp), the size by the number of partners, the colour by the share of bytes
/// that comes in. Routes run along the links of the network, as bands beside each other on the
/// right of their way, as wide as their bytes, when they are few enough to be told apart; else
/// links are bands, as wide as what the routes drawn carry over them. Nodes without traffic and off
/// every route are left out. An arc around a group of nodes is the share of its bytes that stays in
/// it.
///
/// errors  kInvalidArgument for a picture too small, and a dimension or a route that does not
///         exist; those of force_layout().
/// cost    that of force_layout(), O(links crossed x log), and the bands' area.
base::Result<layout::Scene> graph(const network::Network& network, const network::Routes& routes,
                                  const NetworkOptions& options);

/// The detailed route view: the network's adjacency matrix in the order of the addresses, links as
/// cells (row: where it begins, column: where it leads to) with the load as colour. A route starts
/// on the diagonal at its source, runs level to the cell of its first link, upright to the diagonal
/// again, and so on to its target; lines add up, so that density can be read. Rows and columns that
/// none of the routes drawn touches are folded to a stripe when that gives the others more room.
/// With more nodes than pixels neighbours share a cell.
///
/// errors  as graph(), without those of force_layout(); kInvalidArgument for an unknown palette.
/// cost    O(links crossed + pixels) and what render/raster.hpp says.
base::Result<layout::Scene> routes(const network::Network& network, const network::Routes& routes,
                                   const NetworkOptions& options);

/// Values of routes, links or nodes as bars in falling order: one each with its name when they find
/// room, else a column of pixels is the largest of those that share it, beside a list of the first.
/// On a logarithmic scale when the largest is more than 100 times the median. For values that have
/// a sum, the line says which share of it the bars up to there have (Pareto). top_links_share, or 5
/// % if all are drawn, is marked with its number, its threshold and its share.
///
/// errors  as graph(), without those of force_layout().
/// cost    O(links crossed + values x log values).
base::Result<layout::Scene> ranking(const network::Network& network, const network::Routes& routes,
                                    const NetworkOptions& options);

}  // namespace pathline::figure
