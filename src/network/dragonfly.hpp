// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "network/network.hpp"

namespace pathline::network {

/// The model of a Cray XC40 in the data of Fujiwara et al., VAST 2017: group, cabinet of the group
/// (2), chassis (3), blade (16), node (4), and a link between any two nodes that differ in one
/// coordinate. A route changes node, blade, chassis, cabinet, group in this order, so its length is
/// the number of coordinates that differ. Real Aries routing is adaptive; this is what the data
/// hold.
///
/// The number of a node is n + 4 (b + 16 (c + 3 (g + groups * r))), as on that machine; positions
/// without a compute node count too. Links are numbered by node, then coordinate, innermost first,
/// then value.
class Xc40 : public Network {
 public:
  static constexpr uint32_t kMaxGroups = 128;
  /// errors  kInvalidArgument for no group or more than kMaxGroups.
  static base::Result<std::unique_ptr<Xc40>> make(uint32_t group_count);

  [[nodiscard]] std::string spec() const override;
  [[nodiscard]] uint32_t distance(Vertex from, Vertex to) const override;
  [[nodiscard]] uint32_t fewest_hops(Vertex from, Vertex to) const override {
    return distance(from, to);
  }
  void route(Vertex from, Vertex to, std::vector<Link>& links) const override;
  [[nodiscard]] uint32_t diameter() const override;
  void coordinates(Vertex node, std::span<uint32_t> address) const override;
  [[nodiscard]] Vertex node(std::span<const uint32_t> address) const override;

 private:
  explicit Xc40(uint32_t group_count);
  uint32_t group_count_;
};

/// The canonical dragonfly (Kim, Dally, Scott, Abts, ISCA 2008): groups of a routers, each joined
/// to all of its group, to h other groups and to p nodes; a * h + 1 groups, so that every two
/// groups share one global link. Global link k of a group belongs to its router k / h and leads to
/// group k, its own number skipped.
///
/// Nodes are numbered by group, router and place at the router; routers are vertices behind them. A
/// route is local, global, local: at most three links between routers, and one at either end
/// between node and router. Links: two for each node (up, down), then those of the routers, local
/// before global.
class Dragonfly : public Network {
 public:
  struct Shape {
    uint32_t routers_per_group = 0;   ///< a
    uint32_t nodes_per_router = 0;    ///< p
    uint32_t globals_per_router = 0;  ///< h
  };
  /// errors  kInvalidArgument for a 0 and for more than 2^20 nodes or 2^24 links.
  static base::Result<std::unique_ptr<Dragonfly>> make(Shape shape);

  [[nodiscard]] std::string spec() const override;
  [[nodiscard]] uint32_t distance(Vertex from, Vertex to) const override;
  [[nodiscard]] uint32_t fewest_hops(Vertex from, Vertex to) const override;
  void route(Vertex from, Vertex to, std::vector<Link>& links) const override;
  [[nodiscard]] uint32_t diameter() const override;
  void coordinates(Vertex node, std::span<uint32_t> address) const override;
  [[nodiscard]] Vertex node(std::span<const uint32_t> address) const override;
  [[nodiscard]] std::string name(Vertex vertex) const override;

 private:
  explicit Dragonfly(Shape shape);
  [[nodiscard]] uint32_t group_count() const {
    return shape_.routers_per_group * shape_.globals_per_router + 1;
  }
  /// The router of `group` whose global link leads to `other`.
  [[nodiscard]] uint32_t gateway(uint32_t group, uint32_t other) const;
  [[nodiscard]] Vertex router_vertex(uint32_t router) const {
    return Vertex(node_count() + router);
  }
  /// The router that a vertex is or hangs on.
  [[nodiscard]] uint32_t router_of(Vertex vertex) const {
    return vertex < node_count() ? vertex / shape_.nodes_per_router : vertex - node_count();
  }
  Shape shape_;
};

}  // namespace pathline::network
