// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "bundle/mean_shift.hpp"
#include "layout/scene.hpp"

namespace pathline::bundle {

struct QuadtreeLimits {
  double max_share = 1.0 / 256;  ///< of all weight: cells with more are split
  double min_side_px = 8;        ///< cells not longer than this are not
};

/// A balanced quadtree over a picture, finer where there is more weight, and the graph of its cell
/// borders (A. Lambert, R. Bourqui, D. Auber, "Winding Roads: Routing edges into bundles", Comput.
/// Graph. Forum 29(3), 2010). Immutable.
///
/// The picture is a row (or column, at most 64) of roots as square as possible, each split into
/// quarters again and again: while it holds more than max_share and its longer side is above
/// min_side_px, then until neighbours along a side differ by at most one level ("2:1 balance").
/// There are at most 2^20 cells of the finest level; min_side_px is raised to that.
///
/// Vertices are the corners of the leaves, row by row; edges run along the sides of leaves from
/// vertex to vertex and along both diagonals of each leaf.
class QuadtreeGraph {
 public:
  /// cost  O(points + finest cells + leaves log leaves), the same for any number of threads.
  QuadtreeGraph(std::span<const WeightedPoints> parts, const layout::Rect& area,
                const QuadtreeLimits& limits, base::ThreadPool& pool);

  /// Place and size in cells of the finest level.
  struct Leaf {
    uint32_t column = 0;
    uint32_t row = 0;
    uint32_t size = 1;
    uint32_t corners[4] = {};  ///< vertices: top left, top right, bottom left, bottom right
  };
  struct Edge {
    uint32_t a = 0;  ///< a < b
    uint32_t b = 0;
    double length_px = 0;
  };
  /// A way out of a vertex.
  struct Arc {
    uint32_t to = 0;
    uint32_t edge = 0;
  };

  const std::vector<Leaf>& leaves() const { return leaves_; }
  const std::vector<layout::Point>& vertices() const { return vertices_; }
  const std::vector<Edge>& edges() const { return edges_; }
  std::span<const Arc> arcs(uint32_t vertex) const {
    return {arcs_.data() + first_arc_[vertex], arcs_.data() + first_arc_[vertex + 1]};
  }

  /// Leaf that holds `p`; the nearest one along each axis if it is outside.
  uint32_t leaf_at(layout::Point p) const { return leaf_of_cell_[cell_at(p)]; }
  layout::Rect rect(const Leaf& leaf) const;

 private:
  /// One value per cell of a level: the roots are level 0.
  template <class T>
  using Levels = std::vector<std::vector<T>>;

  uint32_t columns(uint32_t level) const { return root_columns_ << level; }
  uint32_t rows(uint32_t level) const { return root_rows_ << level; }
  size_t cell_at(layout::Point p) const;
  void choose_roots(double min_side_px);
  Levels<uint64_t> sum_up(std::span<const WeightedPoints> parts, base::ThreadPool& pool) const;
  Levels<uint8_t> split(const Levels<uint64_t>& weight, double max_share) const;
  void balance(Levels<uint8_t>& is_split) const;
  void cut_leaves(const Levels<uint8_t>& is_split);
  void add_vertices();
  void add_edges();

  layout::Rect area_;
  uint32_t root_columns_ = 1;
  uint32_t root_rows_ = 1;
  uint32_t depth_ = 0;  // level of the finest cells
  double cells_per_px_x_ = 1;
  double cells_per_px_y_ = 1;
  std::vector<uint32_t> leaf_of_cell_;
  std::vector<uint32_t> vertex_at_;  // by lattice point while it is built
  std::vector<Leaf> leaves_;
  std::vector<layout::Point> vertices_;
  std::vector<Edge> edges_;
  std::vector<Arc> arcs_;
  std::vector<size_t> first_arc_;
};

}  // namespace pathline::bundle
