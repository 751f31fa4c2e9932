// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "graph/traffic.hpp"
#include "network/network.hpp"

namespace pathline::network {

/// What nodes send each other and the links it crosses, in columns; one row for each route.
struct Routes {
  std::vector<Vertex> from;  ///< Node.
  std::vector<Vertex> to;    ///< Node; not `from`.
  /// Ranks of each route that was recorded between two; empty when routes are those of nodes.
  std::vector<uint32_t> sender;
  std::vector<uint32_t> receiver;
  std::vector<uint64_t> bytes;        ///< That cross every link of the route.
  std::vector<uint64_t> messages;     ///< 0 where the source does not count them.
  std::vector<uint8_t> incomplete;    ///< 1: recorded, but with hops that are missing.
  std::vector<uint64_t> first = {0};  ///< Per route its first entry in links; one more than routes.
  std::vector<Link> links;            ///< In the order in which they are crossed.

  [[nodiscard]] size_t size() const { return from.size(); }
  [[nodiscard]] std::span<const Link> links_of(size_t route) const {
    return {links.data() + first[route], links.data() + first[route + 1]};
  }
  [[nodiscard]] uint32_t length(size_t route) const {
    return static_cast<uint32_t>(first[route + 1] - first[route]);
  }
  void add(Vertex source, Vertex target, uint64_t byte_count, uint64_t message_count,
           std::span<const Link> crossed, bool is_incomplete = false);
};

/// The routes that the network's rule gives to the traffic between nodes, in the order of the
/// traffic; what stays on a node takes none.
/// node_traffic  of at most as many nodes as the network has.
/// cost          O(links crossed), parallel over senders.
Routes route_traffic(const Network& network, const graph::Traffic& node_traffic,
                     base::ThreadPool& pool);

/// What crosses each link, by link number.
struct LinkLoads {
  std::vector<uint64_t> bytes;
  std::vector<uint64_t> routes;
};
LinkLoads link_loads(const Network& network, const Routes& routes);

/// Highest load among the links of a route; 0 for a route without links.
uint64_t max_load(std::span<const Link> links, std::span<const uint64_t> load_of_link);

/// Figures of all routes together.
struct RouteTotals {
  uint64_t pair_count = 0;   ///< Routes; of a file with repeats, distinct pairs of nodes.
  uint64_t route_count = 0;  ///< With repeats.
  uint64_t bytes = 0;        ///< That leave a node.
  double hop_bytes = 0;      ///< Sum of bytes times links.
  uint32_t max_hops = 0;
  uint64_t total_route_length = 0;  ///< Sum of links.
  uint64_t links_used = 0;
  uint64_t max_link_load_bytes = 0;
  uint64_t max_link_routes = 0;
  double mean_link_load_bytes = 0;  ///< Over the links in use.
  uint64_t incomplete_routes = 0;

  /// Links that a byte crosses on average; 0 without bytes.
  [[nodiscard]] double average_hops() const {
    return bytes == 0 ? 0 : hop_bytes / static_cast<double>(bytes);
  }
};
RouteTotals totals(const Routes& routes, const LinkLoads& loads);

/// The links in use by falling bytes, ties by number, no more than are among the `share` (0 to 1)
/// most loaded ones: round(share * used), at least one, all that tie with the last of them
/// included.
std::vector<Link> top_links(const LinkLoads& loads, double share);

/// The routes over any of `links`, ascending.
std::vector<uint32_t> routes_over(const Routes& routes, std::span<const Link> links,
                                  uint32_t link_limit);

/// Nodes merged by some of their coordinates.
struct Aggregation {
  std::vector<uint32_t> group_of_node;
  uint32_t group_count = 0;
  std::vector<std::string> names;  ///< Per group: "A 1, D 3"; of a group of one node that node's.
};
/// Nodes whose coordinates agree in all of `dimensions` share a group, numbered by those
/// coordinates; no dimension puts all nodes into one group.
Aggregation aggregate(const Network& network, std::span<const size_t> dimensions);
/// Each node by itself.
Aggregation each_node(const Network& network);

/// What a node, or the nodes of a group together, send to others and receive from them.
struct NodeFigures {
  uint32_t node_count = 0;
  uint32_t out_pairs = 0;  ///< Groups it sends to.
  uint32_t in_pairs = 0;   ///< Groups it receives from.
  uint64_t out_bytes = 0;
  uint64_t in_bytes = 0;
  uint64_t inner_bytes = 0;  ///< That stay in the group, those inside of its nodes included.
};
/// One for each group. node_traffic: between the nodes of the network.
std::vector<NodeFigures> group_figures(const Aggregation& groups,
                                       const graph::Traffic& node_traffic);

}  // namespace pathline::network
