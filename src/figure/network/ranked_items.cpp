// SPDX-License-Identifier: BSD-3-Clause
#include "figure/network/ranked_items.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::figure {

RankedSubject ranked_subject(RankingMetric metric, LoadUnit unit) {
  const bool bytes = unit == LoadUnit::kBytes;
  switch (metric) {
    case RankingMetric::kRouteLength:
      return {"Routes by length", "route", "routes", "length of the route", RouteMetric::kLength};
    case RankingMetric::kRouteBytes:
      return {"Routes by bytes", "route", "routes", "bytes of the route", RouteMetric::kBytes};
    case RankingMetric::kRouteHopBytes:
      return {bytes ? "Routes by bytes x hops" : "Routes by hops", "route", "routes",
              bytes ? "bytes x hops" : "hops", RouteMetric::kHopBytes};
    case RankingMetric::kRouteMaxLoad:
      return {"Routes by the largest load on their way",
              "route",
              "routes",
              "largest load of a link on the way",
              RouteMetric::kMaxLoad,
              false};
    case RankingMetric::kLinkBytes:
      return {"Links by load", "link in use", "links in use", "load of the link",
              RouteMetric::kBytes};
    case RankingMetric::kLinkRoutes:
      return {"Links by routes", "link in use", "links in use", "routes over the link",
              RouteMetric::kRoutes};
    case RankingMetric::kNodeOutPairs:
      return {"Nodes by those they send to", "node with traffic", "nodes with traffic",
              "partners sent to", RouteMetric::kRoutes};
    case RankingMetric::kNodeInPairs:
      return {"Nodes by those they receive from", "node with traffic", "nodes with traffic",
              "partners received from", RouteMetric::kRoutes};
    case RankingMetric::kNodeOutBytes:
      return {bytes ? "Nodes by bytes sent" : "Nodes by routes that leave", "node with traffic",
              "nodes with traffic", bytes ? "bytes sent" : "routes that leave",
              RouteMetric::kBytes};
    case RankingMetric::kNodeInBytes:
      return {bytes ? "Nodes by bytes received" : "Nodes by routes that arrive",
              "node with traffic", "nodes with traffic",
              bytes ? "bytes received" : "routes that arrive", RouteMetric::kBytes};
  }
  return {"", "", "", "", RouteMetric::kBytes};
}

namespace {

std::vector<RankedItem> routes_of(const NetworkView& view, RouteMetric metric) {
  std::vector<RankedItem> items;
  for (const uint32_t route : view.drawn) {
    items.push_back(
        {route_value(view, route, metric), view.routes->from[route], view.routes->to[route]});
  }
  return items;
}

std::vector<RankedItem> links_of(const NetworkView& view, bool by_routes) {
  std::vector<RankedItem> items;
  for (const GroupLink& link : group_links(view, RouteMetric::kRoutes)) {
    if (link.routes == 0) continue;
    items.push_back(
        {static_cast<double>(by_routes ? link.routes : link.bytes), link.from, link.to});
  }
  return items;
}

std::vector<RankedItem> nodes_of(const NetworkView& view, RankingMetric metric) {
  std::vector<RankedItem> items(view.node_group_count);
  std::vector<bool> talks(view.node_group_count, false);
  for (const GroupPair& pair : group_pairs(view, view.drawn)) {
    talks[pair.from] = talks[pair.to] = true;
    if (pair.from == pair.to) continue;
    const auto bytes = static_cast<double>(pair.bytes);
    if (metric == RankingMetric::kNodeOutPairs) items[pair.from].value += 1;
    if (metric == RankingMetric::kNodeInPairs) items[pair.to].value += 1;
    if (metric == RankingMetric::kNodeOutBytes) items[pair.from].value += bytes;
    if (metric == RankingMetric::kNodeInBytes) items[pair.to].value += bytes;
  }
  std::vector<RankedItem> found;
  for (uint32_t group = 0; group < items.size(); ++group) {
    if (talks[group]) found.push_back({items[group].value, group, group});
  }
  return found;
}

}  // namespace

std::vector<RankedItem> ranked_items(const NetworkView& view, RankingMetric metric) {
  switch (metric) {
    case RankingMetric::kRouteLength: return routes_of(view, RouteMetric::kLength);
    case RankingMetric::kRouteBytes: return routes_of(view, RouteMetric::kBytes);
    case RankingMetric::kRouteHopBytes: return routes_of(view, RouteMetric::kHopBytes);
    case RankingMetric::kRouteMaxLoad: return routes_of(view, RouteMetric::kMaxLoad);
    case RankingMetric::kLinkBytes: return links_of(view, false);
    case RankingMetric::kLinkRoutes: return links_of(view, true);
    case RankingMetric::kNodeOutPairs:
    case RankingMetric::kNodeInPairs:
    case RankingMetric::kNodeOutBytes:
    case RankingMetric::kNodeInBytes: return nodes_of(view, metric);
  }
  return {};
}

std::string ranked_name(const NetworkView& view, RankingMetric metric, const RankedItem& item) {
  switch (metric) {
    case RankingMetric::kRouteLength:
    case RankingMetric::kRouteBytes:
    case RankingMetric::kRouteHopBytes:
    case RankingMetric::kRouteMaxLoad:
      return fmt::format("{} → {}", view.network->name(network::Vertex(item.from)),
                         view.network->name(network::Vertex(item.to)));
    case RankingMetric::kLinkBytes:
    case RankingMetric::kLinkRoutes:
      return fmt::format("{} → {}", view.names[item.from], view.names[item.to]);
    case RankingMetric::kNodeOutPairs:
    case RankingMetric::kNodeInPairs:
    case RankingMetric::kNodeOutBytes:
    case RankingMetric::kNodeInBytes: return view.names[item.from];
  }
  return "";
}

std::string ranked_text(const NetworkOptions& options, double value) {
  const bool is_partners = options.ranking == RankingMetric::kNodeOutPairs ||
                           options.ranking == RankingMetric::kNodeInPairs;
  if (is_partners) return base::human_count(static_cast<uint64_t>(std::round(value)));
  return metric_text(ranked_subject(options.ranking, options.unit).text, options.unit, value);
}

}  // namespace pathline::figure
