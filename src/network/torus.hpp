// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "network/network.hpp"

namespace pathline::network {

/// Which way a route takes to the node at exactly half of a ring, where both are equally long.
enum class Ties : uint8_t {
  kParity,   ///< Plus from even coordinates, minus from odd ones, as Blue Gene/Q.
  kSimGrid,  ///< Minus from the coordinate size / 2, plus from all others, as SimGrid.
};

/// Sizes of a mesh or torus, and the order in which a message crosses its dimensions.
struct TorusShape {
  std::vector<uint32_t> sizes;
  std::vector<bool> wrap;       ///< Per dimension: its ends are joined to a ring.
  std::vector<uint32_t> order;  ///< The dimensions, each once, first crossed first.
  Ties ties = Ties::kParity;
};

/// N-dimensional mesh or torus. Nodes are numbered row by row, the last dimension fastest. The link
/// of a node along a dimension has the number node * 2N + 2 * dimension + (1 for the minus way); a
/// wrapped dimension of size 2 has one link each way, the plus one.
///
/// The route crosses the dimensions in their order, finishing each; in a ring it takes the shorter
/// way, and `ties` decides at exactly half of it. With Ties::kParity that is the deterministic
/// routing of Blue Gene/Q, as measured in the data of Fujiwara et al., VAST 2017. SimGrid's
/// <cluster> of topology TORUS and sizes a,b,c is the torus of c x b x a, order CBA, with
/// Ties::kSimGrid.
class Torus : public Network {
 public:
  static constexpr size_t kMaxDimensions = 16;

  /// errors  kInvalidArgument for sizes of 0 or beyond 65536, more than kMaxDimensions of them,
  ///         more than 2^20 nodes, or an order that is no permutation.
  static base::Result<std::unique_ptr<Torus>> make(TorusShape shape);

  [[nodiscard]] const TorusShape& shape() const { return shape_; }
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
  explicit Torus(TorusShape shape);
  [[nodiscard]] uint32_t coordinate(Vertex node, size_t d) const {
    return node / stride_[d] % shape_.sizes[d];
  }
  TorusShape shape_;
  std::vector<uint32_t> stride_;   // Node numbers between neighbours, per dimension.
  std::vector<uint16_t> address_;  // Coordinates of all nodes, for distance().
};

/// Torus::spec() without making one. The order must be complete.
std::string spec_of(const TorusShape& shape);

/// "A", "B", ... as Blue Gene/Q calls them.
std::string torus_dimension_name(size_t dimension);

/// The order that Blue Gene/Q uses in a partition of these sizes where it was seen (it is set by a
/// register and is no function of the sizes), else the dimensions from the first to the last.
std::vector<uint32_t> known_torus_order(std::span<const uint32_t> sizes);

}  // namespace pathline::network
