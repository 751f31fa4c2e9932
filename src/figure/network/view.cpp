// SPDX-License-Identifier: BSD-3-Clause
#include "figure/network/view.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/change.hpp"

namespace pathline::figure {
namespace {

base::Status check(const network::Network& network, const network::Routes& routes,
                   const NetworkOptions& options) {
  const size_t dimension_count = network.dimensions().size();
  for (const size_t d : options.aggregate.value_or(std::vector<size_t>{})) {
    if (d < dimension_count) continue;
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("nodes of {} have {}, so that there is no dimension {}", network.spec(),
                    base::counted(dimension_count, "dimension", "dimensions"), d)};
  }
  for (const uint32_t route : options.chosen.value_or(std::vector<uint32_t>{})) {
    if (route < routes.size()) continue;
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("there is no route {}; there are {}", route, routes.size())};
  }
  return {};
}

void choose_routes(NetworkView& view, const NetworkOptions& options) {
  view.drawn.resize(view.routes->size());
  std::iota(view.drawn.begin(), view.drawn.end(), 0U);
  if (options.top_links_share < 1) {
    const auto links = network::top_links(view.loads, options.top_links_share);
    view.top_link_count = links.size();
    view.drawn = network::routes_over(*view.routes, links, view.network->link_limit());
  }
  if (options.chosen) {
    std::vector<uint32_t> both;
    std::set_intersection(view.drawn.begin(), view.drawn.end(), options.chosen->begin(),
                          options.chosen->end(), std::back_inserter(both));
    view.drawn = std::move(both);
  }
}

constexpr uint64_t key(uint32_t from, uint32_t to) { return uint64_t{from} << 32U | to; }

/// Of a link between groups while it is summed up.
struct Crossing {
  uint64_t groups;
  uint32_t route;
};

/// Adds what the routes drawn carry; `crossings` ascending.
void add_routes(const NetworkView& view, RouteMetric metric, std::vector<Crossing>& crossings,
                std::vector<GroupLink>& links) {
  std::stable_sort(crossings.begin(), crossings.end(),
                   [](const Crossing& a, const Crossing& b) { return a.groups < b.groups; });
  size_t i = 0;
  for (GroupLink& link : links) {
    double weight = 0;
    for (; i < crossings.size() && crossings[i].groups == key(link.from, link.to); ++i) {
      const uint64_t bytes = view.routes->bytes[crossings[i].route];
      const double value = route_value(view, crossings[i].route, metric);
      link.bytes += bytes;
      ++link.routes;
      switch (metric) {
        case RouteMetric::kLength:
          weight += static_cast<double>(bytes);
          link.value += value * static_cast<double>(bytes);
          break;
        case RouteMetric::kMaxLoad: link.value = std::max(link.value, value); break;
        case RouteMetric::kBytes:
        case RouteMetric::kRoutes:
        case RouteMetric::kHopBytes: link.value += value; break;
      }
    }
    if (metric == RouteMetric::kLength && weight > 0) link.value /= weight;
    if (metric == RouteMetric::kBytes) link.value = static_cast<double>(link.load_bytes);
  }
}

}  // namespace

base::Result<NetworkView> network_view(const network::Network& network,
                                       const network::Routes& routes,
                                       const NetworkOptions& options) {
  if (const base::Status status = check(network, routes, options); !status) return status.error();
  NetworkView view{.network = &network, .routes = &routes};
  network::Aggregation groups = options.aggregate ? network::aggregate(network, *options.aggregate)
                                                  : network::each_node(network);
  view.group_of = std::move(groups.group_of_node);
  view.names = std::move(groups.names);
  view.node_group_count = groups.group_count;
  view.group_count = groups.group_count;
  for (uint32_t vertex = network.node_count(); vertex < network.vertex_count(); ++vertex) {
    view.group_of.push_back(view.group_count++);
    view.names.push_back(network.name(network::Vertex(vertex)));
  }
  view.loads = network::link_loads(network, routes);
  view.totals = network::totals(routes, view.loads);
  const std::vector<network::Link> heaviest = network::top_links(view.loads, 0);
  if (!heaviest.empty()) view.heaviest = heaviest[0];
  std::vector<bool> talks(network.node_count(), false);
  for (size_t r = 0; r < routes.size(); ++r) talks[routes.from[r]] = talks[routes.to[r]] = true;
  view.talking_node_count = static_cast<size_t>(std::count(talks.begin(), talks.end(), true));
  choose_routes(view, options);
  if (options.after != nullptr) {
    OtherState& after = view.after.emplace();
    after.routes = options.after;
    after.loads = network::link_loads(network, *options.after);
    after.totals = network::totals(*options.after, after.loads);
  }
  return view;
}

