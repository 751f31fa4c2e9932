// SPDX-License-Identifier: BSD-3-Clause
#include "figure/network/graph_clusters.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace pathline::figure {
namespace {

using layout::Point;

double cross(const Point& o, const Point& a, const Point& b) {
  return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

/// Anticlockwise on a page (y down), without points on its edges (Andrew's monotone chain).
std::vector<Point> convex_hull(std::vector<Point> points) {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  std::vector<Point> hull;
  const auto add_half = [&](auto first, auto last) {
    const size_t begin = hull.size();
    for (auto point = first; point != last; ++point) {
      while (hull.size() >= begin + 2 && cross(hull[hull.size() - 2], hull.back(), *point) <= 0) {
        hull.pop_back();
      }
      hull.push_back(*point);
    }
    hull.pop_back();
  };
  add_half(points.begin(), points.end());
  add_half(points.rbegin(), points.rend());
  return hull;
}

/// Points around each circle, so that a hull goes round the circles and has round corners.
std::vector<Point> rims(const GraphNodes& nodes, std::span<const uint32_t> groups) {
  constexpr int kCorners = 16;
  constexpr double kRoom = 7;
  std::vector<Point> points;
  for (const uint32_t group : groups) {
    const GraphNode& node = nodes.of_group(group);
    for (int i = 0; i < kCorners; ++i) {
      const double angle = 2 * std::numbers::pi * i / kCorners;
      const double radius = node.radius_px + kRoom;
      points.push_back(
          {node.at.x + radius * std::cos(angle), node.at.y + radius * std::sin(angle)});
    }
  }
  return points;
}

}  // namespace

std::vector<std::vector<uint32_t>> clusters(std::span<const GroupPair> pairs,
                                            uint32_t group_count) {
  std::vector<uint32_t> root(group_count);
  std::iota(root.begin(), root.end(), 0U);
  const auto find = [&](uint32_t group) {
    while (root[group] != group) group = root[group] = root[root[group]];
    return group;
  };
  for (const GroupPair& pair : pairs) {
    const uint32_t a = find(pair.from);
    const uint32_t b = find(pair.to);
    root[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::vector<uint32_t>> members(group_count);
  for (uint32_t group = 0; group < group_count; ++group) members[find(group)].push_back(group);
  std::erase_if(members, [](const auto& groups) { return groups.size() < 3; });
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return members;
}

void add_cluster_grounds(layout::Scene& scene, const layout::Theme& theme, const GraphNodes& nodes,
                         std::span<const std::vector<uint32_t>> clusters) {
  layout::Polylines grounds;
  for (const std::vector<uint32_t>& groups : clusters) {
    layout::Polyline ground{.points = convex_hull(rims(nodes, groups)),
                            .stroke = layout::mix(theme.background, theme.other, 0.45),
                            .fill = layout::mix(theme.background, theme.other, 0.09)};
    ground.points.push_back(ground.points.front());
    grounds.lines.push_back(std::move(ground));
  }
  scene.layers.emplace_back(std::move(grounds));
}

}  // namespace pathline::figure
