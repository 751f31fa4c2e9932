// SPDX-License-Identifier: BSD-3-Clause
#include "app/routes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

namespace pathline::app {

RoutesReport routes_report(const NetworkInput& input, std::optional<double> top_share) {
  const network::Network& network = *input.machine.network;
  RoutesReport report;
  report.loads = network::link_loads(network, input.routes);
  report.totals = network::totals(input.routes, report.loads);
  report.top_only = top_share.has_value();
  report.links = network::top_links(report.loads, top_share.value_or(1));
  if (report.top_only) {
    report.routes = network::routes_over(input.routes, report.links, network.link_limit());
  } else {
    report.routes.resize(input.routes.size());
    std::iota(report.routes.begin(), report.routes.end(), 0U);
  }
  return report;
}

void choose(RoutesReport& report, const NetworkInput& input, std::vector<uint32_t> routes) {
  std::vector<bool> is_crossed(input.machine.network->link_limit());
  for (const uint32_t route : routes) {
    for (const network::Link link : input.routes.links_of(route)) is_crossed[link] = true;
  }
  std::erase_if(report.links, [&](network::Link link) { return !is_crossed[link]; });
  report.routes = std::move(routes);
  report.is_chosen = true;
}

std::vector<RouteLoad> by_load(const network::Routes& routes, std::span<const uint32_t> chosen,
                               const network::LinkLoads& loads) {
  std::vector<RouteLoad> rows;
  for (const uint32_t r : chosen) {
    rows.push_back({r, network::max_load(routes.links_of(r), loads.bytes)});
  }
  std::sort(rows.begin(), rows.end(), [](const RouteLoad& a, const RouteLoad& b) {
    return a.max_link_load_bytes != b.max_link_load_bytes
               ? a.max_link_load_bytes > b.max_link_load_bytes
               : a.route < b.route;
  });
  return rows;
}

NodeReport node_report(const NetworkInput& input, const std::vector<size_t>& kept) {
  const network::Network& network = *input.machine.network;
  NodeReport report;
  report.groups = kept.empty() ? network::each_node(network) : network::aggregate(network, kept);
  report.figures = network::group_figures(report.groups, input.node_traffic);
  return report;
}

nlohmann::ordered_json to_json(const NetworkInput& input, const RoutesReport& report) {
  const network::RouteTotals& totals = report.totals;
  nlohmann::ordered_json json;
  if (input.of_summary) json["source"] = "summary";
  json["network"] = input.machine.network->spec();
  json["nodes"] = input.machine.network->node_count();
  json["links"] = input.machine.network->link_count();
  json["pairs"] = totals.pair_count;
  json["routes"] = totals.route_count;
  json["placement"] = input.placed_by;
  json["load_unit"] = input.counts_routes ? "routes" : "bytes";
  json["bytes"] = input.bytes;
  json["off_node_bytes"] = totals.bytes;
  json["hop_bytes"] = totals.hop_bytes;
  json["average_hops"] = totals.average_hops();
  json["max_hops"] = totals.max_hops;
  json["total_route_length"] = totals.total_route_length;
  json["links_used"] = totals.links_used;
  json["max_link_load_bytes"] = totals.max_link_load_bytes;
  json["mean_link_load_bytes"] = totals.mean_link_load_bytes;
  json["max_link_load_routes"] = totals.max_link_routes;
  json["incomplete_routes"] = input.notes.incomplete;
  json["malformed_lines"] = input.malformed_lines;
  if (report.top_only) {
    json["top_links"] = report.links.size();
    json["top_links_least_load_bytes"] =
        report.links.empty() ? 0 : report.loads.bytes[report.links.back()];
    json["top_links_routes"] = report.routes.size();
  }
  if (report.is_chosen) {
    uint64_t bytes = 0;
    double hop_bytes = 0;
    for (const uint32_t route : report.routes) {
      bytes += input.routes.bytes[route];
      hop_bytes += static_cast<double>(input.routes.bytes[route]) * input.routes.length(route);
    }
    json["selected_routes"] = report.routes.size();
    json["selected_links"] = report.links.size();
    json["selected_bytes"] = bytes;
    json["selected_hop_bytes"] = hop_bytes;
  }
  return json;
}

}  // namespace pathline::app
