// SPDX-License-Identifier: BSD-3-Clause
#include "figure/network/graph_bands.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace pathline::figure {
namespace {

constexpr double kBandInk = 0.3;  // Of the area, at most.
constexpr double kWidestBand = 16;
constexpr double kNarrowestWidest = 1;
constexpr double kWidestOfCrowd = 2.5;    // However near nodes are.
constexpr size_t kMaxSingleBands = 6000;  // Of routes one by one.
constexpr double kSingleFrom = 0.7;       // px that half of them must be wide.

/// Routes beside each other, those with the largest value next to the line from node to node. As
/// the paper stacks them. False, and no bands, when they would be too narrow.
bool make_single_bands(const NetworkView& view, const NetworkOptions& options,
                       std::span<const GroupLink> links, GraphBands& bands) {
  // Their number can only be seen from a band for all of them, their identity from a few colours.
  if (options.color == RouteMetric::kRoutes && view.drawn.size() > kOneColorEach) return false;
  std::unordered_map<uint64_t, uint32_t> link_of;
  for (uint32_t i = 0; i < links.size(); ++i) {
    link_of[uint64_t{links[i].from} << 32U | links[i].to] = i;
  }
  for (const uint32_t route : view.drawn) {
    const auto bytes = static_cast<double>(view.routes->bytes[route]);
    const double value = route_value(view, route, options.color);
    for (const network::Link link : view.routes->links_of(route)) {
      const uint32_t from = view.group_of[view.network->source(link)];
      const uint32_t to = view.group_of[view.network->target(link)];
      if (from == to) continue;
      bands.all.push_back({link_of.at(uint64_t{from} << 32U | to), bytes, value, route});
      if (bands.all.size() > kMaxSingleBands) break;
    }
  }
  std::vector<double> widths;
  for (const GraphBand& band : bands.all)
    widths.push_back(band.bytes / bands.most_bytes * bands.width_px);
  std::sort(widths.begin(), widths.end());
  bands.single = !widths.empty() && bands.all.size() <= kMaxSingleBands &&
                 widths[widths.size() / 2] >= kSingleFrom;
  if (!bands.single) {
    bands.all.clear();
    return false;
  }
  std::stable_sort(bands.all.begin(), bands.all.end(), [](const GraphBand& a, const GraphBand& b) {
    return a.link != b.link ? a.link < b.link : a.value > b.value;
  });
  for (size_t i = 1; i < bands.all.size(); ++i) {
    if (bands.all[i].link != bands.all[i - 1].link) continue;
    bands.all[i].before = bands.all[i - 1].before + bands.all[i - 1].bytes;
  }
  return true;
}

}  // namespace

double link_length_px(const GraphNodes& nodes, const GroupLink& link) {
  const layout::Point& a = nodes.of_group(link.from).at;
  const layout::Point& b = nodes.of_group(link.to).at;
  return std::hypot(b.x - a.x, b.y - a.y);
}

GraphBands graph_bands(const NetworkView& view, const NetworkOptions& options,
                       std::span<const GroupLink> links, const GraphNodes& nodes,
                       const layout::Rect& area) {
  GraphBands bands;
  double ink = 0;
  for (const GroupLink& link : links) {
    bands.most_bytes = std::max(bands.most_bytes, static_cast<double>(link.bytes));
    ink += link_length_px(nodes, link) * static_cast<double>(link.bytes);
  }
  if (bands.most_bytes <= 0) return bands;
  const double widest = kBandInk * area.w * area.h * bands.most_bytes / std::max(ink, 1.0);
  const double room = std::clamp(0.6 * nodes.usual_distance_px(), kWidestOfCrowd, kWidestBand);
  bands.width_px = std::clamp(widest, kNarrowestWidest, room);
  if (!make_single_bands(view, options, links, bands)) {
    for (uint32_t i = 0; i < links.size(); ++i) {
      if (links[i].routes == 0) continue;
      bands.all.push_back({i, static_cast<double>(links[i].bytes), links[i].value});
    }
  }
  return bands;
}

void add_band(layout::Ribbons& ribbons, const GraphNodes& nodes, uint32_t from, uint32_t to,
              double from_px, double to_px, layout::Color color) {
  const layout::Point& a = nodes.of_group(from).at;
  const layout::Point& b = nodes.of_group(to).at;
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  if (!(length > 0)) return;
  // To the right of the way; y grows downwards.
  const double middle = (from_px + to_px) / 2 / length;
  const layout::Point shift{-(b.y - a.y) * middle, (b.x - a.x) * middle};
  const layout::Point begin{a.x + shift.x, a.y + shift.y};
  const layout::Point end{b.x + shift.x, b.y + shift.y};
  ribbons.add(begin, {(begin.x + end.x) / 2, (begin.y + end.y) / 2}, end, (to_px - from_px) / 2,
              color);
}

void add_changed_bands(layout::Scene& scene, const layout::Theme& theme, const layout::Rect& area,
                       const GraphNodes& nodes, std::span<const LinkChange> changes,
                       const DifferenceScale& scale) {
  constexpr double kWidestPx = 10;
  constexpr double kNarrowestPx = 0.05;
  double most = 0;
  std::vector<const LinkChange*> order;
  for (const LinkChange& change : changes) {
    order.push_back(&change);
    most = std::max({most, change.before, change.after});
  }
  std::stable_sort(order.begin(), order.end(), [](const LinkChange* a, const LinkChange* b) {
    return std::abs(a->difference()) < std::abs(b->difference());
  });
  const layout::Color grey = layout::mix(theme.plot_background, theme.other, 0.55);
  layout::Ribbons before;
  layout::Ribbons after;
  before.clip = after.clip = area;
  for (const LinkChange* change : order) {
    const auto add = [&](layout::Ribbons& ribbons, double load, layout::Color color) {
      if (!(load > 0)) return;
      const double width = std::max(kNarrowestPx, load / most * kWidestPx);
      add_band(ribbons, nodes, change->from, change->to, 0, width, color);
    };
    add(before, change->before, grey);
    add(after, change->after, scale.color(theme, change->difference()));
  }
  scene.layers.emplace_back(std::move(before));
  scene.layers.emplace_back(std::move(after));
}

}  // namespace pathline::figure
