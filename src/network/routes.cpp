// SPDX-License-Identifier: BSD-3-Clause
#include "network/routes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

namespace pathline::network {

void Routes::add(Vertex source, Vertex target, uint64_t byte_count, uint64_t message_count,
                 std::span<const Link> crossed, bool is_incomplete) {
  from.push_back(source);
  to.push_back(target);
  bytes.push_back(byte_count);
  messages.push_back(message_count);
  incomplete.push_back(is_incomplete ? 1 : 0);
  links.insert(links.end(), crossed.begin(), crossed.end());
  first.push_back(links.size());
}

Routes route_traffic(const Network& network, const graph::Traffic& node_traffic,
                     base::ThreadPool& pool) {
  Routes routes;
  for (uint32_t sender = 0; sender < node_traffic.rank_count(); ++sender) {
    for (size_t i = node_traffic.row[sender]; i < node_traffic.row[sender + 1]; ++i) {
      if (node_traffic.receiver[i] == sender) continue;
      routes.from.emplace_back(sender);
      routes.to.emplace_back(node_traffic.receiver[i]);
      routes.bytes.push_back(node_traffic.bytes[i]);
      routes.messages.push_back(node_traffic.messages[i]);
      routes.first.push_back(routes.first.back() +
                             network.distance(routes.from.back(), routes.to.back()));
    }
  }
  routes.incomplete.assign(routes.size(), 0);
  routes.links.resize(routes.first.back());
  constexpr size_t kRoutesAtATime = 4096;
  pool.for_each((routes.size() + kRoutesAtATime - 1) / kRoutesAtATime, [&](size_t chunk) {
    std::vector<Link> links;
    const size_t end = std::min((chunk + 1) * kRoutesAtATime, routes.size());
    for (size_t r = chunk * kRoutesAtATime; r < end; ++r) {
      links.clear();
      network.route(routes.from[r], routes.to[r], links);
      std::copy(links.begin(), links.end(),
                routes.links.begin() + static_cast<ptrdiff_t>(routes.first[r]));
    }
  });
  return routes;
}

LinkLoads link_loads(const Network& network, const Routes& routes) {
  LinkLoads loads;
  loads.bytes.assign(network.link_limit(), 0);
  loads.routes.assign(network.link_limit(), 0);
  for (size_t r = 0; r < routes.size(); ++r) {
    for (const Link link : routes.links_of(r)) {
      loads.bytes[link] += routes.bytes[r];
      ++loads.routes[link];
    }
  }
  return loads;
}

uint64_t max_load(std::span<const Link> links, std::span<const uint64_t> load_of_link) {
  uint64_t most = 0;
  for (const Link link : links) most = std::max(most, load_of_link[link]);
  return most;
}

RouteTotals totals(const Routes& routes, const LinkLoads& loads) {
  RouteTotals sum;
  sum.route_count = routes.size();
  std::vector<uint64_t> pairs(routes.size());
  for (size_t r = 0; r < routes.size(); ++r) {
    pairs[r] = (uint64_t{routes.from[r]} << 32U) | routes.to[r];
    const uint32_t hops = routes.length(r);
    sum.bytes += routes.bytes[r];
    sum.hop_bytes += static_cast<double>(routes.bytes[r]) * hops;
    sum.max_hops = std::max(sum.max_hops, hops);
    sum.total_route_length += hops;
    sum.incomplete_routes += routes.incomplete[r];
  }
  std::sort(pairs.begin(), pairs.end());
  sum.pair_count = static_cast<uint64_t>(std::unique(pairs.begin(), pairs.end()) - pairs.begin());
  double load = 0;
  for (size_t link = 0; link < loads.routes.size(); ++link) {
    if (loads.routes[link] == 0) continue;
    ++sum.links_used;
    load += static_cast<double>(loads.bytes[link]);
    sum.max_link_load_bytes = std::max(sum.max_link_load_bytes, loads.bytes[link]);
    sum.max_link_routes = std::max(sum.max_link_routes, loads.routes[link]);
  }
  if (sum.links_used > 0) sum.mean_link_load_bytes = load / static_cast<double>(sum.links_used);
  return sum;
}

std::vector<Link> top_links(const LinkLoads& loads, double share) {
  std::vector<Link> links;
  for (size_t link = 0; link < loads.routes.size(); ++link) {
    if (loads.routes[link] > 0) links.emplace_back(link);
  }
  if (links.empty()) return links;
  std::sort(links.begin(), links.end(), [&](Link a, Link b) {
    return loads.bytes[a] != loads.bytes[b] ? loads.bytes[a] > loads.bytes[b] : a < b;
  });
  const double wanted = std::round(std::clamp(share, 0.0, 1.0) * static_cast<double>(links.size()));
  size_t count = std::max<size_t>(1, static_cast<size_t>(wanted));
  while (count < links.size() && loads.bytes[links[count]] == loads.bytes[links[count - 1]])
    ++count;
  links.resize(count);
  return links;
}

std::vector<uint32_t> routes_over(const Routes& routes, std::span<const Link> links,
                                  uint32_t link_limit) {
  std::vector<bool> chosen(link_limit, false);
  for (const Link link : links) chosen[link] = true;
  std::vector<uint32_t> found;
  for (size_t r = 0; r < routes.size(); ++r) {
    const auto crossed = routes.links_of(r);
    if (std::any_of(crossed.begin(), crossed.end(), [&](Link link) { return chosen[link]; })) {
      found.push_back(static_cast<uint32_t>(r));
    }
  }
  return found;
}

Aggregation aggregate(const Network& network, std::span<const size_t> dimensions) {
  Aggregation groups;
  std::map<std::vector<uint32_t>, std::vector<uint32_t>> nodes_of;
  std::vector<uint32_t> address(network.dimensions().size());
  for (uint32_t node = 0; node < network.node_count(); ++node) {
    network.coordinates(Vertex(node), address);
    std::vector<uint32_t> key;
    for (const size_t d : dimensions) key.push_back(address[d]);
    nodes_of[std::move(key)].push_back(node);
  }
  groups.group_of_node.resize(network.node_count());
  for (const auto& [key, nodes] : nodes_of) {
    for (const uint32_t node : nodes) groups.group_of_node[node] = groups.group_count;
    std::string name = nodes.size() == 1 ? network.name(Vertex(nodes[0])) : "";
    for (size_t i = 0; i < key.size() && nodes.size() > 1; ++i) {
      name += fmt::format("{}{} {}", i > 0 ? ", " : "", network.dimensions()[dimensions[i]].name,
                          key[i]);
    }
    groups.names.push_back(name.empty() ? "all nodes" : std::move(name));
    ++groups.group_count;
  }
  return groups;
}

Aggregation each_node(const Network& network) {
  Aggregation groups;
  groups.group_count = network.node_count();
  groups.group_of_node.resize(network.node_count());
  std::iota(groups.group_of_node.begin(), groups.group_of_node.end(), 0U);
  for (uint32_t node = 0; node < network.node_count(); ++node) {
    groups.names.push_back(network.name(Vertex(node)));
  }
  return groups;
}

std::vector<NodeFigures> group_figures(const Aggregation& groups,
                                       const graph::Traffic& node_traffic) {
  std::vector<NodeFigures> figures(groups.group_count);
  for (const uint32_t group : groups.group_of_node) ++figures[group].node_count;
  const graph::Traffic traffic =
      graph::merged(node_traffic, groups.group_of_node, groups.group_count);
  for (uint32_t from = 0; from < traffic.rank_count(); ++from) {
    for (size_t i = traffic.row[from]; i < traffic.row[from + 1]; ++i) {
      const uint32_t to = traffic.receiver[i];
      if (from == to) {
        figures[from].inner_bytes += traffic.bytes[i];
        continue;
      }
      ++figures[from].out_pairs;
      ++figures[to].in_pairs;
      figures[from].out_bytes += traffic.bytes[i];
      figures[to].in_bytes += traffic.bytes[i];
    }
  }
  return figures;
}

}  // namespace pathline::network
