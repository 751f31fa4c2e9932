// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/id.hpp"

namespace pathline::network {

/// A place for ranks (node) or a switch. Nodes are 0 .. node_count - 1, switches follow.
using Vertex = base::Id<struct VertexTag>;
/// A directed link: two cables, one each way, are two links.
using Link = base::Id<struct LinkTag>;

/// One level of a machine's addresses, "A" of a torus, "chassis" of a dragonfly.
struct Dimension {
  std::string name;
  uint32_t size = 0;  ///< Coordinates are 0 .. size - 1.
};

/// Nodes and switches, the directed links between them, and the deterministic route that a message
/// takes. Immutable; may be used by several threads at once.
class Network {
 public:
  /// A link as seen from the vertex it leaves.
  struct Hop {
    Vertex to;
    Link link;
  };

  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// What the user writes to get this network: "torus:4x4x8mx2,order=CABD".
  [[nodiscard]] virtual std::string spec() const = 0;

  [[nodiscard]] uint32_t node_count() const { return node_count_; }
  [[nodiscard]] uint32_t vertex_count() const { return static_cast<uint32_t>(first_.size() - 1); }
  [[nodiscard]] uint32_t link_count() const { return static_cast<uint32_t>(hops_.size()); }
  /// Every link's number is smaller. May exceed link_count(): a torus leaves numbers out.
  [[nodiscard]] uint32_t link_limit() const { return static_cast<uint32_t>(ends_.size()); }

  /// The links that leave `vertex`, ascending in the vertex they lead to, then in their numbers: a
  /// fat tree may have several cables between two switches.
  [[nodiscard]] std::span<const Hop> hops(Vertex vertex) const {
    return {hops_.data() + first_[vertex], hops_.data() + first_[vertex + 1]};
  }
  /// The link from `from` to `to`, the lowest number of several, Link::none() if there is none.
  /// O(log degree).
  [[nodiscard]] Link link(Vertex from, Vertex to) const;
  /// Where a link that exists begins and leads to.
  [[nodiscard]] Vertex source(Link link) const { return ends_[link].from; }
  [[nodiscard]] Vertex target(Link link) const { return ends_[link].to; }

  /// Number of links on the route from `from` to `to`, both nodes. O(dimensions) for networks with
  /// a closed form, one look-up for graphs.
  [[nodiscard]] virtual uint32_t distance(Vertex from, Vertex to) const = 0;
  /// A lower bound of the links that any way between two vertices of the network, switches
  /// included, must take; exact except where said otherwise. UINT32_MAX: there is no way.
  [[nodiscard]] virtual uint32_t fewest_hops(Vertex from, Vertex to) const = 0;
  /// Appends the links of the route between two nodes; none if they are the same.
  virtual void route(Vertex from, Vertex to, std::vector<Link>& links) const = 0;
  /// The longest distance between two nodes.
  [[nodiscard]] virtual uint32_t diameter() const = 0;

  /// Levels of a node's address, outermost first; empty for graphs without addresses.
  [[nodiscard]] const std::vector<Dimension>& dimensions() const { return dimensions_; }
  /// Writes the address of a node, one coordinate per dimension.
  virtual void coordinates(Vertex node, std::span<uint32_t> address) const = 0;
  /// The node of an address; none() if a coordinate is too large or no node is there.
  [[nodiscard]] virtual Vertex node(std::span<const uint32_t> address) const = 0;
  /// What a person calls a vertex: its name if it has one, else its coordinates "(1 0 3 2 0)", else
  /// its number.
  [[nodiscard]] virtual std::string name(Vertex vertex) const;
  /// The node of this name, none() if nodes have numbers only or none is called so.
  [[nodiscard]] virtual Vertex find(std::string_view name) const;

 protected:
  struct Ends {
    Vertex from;
    Vertex to;
  };
  Network() = default;
  /// Called once by each constructor. `ends` by link number, both invalid where there is no link.
  void set_links(uint32_t node_count, uint32_t vertex_count, std::vector<Ends> ends,
                 std::vector<Dimension> dimensions);

 private:
  uint32_t node_count_ = 0;
  std::vector<uint64_t> first_ = {0};  // Of hops_, per vertex.
  std::vector<Hop> hops_;
  std::vector<Ends> ends_;  // Per link number.
  std::vector<Dimension> dimensions_;
};

}  // namespace pathline::network
