// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layout/pair_value.hpp"
#include "layout/scene.hpp"

// Geometry of the chord diagram: processes on a circle, what they send to each other as curves
// inside, bundled along a hierarchy of the processes (D. Holten, "Hierarchical Edge Bundles", TVCG
// 12(5), 2006).
namespace pathline::layout {

/// A tree over positions 0 .. count - 1: four nodes of a level have one parent. Blocks (hosts, ...)
/// are nodes of it: first the processes of each block are joined, then the blocks.
class ChordTree {
 public:
  /// count        at least 1.
  /// block_begin  first position of each block, the first 0; empty for none.
  ChordTree(uint32_t count, std::span<const uint32_t> block_begin);

  [[nodiscard]] uint32_t count() const { return count_; }
  /// Levels above the processes, which are level 0; the highest holds the root alone.
  [[nodiscard]] uint32_t height() const { return static_cast<uint32_t>(begin_.size()); }
  /// The node of `level` above a position: a number on its level.
  [[nodiscard]] uint32_t node(uint32_t position, uint32_t level) const;
  /// Middle of a node's positions; that of position i itself is i.
  [[nodiscard]] double middle(uint32_t level, uint32_t node) const;

 private:
  uint32_t count_;
  std::vector<std::vector<uint32_t>> begin_;    // Per level from 1: first position of each node.
  std::vector<std::vector<uint32_t>> node_of_;  // Per level from 1: node of each position.
};

struct ChordOptions {
  Point centre;
  double radius_px = 100;
  double beta = 0.85;  ///< 1: along the hierarchy; 0: straight.
};

/// Where position `at` of `count` lies on a circle: from the top, clockwise.
Point on_circle(const ChordOptions& options, double at, uint32_t count, double radius_px);

/// The control points of an edge, not yet straightened: the sender, its ancestors up to the lowest
/// common one, down to the receiver; level l lies at radius R (1 - l / height). The common ancestor
/// is left out of polygons of more than three points (Holten, 4.1). A process that sends to itself
/// has a small loop.
void chord_polygon(const ChordTree& tree, const ChordOptions& options, uint32_t sender,
                   uint32_t receiver, std::vector<Point>& control);

/// The same edge as bands of the width of its value for pictures of few edges: keeping to the right
/// of the polygon, so that both directions between two processes are seen, and in short pieces
/// whose colour goes from `begin` to `end`.
void add_chord_ribbons(const PairValue& edge, const ChordTree& tree, const ChordOptions& options,
                       double half_width_px, Color begin, Color end, Ribbons& ribbons);

/// Adds the edges of positive value as splines of degree 2, s from sender to receiver, weight =
/// value.
/// cost  O(edges x height)
void add_chords(std::span<const PairValue> edges, const ChordTree& tree,
                const ChordOptions& options, Curves& curves);

}  // namespace pathline::layout
