// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/quadtree_graph.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "bundle/router_input.hpp"

namespace pathline::bundle {
namespace {

constexpr double kMaxRoots = 64;
constexpr size_t kMaxFinestCells = size_t{1} << 20;
constexpr uint32_t kNoVertex = UINT32_MAX;

}  // namespace

QuadtreeGraph::QuadtreeGraph(std::span<const WeightedPoints> parts, const layout::Rect& area,
                             const QuadtreeLimits& limits, base::ThreadPool& pool)
    : area_(plot_area(area)) {
  choose_roots(limits.min_side_px);
  Levels<uint8_t> is_split = split(sum_up(parts, pool), limits.max_share);
  balance(is_split);
  cut_leaves(is_split);
  add_vertices();
  add_edges();
}

void QuadtreeGraph::choose_roots(double min_side_px) {
  const double ratio = area_.w / area_.h;
  root_columns_ = static_cast<uint32_t>(std::clamp(std::round(ratio), 1.0, kMaxRoots));
  root_rows_ = static_cast<uint32_t>(std::clamp(std::round(1 / ratio), 1.0, kMaxRoots));
  double side = std::max(area_.w / root_columns_, area_.h / root_rows_);
  size_t cells = size_t{root_columns_} * root_rows_;
  for (; side > min_side_px && cells * 4 <= kMaxFinestCells; side /= 2, cells *= 4) ++depth_;
  cells_per_px_x_ = columns(depth_) / area_.w;
  cells_per_px_y_ = rows(depth_) / area_.h;
}

size_t QuadtreeGraph::cell_at(layout::Point p) const {
  const auto index = [](double at, uint32_t count) -> size_t {
    if (!(at > 0)) return 0;
    return at < count ? static_cast<size_t>(at) : count - 1;
  };
  return index((p.y - area_.y) * cells_per_px_y_, rows(depth_)) * columns(depth_) +
         index((p.x - area_.x) * cells_per_px_x_, columns(depth_));
}

layout::Rect QuadtreeGraph::rect(const Leaf& leaf) const {
  const double w = area_.w / columns(depth_);
  const double h = area_.h / rows(depth_);
  return {area_.x + leaf.column * w, area_.y + leaf.row * h, leaf.size * w, leaf.size * h};
}

QuadtreeGraph::Levels<uint64_t> QuadtreeGraph::sum_up(std::span<const WeightedPoints> parts,
                                                      base::ThreadPool& pool) const {
  size_t count = 0;
  for (const WeightedPoints& points : parts) count += points.weight.size();
  const size_t slices = part_count(count, pool);
  std::vector<std::vector<uint64_t>> sums(slices);
  pool.for_each(slices, [&](size_t slice) {
    sums[slice].resize(size_t{columns(depth_)} * rows(depth_));
    for (const WeightedPoints& points : parts) {
      const size_t size = points.weight.size();
      for (size_t i = size * slice / slices; i < size * (slice + 1) / slices; ++i) {
        if (points.weight[i] == 0) continue;
        sums[slice][cell_at({points.x[i], points.y[i]})] += points.weight[i];
      }
    }
  });
  Levels<uint64_t> weight(depth_ + 1);
  weight[depth_] = std::move(sums[0]);
  for (size_t slice = 1; slice < slices; ++slice) {
    for (size_t c = 0; c < sums[slice].size(); ++c) weight[depth_][c] += sums[slice][c];
  }
  for (uint32_t level = depth_; level > 0; --level) {
    weight[level - 1].resize(size_t{columns(level - 1)} * rows(level - 1));
    for (uint32_t row = 0; row < rows(level); ++row) {
      for (uint32_t column = 0; column < columns(level); ++column) {
        weight[level - 1][size_t{row / 2} * columns(level - 1) + column / 2] +=
            weight[level][size_t{row} * columns(level) + column];
      }
    }
  }
  return weight;
}

/// 1 where a cell is to be split. Weight only shrinks downwards, so the cells above are split, too.
QuadtreeGraph::Levels<uint8_t> QuadtreeGraph::split(const Levels<uint64_t>& weight,
                                                    double max_share) const {
  uint64_t total = 0;
  for (const uint64_t w : weight[0]) total += w;
  const double most = std::max(0.0, max_share) * static_cast<double>(total);
  Levels<uint8_t> is_split(depth_);
  for (uint32_t level = 0; level < depth_; ++level) {
    for (const uint64_t w : weight[level]) {
      is_split[level].push_back(static_cast<double>(w) > most ? 1 : 0);
    }
  }
  return is_split;
}

/// A cell may be split only if its neighbours of the same level exist. From fine to coarse, since
/// splitting one makes demands on coarser ones only.
void QuadtreeGraph::balance(Levels<uint8_t>& is_split) const {
  for (uint32_t level = depth_; level-- > 1;) {
    const auto demand = [&](uint32_t column, uint32_t row) {  // wraps around below 0
      if (column >= columns(level) || row >= rows(level)) return;
      is_split[level - 1][size_t{row / 2} * columns(level - 1) + column / 2] = 1;
    };
    for (uint32_t row = 0; row < rows(level); ++row) {
      for (uint32_t column = 0; column < columns(level); ++column) {
        if (is_split[level][size_t{row} * columns(level) + column] == 0) continue;
        demand(column - 1, row);
        demand(column + 1, row);
        demand(column, row - 1);
        demand(column, row + 1);
      }
    }
  }
}

void QuadtreeGraph::cut_leaves(const Levels<uint8_t>& is_split) {
  const size_t width = columns(depth_);
  constexpr uint32_t kUnknown = UINT32_MAX;
  leaf_of_cell_.assign(width * rows(depth_), kUnknown);
  for (uint32_t row = 0; row < rows(depth_); ++row) {
    for (uint32_t column = 0; column < columns(depth_); ++column) {
      if (leaf_of_cell_[row * width + column] != kUnknown) continue;
      uint32_t level = 0;
      while (level < depth_ && is_split[level][size_t{row >> (depth_ - level)} * columns(level) +
                                               (column >> (depth_ - level))] != 0) {
        ++level;
      }
      const uint32_t size = 1U << (depth_ - level);
      for (uint32_t r = row; r < row + size; ++r) {
        std::fill_n(leaf_of_cell_.begin() + static_cast<ptrdiff_t>(r * width + column), size,
                    static_cast<uint32_t>(leaves_.size()));
      }
      leaves_.push_back({column, row, size});
    }
  }
}

void QuadtreeGraph::add_vertices() {
  const size_t width = columns(depth_) + 1;
  vertex_at_.assign(width * (rows(depth_) + 1), kNoVertex);
  const auto corner = [&](const Leaf& leaf, size_t i) {
    return (leaf.row + i / 2 * leaf.size) * width + leaf.column + i % 2 * leaf.size;
  };
  for (const Leaf& leaf : leaves_) {
    for (size_t i = 0; i < 4; ++i) vertex_at_[corner(leaf, i)] = 0;
  }
  for (size_t at = 0; at < vertex_at_.size(); ++at) {
    if (vertex_at_[at] == kNoVertex) continue;
    vertex_at_[at] = static_cast<uint32_t>(vertices_.size());
    const size_t column = at % width;
    const size_t row = at / width;
    vertices_.push_back({area_.x + static_cast<double>(column) * area_.w / columns(depth_),
                         area_.y + static_cast<double>(row) * area_.h / rows(depth_)});
  }
  for (Leaf& leaf : leaves_) {
    for (size_t i = 0; i < 4; ++i) leaf.corners[i] = vertex_at_[corner(leaf, i)];
  }
}

void QuadtreeGraph::add_edges() {
  const auto add = [&](uint32_t a, uint32_t b) {
    edges_.push_back({std::min(a, b), std::max(a, b), distance(vertices_[a], vertices_[b])});
  };
  const size_t width = columns(depth_) + 1;
  // A side may have one more vertex, in its middle, where two smaller leaves touch it.
  const auto add_side = [&](uint32_t a, uint32_t b, uint32_t column2, uint32_t row2) {
    const bool has_middle = column2 % 2 == 0 && row2 % 2 == 0;
    const uint32_t middle =
        has_middle ? vertex_at_[size_t{row2 / 2} * width + column2 / 2] : kNoVertex;
    if (middle == kNoVertex) return add(a, b);
    add(a, middle);
    add(middle, b);
  };
  for (const Leaf& leaf : leaves_) {
    const auto& [top_left, top_right, bottom_left, bottom_right] = leaf.corners;
    const uint32_t column2 = 2 * leaf.column;
    const uint32_t row2 = 2 * leaf.row;
    add_side(top_left, top_right, column2 + leaf.size, row2);
    add_side(bottom_left, bottom_right, column2 + leaf.size, row2 + 2 * leaf.size);
    add_side(top_left, bottom_left, column2, row2 + leaf.size);
    add_side(top_right, bottom_right, column2 + 2 * leaf.size, row2 + leaf.size);
    add(top_left, bottom_right);
    add(top_right, bottom_left);
  }
  vertex_at_ = {};
  const auto ends = [](const Edge& e) { return std::tie(e.a, e.b); };
  std::sort(edges_.begin(), edges_.end(),
            [&](const Edge& p, const Edge& q) { return ends(p) < ends(q); });
  edges_.erase(std::unique(edges_.begin(), edges_.end(),
                           [&](const Edge& p, const Edge& q) { return ends(p) == ends(q); }),
               edges_.end());

  first_arc_.assign(vertices_.size() + 1, 0);
  for (const Edge& e : edges_) {
    ++first_arc_[e.a + 1];
    ++first_arc_[e.b + 1];
  }
  for (size_t v = 0; v < vertices_.size(); ++v) first_arc_[v + 1] += first_arc_[v];
  arcs_.resize(2 * edges_.size());
  std::vector<size_t> next(first_arc_.begin(), first_arc_.end() - 1);
  for (uint32_t i = 0; i < edges_.size(); ++i) {
    arcs_[next[edges_[i].a]++] = {edges_[i].b, i};
    arcs_[next[edges_[i].b]++] = {edges_[i].a, i};
  }
}

}  // namespace pathline::bundle
