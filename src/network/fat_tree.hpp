// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "network/network.hpp"

namespace pathline::network {

/// The tiers of a fat tree, the one that nodes hang on first.
struct FatTreeShape {
  std::vector<uint32_t> children;  ///< m: below each switch.
  std::vector<uint32_t> parents;   ///< w: switches above each node or switch.
  std::vector<uint32_t> cables;    ///< p: between a parent and a child; empty: one everywhere.
};

/// The extended generalised fat tree XGFT(h; m; w) (Öhring, Ibel, Das, Kumar, IPPS 1995): h levels
/// of switches above level 0, the nodes. A vertex of level l is named by h digits, those below l
/// one of w(i) and the others one of m(i), the first changes fastest; it is joined to the vertices
/// of level l + 1 whose digits are equal but for digit l. With h levels of k children, one parent
/// of each node and k of each switch it is the k-ary n-tree (Petrini & Vanneschi, IPPS 1997).
///
/// A route goes up to the level of the highest digit in which source and destination differ and
/// down again. The port that it takes upwards at level l is the destination, divided by the parents
/// below l, modulo ports (destination-mod-k), which spreads destinations and always is the same.
/// That, and the cable on the way down, is what SimGrid 3.32 does in a <cluster> of topology
/// FAT_TREE.
///
/// Vertices: nodes, then switches by level and number. Links by tier, the lower end, its port
/// (parent + w * cable), up before down.
class FatTree : public Network {
 public:
  /// errors  kInvalidArgument for a 0, lists of different lengths, more than 20 levels, 2^20 nodes
  ///         or 20 * 2^20 cables.
  static base::Result<std::unique_ptr<FatTree>> make(FatTreeShape shape);
  /// The k-ary n-tree of `arity` and `levels`: arity^levels nodes. Errors as above.
  static base::Result<std::unique_ptr<FatTree>> make(uint32_t arity, uint32_t levels);

  /// "fattree:K,N" if it is a k-ary n-tree, else "xgft:M;W" or "xgft:M;W;P".
  [[nodiscard]] std::string spec() const override;
  [[nodiscard]] uint32_t distance(Vertex from, Vertex to) const override;
  [[nodiscard]] uint32_t fewest_hops(Vertex from, Vertex to) const override;
  void route(Vertex from, Vertex to, std::vector<Link>& links) const override;
  [[nodiscard]] uint32_t diameter() const override;
  void coordinates(Vertex node, std::span<uint32_t> address) const override;
  [[nodiscard]] Vertex node(std::span<const uint32_t> address) const override;
  [[nodiscard]] std::string name(Vertex vertex) const override;

 private:
  explicit FatTree(FatTreeShape shape);
  [[nodiscard]] uint32_t levels() const { return static_cast<uint32_t>(shape_.children.size()); }
  /// Levels that a route climbs: 0 between a node and itself.
  [[nodiscard]] uint32_t climb(uint32_t from, uint32_t to) const;
  /// A vertex by its level and its number there.
  struct Place {
    uint32_t level;
    uint32_t number;
  };
  [[nodiscard]] Place place(Vertex vertex) const;
  [[nodiscard]] uint32_t digit(Place place, uint32_t d) const;
  /// The number of the vertex above or below `number` across `tier` whose digit `tier` is `value`.
  [[nodiscard]] uint32_t above(uint32_t tier, uint32_t number, uint32_t value) const;
  [[nodiscard]] uint32_t below(uint32_t tier, uint32_t number, uint32_t value) const;
  [[nodiscard]] uint32_t ports(uint32_t tier) const {
    return shape_.parents[tier] * shape_.cables[tier];
  }
  FatTreeShape shape_;
  std::vector<uint32_t> parents_below_;   // Product of w(0) .. w(l - 1), for l of 0 to h.
  std::vector<uint32_t> children_below_;  // The same of m.
  std::vector<uint32_t> first_vertex_;    // Per level.
  std::vector<uint32_t> first_cable_;     // Per tier.
};

}  // namespace pathline::network