std::vector<GroupPair> group_pairs(const NetworkView& view) {
  std::vector<uint32_t> all(view.routes->size());
  std::iota(all.begin(), all.end(), 0U);
  return group_pairs(view, all);
}

std::vector<GroupPair> group_pairs(const NetworkView& view, std::span<const uint32_t> chosen) {
  const network::Routes& routes = *view.routes;
  std::vector<GroupPair> pairs;
  pairs.reserve(chosen.size());
  for (const uint32_t r : chosen) {
    pairs.push_back({view.group_of[routes.from[r]], view.group_of[routes.to[r]], routes.bytes[r]});
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const GroupPair& a, const GroupPair& b) {
    return key(a.from, a.to) < key(b.from, b.to);
  });
  size_t count = 0;
  for (const GroupPair& pair : pairs) {
    if (count > 0 && key(pairs[count - 1].from, pairs[count - 1].to) == key(pair.from, pair.to)) {
      pairs[count - 1].bytes += pair.bytes;
    } else {
      pairs[count++] = pair;
    }
  }
  pairs.resize(count);
  return pairs;
}

std::vector<GroupLink> group_links(const NetworkView& view, RouteMetric metric) {
  const network::Network& network = *view.network;
  std::vector<GroupLink> links;
  for (uint32_t number = 0; number < network.link_limit(); ++number) {
    if (view.loads.routes[number] == 0) continue;
    const network::Link link(number);
    const uint64_t load = view.loads.bytes[number];
    const uint32_t from = view.group_of[network.source(link)];
    const uint32_t to = view.group_of[network.target(link)];
    if (from != to) links.push_back({.from = from, .to = to, .load_bytes = load, .max_load = load});
  }
  std::stable_sort(links.begin(), links.end(), [](const GroupLink& a, const GroupLink& b) {
    return key(a.from, a.to) < key(b.from, b.to);
  });
  size_t count = 0;
  for (const GroupLink& link : links) {
    if (count > 0 && key(links[count - 1].from, links[count - 1].to) == key(link.from, link.to)) {
      links[count - 1].load_bytes += link.load_bytes;
      links[count - 1].max_load = std::max(links[count - 1].max_load, link.max_load);
    } else {
      links[count++] = link;
    }
  }
  links.resize(count);
  std::vector<Crossing> crossings;
  for (const uint32_t route : view.drawn) {
    for (const network::Link link : view.routes->links_of(route)) {
      const uint32_t from = view.group_of[network.source(link)];
      const uint32_t to = view.group_of[network.target(link)];
      if (from != to) crossings.push_back({key(from, to), route});
    }
  }
  add_routes(view, metric, crossings, links);
  return links;
}

std::vector<LinkChange> link_changes(const NetworkView& view, CellValue cells) {
  const auto load_of = [&](const GroupLink& link) {
    return static_cast<double>(cells == CellValue::kMax ? link.max_load : link.load_bytes);
  };
  NetworkView other = view;
  other.routes = view.after->routes;
  other.loads = view.after->loads;
  other.drawn.clear();
  const std::vector<GroupLink> before = group_links(view, RouteMetric::kBytes);
  const std::vector<GroupLink> after = group_links(other, RouteMetric::kBytes);
  std::vector<LinkChange> changes;
  for (size_t b = 0, a = 0; b < before.size() || a < after.size();) {
    const uint64_t was = b < before.size() ? key(before[b].from, before[b].to) : UINT64_MAX;
    const uint64_t is = a < after.size() ? key(after[a].from, after[a].to) : UINT64_MAX;
    const GroupLink& link = was <= is ? before[b] : after[a];
    LinkChange change{.from = link.from, .to = link.to};
    if (was <= is) change.before = load_of(before[b++]);
    if (is <= was) change.after = load_of(after[a++]);
    changes.push_back(change);
  }
  return changes;
}

DifferenceScale scale_of(std::span<const LinkChange> changes) {
  DifferenceScale scale;
  for (const LinkChange& change : changes) {
    scale.largest = std::max(scale.largest, std::abs(change.difference()));
  }
  return scale;
}

std::vector<const GroupLink*> falling(std::span<const GroupLink> links) {
  std::vector<const GroupLink*> order;
  for (const GroupLink& link : links) {
    if (link.routes > 0) order.push_back(&link);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const GroupLink* a, const GroupLink* b) { return a->value > b->value; });
  return order;
}

double route_value(const NetworkView& view, uint32_t route, RouteMetric metric) {
  const auto bytes = static_cast<double>(view.routes->bytes[route]);
  switch (metric) {
    case RouteMetric::kBytes: return bytes;
    case RouteMetric::kRoutes: return 1;
    case RouteMetric::kLength: return view.routes->length(route);
    case RouteMetric::kHopBytes: return bytes * view.routes->length(route);
    case RouteMetric::kMaxLoad:
      return static_cast<double>(network::max_load(view.routes->links_of(route), view.loads.bytes));
  }
  return 0;
}

