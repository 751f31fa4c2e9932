// SPDX-License-Identifier: BSD-3-Clause
#include "figure/network/graph_nodes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "layout/force_layout.hpp"

namespace pathline::figure {
namespace {

using layout::Point;

constexpr double kMaxStretch = 1.35;  // Of the placement, to fill the picture.
constexpr double kCircleInk = 0.07;   // Of the area, at most.
constexpr double kLargestRadius = 22;

/// Turns points so that they are widest from left to right, about the middle of their box.
void level(std::vector<Point>& at) {
  Point mean;
  for (const Point& point : at) {
    mean.x += point.x / static_cast<double>(at.size());
    mean.y += point.y / static_cast<double>(at.size());
  }
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (Point& point : at) {
    point = {point.x - mean.x, point.y - mean.y};
    xx += point.x * point.x;
    xy += point.x * point.y;
    yy += point.y * point.y;
  }
  const double angle = 0.5 * std::atan2(2 * xy, xx - yy);
  for (Point& point : at) {
    point = {point.x * std::cos(angle) + point.y * std::sin(angle),
             point.y * std::cos(angle) - point.x * std::sin(angle)};
  }
}

}  // namespace

GraphNodes::GraphNodes(const NetworkView& view, std::span<const GroupLink> links)
    : pairs_(group_pairs(view)), links_(links), place_of_(view.group_count, UINT32_MAX) {
  std::vector<bool> is_there(view.group_count, false);
  for (const GroupPair& pair : pairs_) is_there[pair.from] = is_there[pair.to] = true;
  for (const GroupLink& link : links_) is_there[link.from] = is_there[link.to] = true;
  for (uint32_t group = 0; group < view.group_count; ++group) {
    if (!is_there[group]) continue;
    place_of_[group] = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({.group = group});
  }
  for (const GroupPair& pair : pairs_) {
    GraphNode& from = nodes_[place_of_[pair.from]];
    GraphNode& to = nodes_[place_of_[pair.to]];
    const auto bytes = static_cast<double>(pair.bytes);
    if (pair.from == pair.to) {
      from.inner_bytes += bytes;
      continue;
    }
    ++from.out_pairs;
    ++to.in_pairs;
    from.out_bytes += bytes;
    to.in_bytes += bytes;
  }
  for (const GraphNode& node : nodes_) most_partners_ = std::max(most_partners_, node.degree());
}

base::Status GraphNodes::place(const layout::Rect& area, PlacedBy by) {
  // Relays would hold together what has nothing to do with each other.
  std::vector<uint32_t> number(nodes_.size());
  uint32_t count = 0;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (by == PlacedBy::kLinks || nodes_[i].talks()) number[i] = count++;
  }
  std::vector<layout::ForceEdge> edges;
  const auto add = [&](uint32_t from, uint32_t to, uint64_t bytes) {
    if (from == to) return;
    edges.push_back({number[place_of_[from]], number[place_of_[to]],
                     std::max(1.0, static_cast<double>(bytes))});
  };
  if (by == PlacedBy::kLinks) {
    for (const GroupLink& link : links_) add(link.from, link.to, link.load_bytes);
  } else {
    for (const GroupPair& pair : pairs_) add(pair.from, pair.to, pair.bytes);
  }
  const auto layout = layout::force_layout(count, edges);
  if (!layout) return layout.error();
  by_weight_ = layout.value().by_weight;
  std::vector<Point> at(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (by == PlacedBy::kLinks || nodes_[i].talks()) at[i] = layout.value().at[number[i]];
  }
  if (by == PlacedBy::kPairs) draw_in_relays(at);
  fit(std::move(at), area);
  size_circles(area);
  return {};
}

/// What only passes on has no partners: it goes to the middle of its links, weighed by their loads.
void GraphNodes::draw_in_relays(std::vector<Point>& at) const {
  constexpr int kRounds = 12;  // Relays may lead to relays.
  std::vector<bool> is_placed;
  for (const GraphNode& node : nodes_) is_placed.push_back(node.talks());
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Point> sum(at.size());
    std::vector<double> weight(at.size(), 0);
    for (const GroupLink& link : links_) {
      const std::array ends{place_of_[link.from], place_of_[link.to]};
      const auto load = static_cast<double>(std::max<uint64_t>(1, link.load_bytes));
      for (const size_t side : {0U, 1U}) {
        if (nodes_[ends[side]].talks() || !is_placed[ends[1 - side]]) continue;
        const Point& other = at[ends[1 - side]];
        sum[ends[side]].x += load * other.x;
        sum[ends[side]].y += load * other.y;
        weight[ends[side]] += load;
      }
    }
    for (size_t i = 0; i < at.size(); ++i) {
      if (weight[i] <= 0) continue;
      at[i] = {sum[i].x / weight[i], sum[i].y / weight[i]};
      is_placed[i] = true;
    }
  }
}

