// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/network_input.hpp"
#include "app/route_filter.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "network/reroute_many.hpp"

namespace pathline::app {

struct RerouteRequest {
  std::string select = "top-links:5%";  ///< select_routes().
  RouteFilter filter;                   ///< Of what `select` leaves.
  network::RerouteOptions how;
};

/// What the selected routes gained, over those that did.
struct RerouteGain {
  uint64_t improved = 0;
  double mean_pct = 0;
  double max_pct = 0;
  double saved_bytes = 0;  ///< Of the maximum load; for kLength bytes times links.
};

struct RerouteReport {
  network::Rerouting found;
  network::RouteTotals before;
  network::RouteTotals after;
  RerouteGain gain;
};

/// Better ways for the routes that are selected.
/// errors  those of select_routes(); kInvalidArgument for a global search by length.
/// cost    that of network::reroute().
base::Result<RerouteReport> reroute(const NetworkInput& input, const RerouteRequest& request,
                                    base::ThreadPool& pool);

/// One object: the request, the totals before and after, and what was gained.
nlohmann::ordered_json to_json(const NetworkInput& input, const RerouteRequest& request,
                               const RerouteReport& report);

/// A selected route and its new way.
struct ReroutedRoute {
  uint32_t route = 0;
  uint32_t hops_before = 0;
  uint32_t hops_after = 0;
  uint64_t max_link_load_before_bytes = 0;
  uint64_t max_link_load_after_bytes = 0;
  bool moved = false;
  std::string way;  ///< Names of nodes and switches, joined by " > ".
};

/// In the order in which they were looked at.
std::vector<ReroutedRoute> rerouted_routes(const NetworkInput& input, const RerouteReport& report);

/// CSV of every link in use before or after, by number.
std::string link_loads_csv(const network::Network& network, const RerouteReport& report);

}  // namespace pathline::app