std::string load_text(LoadUnit unit, double value) {
  return unit == LoadUnit::kBytes
             ? base::human_bytes(value)
             : base::counted(static_cast<uint64_t>(std::round(value)), "route", "routes");
}

std::string metric_text(RouteMetric metric, LoadUnit unit, double value) {
  switch (metric) {
    case RouteMetric::kBytes:
    case RouteMetric::kMaxLoad: return load_text(unit, value);
    case RouteMetric::kRoutes: return load_text(LoadUnit::kRoutes, value);
    case RouteMetric::kLength: return value == 1 ? "1 hop" : fmt::format("{:.3g} hops", value);
    case RouteMetric::kHopBytes:
      return unit == LoadUnit::kBytes
                 ? base::human_bytes(value)
                 : base::counted(static_cast<uint64_t>(std::round(value)), "hop", "hops");
  }
  return "";
}

namespace {

std::string comparison_text(const NetworkView& view, const NetworkOptions& options) {
  const network::RouteTotals& was = view.totals;
  const network::RouteTotals& is = view.after->totals;
  const auto load = [&](double value) { return load_text(options.unit, value); };
  const auto hops = [&](double value) {
    return metric_text(RouteMetric::kHopBytes, options.unit, value);
  };
  const auto was_hottest = static_cast<double>(was.max_link_load_bytes);
  const auto is_hottest = static_cast<double>(is.max_link_load_bytes);
  return fmt::format(
      "hottest link {}, {} {}; before {}, after {}",
      change_text(load(was_hottest), load(is_hottest), was_hottest, is_hottest),
      options.unit == LoadUnit::kBytes ? "hop-bytes" : "length of all routes",
      change_text(hops(was.hop_bytes), hops(is.hop_bytes), was.hop_bytes, is.hop_bytes),
      options.state.empty() ? "as given" : options.state,
      options.after_state.empty() ? "as given" : options.after_state);
}

}  // namespace

std::string network_subtitle(const NetworkView& view, const NetworkOptions& options) {
  if (view.after) return comparison_text(view, options);
  const network::RouteTotals& totals = view.totals;
  const std::string routes = base::counted(totals.route_count, "route", "routes");
  std::string text = base::counted(view.network->node_count(), "node", "nodes");
  const size_t talking = view.talking_node_count;
  if (talking < view.network->node_count()) {
    text = fmt::format("{} of {} with traffic", base::human_count(talking), text);
  }
  if (view.is_merged()) {
    text += fmt::format(" in {}", base::counted(view.node_group_count, "group", "groups"));
  }
  text += ", ";
  if (view.drawn.size() < totals.route_count) {
    text += fmt::format("{} of ", base::human_count(view.drawn.size()));
  }
  text += routes;
  if (options.top_links_share < 1) {
    text += fmt::format(" (those over the {:.3g} % most loaded links, {})",
                        100 * options.top_links_share, base::human_count(view.top_link_count));
  }
  if (options.unit == LoadUnit::kBytes) {
    text += fmt::format(", {}", base::human_bytes(static_cast<double>(totals.bytes)));
  }
  if (totals.incomplete_routes > 0) {
    text += fmt::format(", {} incomplete", base::human_count(totals.incomplete_routes));
  }
  if (!options.state.empty()) text += ", " + options.state;
  if (!view.heaviest.valid()) return text;
  const network::Network& network = *view.network;
  return text +
         fmt::format(" — heaviest of {}: {} to {}, {}",
                     base::counted(totals.links_used, "link in use", "links in use"),
                     network.name(network.source(view.heaviest)),
                     network.name(network.target(view.heaviest)),
                     load_text(options.unit, static_cast<double>(totals.max_link_load_bytes)));
}

std::string difference_text(LoadUnit unit, double difference) {
  if (difference == 0) return "0";
  return (difference > 0 ? "+" : "\u2212") + load_text(unit, std::abs(difference));
}

layout::Color DifferenceScale::color(const layout::Theme& theme, double difference) const {
  if (!(largest > 0)) return theme.diverging.at(0.5);
  return theme.diverging.at(0.5 + 0.5 * difference / largest);
}

std::vector<layout::BarTick> DifferenceScale::ticks(LoadUnit unit) const {
  std::vector<layout::BarTick> ticks;
  for (const double share : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
    ticks.push_back({0.5 + 0.5 * share, difference_text(unit, share * largest)});
  }
  return ticks;
}

}  // namespace pathline::figure