void GraphNodes::fit(std::vector<Point> at, const layout::Rect& area) {
  level(at);
  Point low{HUGE_VAL, HUGE_VAL};
  Point high{-HUGE_VAL, -HUGE_VAL};
  for (const Point& point : at) {
    low = {std::min(low.x, point.x), std::min(low.y, point.y)};
    high = {std::max(high.x, point.x), std::max(high.y, point.y)};
  }
  const double rim = nodes_.size() > 400 ? 10 : kLargestRadius + 4;  // The larger, the fewer.
  const auto scale_of = [&](double room, double extent) {
    return extent > 1e-9 ? std::max(1.0, room - 2 * rim) / extent : HUGE_VAL;
  };
  double x_scale = scale_of(area.w, high.x - low.x);
  double y_scale = scale_of(area.h, high.y - low.y);
  const double least = std::min(x_scale, y_scale);
  x_scale = least < HUGE_VAL ? std::min(x_scale, kMaxStretch * least) : 0;
  y_scale = least < HUGE_VAL ? std::min(y_scale, kMaxStretch * least) : 0;
  for (size_t i = 0; i < at.size(); ++i) {
    nodes_[i].at = {area.x + area.w / 2 + (at[i].x - (low.x + high.x) / 2) * x_scale,
                    area.y + area.h / 2 + (at[i].y - (low.y + high.y) / 2) * y_scale};
  }
}

double GraphNodes::usual_distance_px() const {
  constexpr size_t kSample = 512;  // Nodes whose neighbours are looked for.
  std::vector<double> distances;
  const size_t step = std::max<size_t>(1, nodes_.size() / kSample);
  for (size_t i = 0; i < nodes_.size(); i += step) {
    if (!nodes_[i].talks()) continue;
    double nearest = HUGE_VAL;
    for (size_t k = 0; k < nodes_.size(); ++k) {
      if (k == i || !nodes_[k].talks()) continue;
      const double x = nodes_[k].at.x - nodes_[i].at.x;
      const double y = nodes_[k].at.y - nodes_[i].at.y;
      nearest = std::min(nearest, x * x + y * y);
    }
    distances.push_back(std::sqrt(nearest));
  }
  if (distances.empty()) return HUGE_VAL;
  const auto quarter = distances.begin() + static_cast<ptrdiff_t>(distances.size() / 4);
  std::nth_element(distances.begin(), quarter, distances.end());
  return *quarter;
}

void GraphNodes::size_circles(const layout::Rect& area) {
  std::vector<uint32_t> degrees;
  double sum = 0;
  for (const GraphNode& node : nodes_) {
    if (node.talks()) degrees.push_back(node.degree());
    sum += node.degree();
  }
  std::sort(degrees.begin(), degrees.end());
  // Circles together leave most of the area free.
  largest_px_ =
      sum > 0 ? std::sqrt(kCircleInk * area.w * area.h / (std::numbers::pi * sum) * most_partners_)
              : kLargestRadius;
  // Most of them do not touch; a few large ones may.
  const double usual =
      most_partners_ > 0 ? degrees[degrees.size() / 2] / static_cast<double>(most_partners_) : 0;
  if (usual > 0) largest_px_ = std::min(largest_px_, 0.5 * usual_distance_px() / std::sqrt(usual));
  largest_px_ = std::clamp(largest_px_, 2 * kSmallestRadius, kLargestRadius);
  for (GraphNode& node : nodes_) node.radius_px = radius_px(node.degree());
}

double GraphNodes::radius_px(double partners) const {
  const double share = most_partners_ == 0 ? 0.25 : partners / most_partners_;
  return std::max(kSmallestRadius, largest_px_ * std::sqrt(share));
}

}  // namespace pathline::figure
