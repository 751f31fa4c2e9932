// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/network_input.hpp"

namespace pathline::app {

/// What crosses the links of a network.
struct RoutesReport {
  network::LinkLoads loads;          ///< Of all links.
  network::RouteTotals totals;       ///< Of all routes.
  bool top_only = false;             ///< Whether the two lists below are of the most loaded links.
  std::vector<network::Link> links;  ///< In use; falling loads.
  std::vector<uint32_t> routes;      ///< Over them, ascending.
  bool is_chosen = false;            ///< By choose().
};

/// top_share  above 0, up to 1: only this share of the links in use, the most loaded ones, and the
///            routes over them; nothing: all.
/// cost       O(links of all routes + links of the network * log of them).
RoutesReport routes_report(const NetworkInput& input, std::optional<double> top_share);

/// Leaves these routes, and the links that they cross; loads stay those of all routes.
void choose(RoutesReport& report, const NetworkInput& input, std::vector<uint32_t> routes);

struct RouteLoad {
  uint32_t route = 0;
  uint64_t max_link_load_bytes = 0;  ///< Of the links it crosses.
};

/// Routes by falling loads, ties by number.
std::vector<RouteLoad> by_load(const network::Routes& routes, std::span<const uint32_t> chosen,
                               const network::LinkLoads& loads);

/// Groups of nodes that share the coordinates `kept`, and what each sends and receives.
struct NodeReport {
  network::Aggregation groups;
  std::vector<network::NodeFigures> figures;  ///< One for each group.
};

/// kept  dimensions of the network, see parse_dimensions(); empty: each node for itself.
NodeReport node_report(const NetworkInput& input, const std::vector<size_t>& kept);

/// One object: the network, the traffic and its totals. Loads are bytes, or numbers of routes where
/// load_unit says so.
nlohmann::ordered_json to_json(const NetworkInput& input, const RoutesReport& report);

}  // namespace pathline::app
