// SPDX-License-Identifier: BSD-3-Clause
#include "figure/network/graph_names.hpp"

#include <algorithm>
#include <vector>

#include "layout/text.hpp"

namespace pathline::figure {
namespace {

using layout::Point;
using layout::Rect;

constexpr size_t kNameAll = 64;
constexpr size_t kOtherwise = 8;
constexpr double kArcRoom = 5;  // px that an arc around the circle takes.

/// Right, left, above or below a circle, where nothing else is; empty without room.
Rect name_place(const GraphNode& node, Point size, const Rect& area,
                const std::vector<Rect>& taken) {
  const double gap = node.radius_px + 2 + (node.inner_bytes > 0 ? kArcRoom : 0);
  const Point& at = node.at;
  const double w = size.x;
  const double h = size.y;
  for (const Rect& place :
       {Rect{at.x + gap, at.y - h / 2, w, h}, Rect{at.x - gap - w, at.y - h / 2, w, h},
        Rect{at.x - w / 2, at.y - gap - h, w, h}, Rect{at.x - w / 2, at.y + gap, w, h}}) {
    const bool inside = place.x >= area.x && place.y >= area.y - 4 &&
                        place.right() <= area.right() && place.bottom() <= area.bottom() + 4;
    const bool free = std::none_of(taken.begin(), taken.end(), [&](const Rect& other) {
      return place.x < other.right() && other.x < place.right() && place.y < other.bottom() &&
             other.y < place.bottom();
    });
    if (inside && free) return place;
  }
  return {};
}

}  // namespace

void add_graph_names(layout::Scene& scene, const layout::Theme& theme, const NetworkView& view,
                     const GraphNodes& nodes, const Rect& area) {
  std::vector<const GraphNode*> order;
  for (const GraphNode& node : nodes.all()) {
    if (node.talks()) order.push_back(&node);
  }
  std::stable_sort(order.begin(), order.end(), [](const GraphNode* a, const GraphNode* b) {
    return a->degree() > b->degree();
  });
  if (order.size() > kNameAll) order.resize(kOtherwise);
  std::vector<Rect> taken;
  if (nodes.size() <= 4 * kNameAll) {
    for (const GraphNode& node : nodes.all()) {
      const double r = node.radius_px + (node.inner_bytes > 0 ? kArcRoom : 0);
      taken.push_back({node.at.x - r, node.at.y - r, 2 * r, 2 * r});
    }
  }
  layout::Boxes grounds;
  grounds.corner_radius_px = 3;
  layout::Labels labels;
  for (const GraphNode* node : order) {
    const std::string& name = view.names[node->group];
    const Point size{layout::text_width_px(name, theme.small_size_px) + 6,
                     theme.small_size_px * 1.3};
    const Rect place = name_place(*node, size, area, taken);
    if (place.w <= 0) continue;
    taken.push_back(place);
    grounds.add(place, layout::with_alpha(theme.background, 0.8));
    labels.items.push_back({.text = name,
                            .at = {place.x + place.w / 2, place.y + place.h / 2},
                            .color = theme.text,
                            .size_px = theme.small_size_px,
                            .anchor = layout::Anchor::kMiddle,
                            .baseline = layout::Baseline::kMiddle});
  }
  scene.layers.emplace_back(std::move(grounds));
  scene.layers.emplace_back(std::move(labels));
}

}  // namespace pathline::figure
