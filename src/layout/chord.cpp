// SPDX-License-Identifier: BSD-3-Clause
#include "layout/chord.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

#include "layout/bspline.hpp"

namespace pathline::layout {
namespace {

constexpr size_t kArity = 4;
constexpr size_t kColoursPerPiece = 8;

/// Part [from, to] of a curve.
Bezier part_of(const Bezier& curve, double from, double to) {
  // The tangents at both ends meet in the blossom of the two parameters.
  const auto mixed = [&](double a, double b, double c) {
    return (1 - from) * (1 - to) * a + ((1 - from) * to + from * (1 - to)) * b + from * to * c;
  };
  return {curve.at(from),
          {mixed(curve.begin.x, curve.control.x, curve.end.x),
           mixed(curve.begin.y, curve.control.y, curve.end.y)},
          curve.at(to)};
}

/// Moves the points to the right of the way along them.
void keep_right(std::vector<Point>& control, double distance) {
  const std::vector<Point> old = control;
  for (size_t i = 0; i < old.size(); ++i) {
    const Point& from = old[i == 0 ? 0 : i - 1];
    const Point& to = old[std::min(i + 1, old.size() - 1)];
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    if (length < 1e-9) continue;
    control[i].x -= distance * (to.y - from.y) / length;
    control[i].y += distance * (to.x - from.x) / length;
  }
}

}  // namespace

ChordTree::ChordTree(uint32_t count, std::span<const uint32_t> block_begin) : count_(count) {
  assert(count > 0);
  std::vector<uint32_t> level(count);
  for (uint32_t i = 0; i < count; ++i) level[i] = i;
  const std::vector<uint32_t> whole = {0};
  // Twice: inside the blocks until each is one node, then all of them until there is one root.
  for (const std::span<const uint32_t> bounds : {block_begin, std::span<const uint32_t>(whole)}) {
    if (bounds.empty()) continue;
    while (level.size() > bounds.size()) {
      std::vector<uint32_t> parents;
      size_t bound = 0;
      size_t children = 0;
      for (const uint32_t begin : level) {
        const bool new_block = bound < bounds.size() && begin == bounds[bound];
        bound += new_block ? 1 : 0;
        if (new_block || children == kArity) {
          parents.push_back(begin);
          children = 0;
        }
        ++children;
      }
      begin_.push_back(parents);
      level = std::move(parents);
    }
  }
  if (begin_.empty()) begin_.push_back({0});
  for (const std::vector<uint32_t>& nodes : begin_) {
    std::vector<uint32_t>& of = node_of_.emplace_back(count);
    uint32_t node = 0;
    for (uint32_t i = 0; i < count; ++i) {
      if (node + 1 < nodes.size() && nodes[node + 1] == i) ++node;
      of[i] = node;
    }
  }
}

uint32_t ChordTree::node(uint32_t position, uint32_t level) const {
  return level == 0 ? position : node_of_[level - 1][position];
}

double ChordTree::middle(uint32_t level, uint32_t node) const {
  if (level == 0) return node;
  const std::vector<uint32_t>& begin = begin_[level - 1];
  const uint32_t end = node + 1 < begin.size() ? begin[node + 1] : count_;
  return (begin[node] + end - 1.0) / 2;
}

Point on_circle(const ChordOptions& options, double at, uint32_t count, double radius_px) {
  const double angle = 2 * std::numbers::pi * at / count;
  return {options.centre.x + radius_px * std::sin(angle),
          options.centre.y - radius_px * std::cos(angle)};
}

void chord_polygon(const ChordTree& tree, const ChordOptions& options, uint32_t sender,
                   uint32_t receiver, std::vector<Point>& control) {
  control.clear();
  const double radius = options.radius_px;
  const auto node = [&](uint32_t position, uint32_t level) {
    return on_circle(options, tree.middle(level, tree.node(position, level)), tree.count(),
                     radius * (1 - static_cast<double>(level) / tree.height()));
  };
  if (sender == receiver) {
    // As wide as a process, at most some degrees.
    const double half = std::min(0.3, 0.01 * tree.count());
    control.push_back(on_circle(options, sender - half, tree.count(), radius));
    control.push_back(on_circle(options, sender - half, tree.count(), 0.92 * radius));
    control.push_back(on_circle(options, sender + half, tree.count(), 0.92 * radius));
    control.push_back(on_circle(options, sender + half, tree.count(), radius));
    return;
  }
  uint32_t common = 1;
  while (tree.node(sender, common) != tree.node(receiver, common)) ++common;
  for (uint32_t level = 0; level < common; ++level) control.push_back(node(sender, level));
  if (common == 1) control.push_back(node(sender, common));
  for (uint32_t level = common; level-- > 0;) control.push_back(node(receiver, level));
}

void add_chord_ribbons(const PairValue& edge, const ChordTree& tree, const ChordOptions& options,
                       double half_width_px, Color begin, Color end, Ribbons& ribbons) {
  std::vector<Point> control;
  chord_polygon(tree, options, edge.sender, edge.receiver, control);
  if (edge.sender != edge.receiver) {
    straighten(control, options.beta);
    keep_right(control, half_width_px + 0.25);
  }
  const size_t pieces = quadratic_piece_count(control.size());
  const double count = static_cast<double>(pieces * kColoursPerPiece);
  for (size_t i = 0; i < pieces; ++i) {
    const Bezier piece = quadratic_piece(control, i);
    for (size_t k = 0; k < kColoursPerPiece; ++k) {
      const Bezier part = part_of(piece, static_cast<double>(k) / kColoursPerPiece,
                                  static_cast<double>(k + 1) / kColoursPerPiece);
      const double s = (static_cast<double>(i * kColoursPerPiece + k) + 0.5) / count;
      ribbons.add(part.begin, part.control, part.end, half_width_px, mix(begin, end, s));
    }
  }
}

void add_chords(std::span<const PairValue> edges, const ChordTree& tree,
                const ChordOptions& options, Curves& curves) {
  std::vector<Point> control;
  for (const PairValue& edge : edges) {
    if (!(edge.value > 0)) continue;
    chord_polygon(tree, options, edge.sender, edge.receiver, control);
    const double beta = edge.sender == edge.receiver ? 1 : options.beta;
    add_spline(control, {.degree = 2, .beta = beta}, edge.value, curves);
  }
}

}  // namespace pathline::layout
