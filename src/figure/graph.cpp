// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/graph_nodes.hpp"
#include "figure/network_view.hpp"
#include "layout/axis.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

using layout::Color;
using layout::Point;
using layout::Rect;

constexpr double kMargin = 16;
constexpr double kLegendWidth = 226;
constexpr double kWithLegendFrom = 600;  // px of the picture's width.
constexpr double kBandInk = 0.3;         // Of the area, at most.
constexpr double kWidestBand = 16;
constexpr double kNarrowestWidest = 1;
constexpr double kWidestOfCrowd = 2.5;  // However near nodes are.
constexpr double kNarrowestBand = 0.5;
constexpr double kNarrowestOfMany = 0.05;  // Of links one pixel wide and more, in a crowd.
constexpr size_t kManyBands = 4000;
constexpr size_t kRingedLinks = 5;
constexpr size_t kRingsFrom = 300;         // Links.
constexpr size_t kMaxSingleBands = 6000;   // Of routes one by one.
constexpr double kSingleFrom = 0.7;        // px that half of them must be wide.
constexpr size_t kOneColorEach = 24;       // Routes.
constexpr size_t kMaxGraphNodes = 20'000;  // Of what a picture can hold.

/// A band along a link, at the right of its way.
struct Band {
  uint32_t link = 0;
  double bytes = 0;
  double value = 0;
  uint32_t route = 0;  // Only of routes one by one.
  double before = 0;   // Bytes between the line from node to node and the band.
};

class GraphFigure {
 public:
  GraphFigure(const NetworkView& view, const NetworkOptions& options)
      : view_(view), options_(options), theme_(layout::theme(options.theme)) {
    scene_.width_px = options.width_px;
    scene_.height_px = options.height_px;
  }

  base::Result<layout::Scene> draw() {
    const double top = layout::add_title(
        scene_, theme_, options_.title.empty() ? "Communication graph" : options_.title,
        network_subtitle(view_, options_));
    area_ = {kMargin, top + 6, options_.width_px - 2 * kMargin - legend_space(),
             options_.height_px - top - 6 - kMargin};
    if (area_.w < 100 || area_.h < 100) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         fmt::format("a picture of {}x{} pixels is too small for a graph",
                                     options_.width_px, options_.height_px)};
    }
    links_ = group_links(view_, options_.color);
    nodes_.emplace(view_, links_);
    if (nodes_->size() > kMaxGraphNodes) return too_many();
    if (const base::Status status = nodes_->place(area_); !status) return status.error();
    make_bands();
    add_other_links();
    add_bands();
    add_nodes();
    add_rings();
    add_names();
    if (nodes_->size() == 0) layout::add_remark(scene_, theme_, area_, "no routes between nodes");
    if (legend_space() > 0 && nodes_->size() > 0) add_legend();
    scene_.description = "Nodes near to those that they communicate with, and their routes";
    return std::move(scene_);
  }

 private:
  [[nodiscard]] double legend_space() const {
    return options_.width_px < kWithLegendFrom ? 0 : kLegendWidth + kMargin;
  }
  [[nodiscard]] base::Error too_many() const {
    return {base::ErrorCode::kInvalidArgument,
            fmt::format("a graph of {} nodes is too large to be drawn",
                        base::human_count(nodes_->size())),
            "Merge nodes by some of their coordinates."};
  }

  [[nodiscard]] double length_of(const GroupLink& link) const {
    const Point& a = nodes_->of_group(link.from).at;
    const Point& b = nodes_->of_group(link.to).at;
    return std::hypot(b.x - a.x, b.y - a.y);
  }

  void make_bands() {
    double ink = 0;
    for (const GroupLink& link : links_) {
      most_bytes_ = std::max(most_bytes_, static_cast<double>(link.bytes));
      ink += length_of(link) * static_cast<double>(link.bytes);
    }
    if (most_bytes_ <= 0) return;
    const double widest = kBandInk * area_.w * area_.h * most_bytes_ / std::max(ink, 1.0);
    const double room = std::clamp(0.6 * nodes_->usual_distance_px(), kWidestOfCrowd, kWidestBand);
    width_ = std::clamp(widest, kNarrowestWidest, room);
    if (!make_single_bands()) {
      for (uint32_t i = 0; i < links_.size(); ++i) {
        if (links_[i].routes == 0) continue;
        bands_.push_back({i, static_cast<double>(links_[i].bytes), links_[i].value});
      }
    }
    std::vector<double> values;
    for (const Band& band : bands_) values.push_back(band.value);
    scale_ = ValueScale::of(std::move(values));
  }

  /// Routes beside each other, those with the largest value next to the line from node to node. As
  /// the paper stacks them. False, and no bands, when they would be too narrow.
  bool make_single_bands() {
    // Their number can only be seen from a band for all of them, their identity from a few colours.
    if (options_.color == RouteMetric::kRoutes && view_.drawn.size() > kOneColorEach) return false;
    std::unordered_map<uint64_t, uint32_t> link_of;
    for (uint32_t i = 0; i < links_.size(); ++i) {
      link_of[uint64_t{links_[i].from} << 32U | links_[i].to] = i;
    }
    for (const uint32_t route : view_.drawn) {
      const auto bytes = static_cast<double>(view_.routes->bytes[route]);
      const double value = route_value(view_, route, options_.color);
      for (const network::Link link : view_.routes->links_of(route)) {
        const uint32_t from = view_.group_of[view_.network->source(link)];
        const uint32_t to = view_.group_of[view_.network->target(link)];
        if (from == to) continue;
        bands_.push_back({link_of.at(uint64_t{from} << 32U | to), bytes, value, route});
        if (bands_.size() > kMaxSingleBands) break;
      }
    }
    std::vector<double> widths;
    for (const Band& band : bands_) widths.push_back(band.bytes / most_bytes_ * width_);
    std::sort(widths.begin(), widths.end());
    single_ = !widths.empty() && bands_.size() <= kMaxSingleBands &&
              widths[widths.size() / 2] >= kSingleFrom;
    if (!single_) {
      bands_.clear();
      return false;
    }
    std::stable_sort(bands_.begin(), bands_.end(), [](const Band& a, const Band& b) {
      return a.link != b.link ? a.link < b.link : a.value > b.value;
    });
    for (size_t i = 1; i < bands_.size(); ++i) {
      if (bands_[i].link != bands_[i - 1].link) continue;
      bands_[i].before = bands_[i - 1].before + bands_[i - 1].bytes;
    }
    return true;
  }

  [[nodiscard]] bool one_color_each() const {
    return single_ && options_.color == RouteMetric::kRoutes && view_.drawn.size() <= kOneColorEach;
  }
  [[nodiscard]] Color color_of(const Band& band) const {
    if (!one_color_each()) {
      const Color color = scale_.color(theme_, band.value);
      if (single_ || bands_.size() <= kManyBands) return color;
      // Where thousands cross, small ones must not add up to a ground on which large ones drown.
      return layout::with_alpha(color, std::min(1.0, 0.2 + 2 * scale_.share(band.value)));
    }
    const auto place = std::lower_bound(view_.drawn.begin(), view_.drawn.end(), band.route);
    return theme_.series_color(static_cast<size_t>(place - view_.drawn.begin()));
  }

  void add_ribbon(layout::Ribbons& ribbons, const GroupLink& link, double from_px, double to_px,
                  Color color) const {
    const Point& a = nodes_->of_group(link.from).at;
    const Point& b = nodes_->of_group(link.to).at;
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (!(length > 0)) return;
    // To the right of the way; y grows downwards.
    const double middle = (from_px + to_px) / 2 / length;
    const Point shift{-(b.y - a.y) * middle, (b.x - a.x) * middle};
    const Point begin{a.x + shift.x, a.y + shift.y};
    const Point end{b.x + shift.x, b.y + shift.y};
    ribbons.add(begin, {(begin.x + end.x) / 2, (begin.y + end.y) / 2}, end, (to_px - from_px) / 2,
                color);
  }

  void add_other_links() {
    layout::Ribbons ribbons;
    ribbons.clip = area_;
    const double width = links_.size() > kManyBands ? 0.35 : 0.7;
    for (const GroupLink& link : links_) {
      if (link.routes == 0) add_ribbon(ribbons, link, 0, width, theme_.grid);
    }
    other_link_count_ = ribbons.size();
    if (ribbons.size() > 0) scene_.layers.emplace_back(std::move(ribbons));
  }

  [[nodiscard]] double narrowest() const {
    if (single_) return 0;
    return bands_.size() > kManyBands ? kNarrowestOfMany : kNarrowestBand;
  }

  /// Where bands are wider than the node that they end at: what passes through it.
  void add_ports() {
    std::vector<double> widest(nodes_->size(), 0);
    for (const GroupLink& link : links_) {
      const double width = static_cast<double>(link.bytes) / most_bytes_ * width_;
      for (const uint32_t group : {link.from, link.to}) {
        widest[nodes_->place_of(group)] = std::max(widest[nodes_->place_of(group)], width);
      }
    }
    layout::Polylines ports;
    for (size_t i = 0; i < nodes_->size(); ++i) {
      if (widest[i] < nodes_->all()[i].radius_px + 1) continue;
      ports.lines.push_back(
          circle(nodes_->all()[i].at, widest[i] + 1, theme_.plot_background, theme_.axis, 0.8));
    }
    scene_.layers.emplace_back(std::move(ports));
  }

  void add_bands() {
    if (bands_.empty()) return;
    add_ports();
    // The largest values on top: what has to be seen.
    std::vector<uint32_t> order(bands_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return bands_[a].value < bands_[b].value; });
    layout::Ribbons ribbons;
    ribbons.clip = area_;
    ribbons.reserve(bands_.size());
    const double px_per_byte = width_ / most_bytes_;
    for (const uint32_t i : order) {
      const Band& band = bands_[i];
      const double begin = band.before * px_per_byte;
      const double width =
          single_ ? band.bytes * px_per_byte : std::max(kNarrowestBand, band.bytes * px_per_byte);
      add_ribbon(ribbons, links_[band.link], begin, begin + width, color_of(band));
    }
    scene_.layers.emplace_back(std::move(ribbons));
  }

  /// Around the links with the largest values, where many cross.
  void add_rings() {
    if (links_.size() < kRingsFrom) return;
    layout::Polylines rings;
    const std::vector<const GroupLink*> order = falling(links_);
    for (size_t i = 0; i < std::min(order.size(), kRingedLinks); ++i) {
      const Point& a = nodes_->of_group(order[i]->from).at;
      const Point& b = nodes_->of_group(order[i]->to).at;
      const double length = length_of(*order[i]);
      rings.lines.push_back(
          ring(theme_, {(a.x + b.x) / 2, (a.y + b.y) / 2}, std::clamp(length / 2 + 3, 8.0, 24.0)));
    }
    ring_count_ = rings.lines.size();
    scene_.layers.emplace_back(std::move(rings));
  }

  [[nodiscard]] Color balance_color(const GraphNode& node) const {
    const double all = node.out_bytes + node.in_bytes;
    return theme_.diverging.at(all > 0 ? node.in_bytes / all : 0.5);
  }

  void add_nodes() {
    layout::Polylines circles;
    layout::Boxes relays;
    relays.snap = false;
    // Large ones first, so that small ones are not hidden.
    std::vector<uint32_t> order(nodes_->size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return nodes_->all()[a].radius_px > nodes_->all()[b].radius_px;
    });
    for (const uint32_t i : order) {
      const GraphNode& node = nodes_->all()[i];
      if (!node.talks()) {
        const double half = GraphNodes::kSmallestRadius + 0.5;
        relays.add({node.at.x - half, node.at.y - half, 2 * half, 2 * half}, theme_.other);
        continue;
      }
      const double rim = node.radius_px > 5 ? 1 : 0.7;
      circles.lines.push_back(
          circle(node.at, node.radius_px, balance_color(node), theme_.muted_text, rim));
      if (options_.aggregate && node.inner_bytes > 0) add_arc(node, circles);
    }
    relay_count_ = relays.x.size();
    scene_.layers.emplace_back(std::move(relays));
    scene_.layers.emplace_back(std::move(circles));
  }

  [[nodiscard]] double arc_radius(const GraphNode& node) const { return node.radius_px + 4; }

  /// From the top, clockwise; a whole turn would be all bytes.
  void add_arc(const GraphNode& node, layout::Polylines& lines) const {
    const double turn = 2 * std::numbers::pi * node.inner_share();
    const int pieces = std::max(1, static_cast<int>(std::ceil(turn * 12)));
    layout::Polyline arc{.stroke = theme_.series_color(2), .width_px = 3};
    for (int i = 0; i <= pieces; ++i) {
      const double angle = turn * i / pieces;
      arc.points.push_back({node.at.x + arc_radius(node) * std::sin(angle),
                            node.at.y - arc_radius(node) * std::cos(angle)});
    }
    lines.lines.push_back(std::move(arc));
  }

  /// Names of the nodes with most partners, as far as they find room.
  void add_names() {
    constexpr size_t kNameAll = 64;
    constexpr size_t kOtherwise = 8;
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < nodes_->size(); ++i) {
      if (nodes_->all()[i].talks()) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return nodes_->all()[a].degree() > nodes_->all()[b].degree();
    });
    if (order.size() > kNameAll) order.resize(kOtherwise);
    std::vector<Rect> taken;
    if (nodes_->size() <= 4 * kNameAll) {
      for (const GraphNode& node : nodes_->all()) {
        const double r = node.radius_px + (node.inner_bytes > 0 ? 5 : 0);
        taken.push_back({node.at.x - r, node.at.y - r, 2 * r, 2 * r});
      }
    }
    layout::Boxes grounds;
    grounds.corner_radius_px = 3;
    layout::Labels labels;
    for (const uint32_t i : order) {
      const Rect place = name_place(nodes_->all()[i], taken);
      if (place.w <= 0) continue;
      taken.push_back(place);
      grounds.add(place, layout::with_alpha(theme_.background, 0.8));
      labels.items.push_back({.text = view_.names[nodes_->all()[i].group],
                              .at = {place.x + place.w / 2, place.y + place.h / 2},
                              .color = theme_.text,
                              .size_px = theme_.small_size_px,
                              .anchor = layout::Anchor::kMiddle,
                              .baseline = layout::Baseline::kMiddle});
    }
    scene_.layers.emplace_back(std::move(grounds));
    scene_.layers.emplace_back(std::move(labels));
  }

  /// Right, left, above or below a circle, where nothing else is; empty without room.
  [[nodiscard]] Rect name_place(const GraphNode& node, const std::vector<Rect>& taken) const {
    const double w = layout::text_width_px(view_.names[node.group], theme_.small_size_px) + 6;
    const double h = theme_.small_size_px * 1.3;
    const double gap = node.radius_px + (options_.aggregate && node.inner_bytes > 0 ? 7 : 2);
    const Point& at = node.at;
    for (const Rect& place :
         {Rect{at.x + gap, at.y - h / 2, w, h}, Rect{at.x - gap - w, at.y - h / 2, w, h},
          Rect{at.x - w / 2, at.y - gap - h, w, h}, Rect{at.x - w / 2, at.y + gap, w, h}}) {
      const bool inside = place.x >= area_.x && place.y >= area_.y - 4 &&
                          place.right() <= area_.right() && place.bottom() <= area_.bottom() + 4;
      const bool free = std::none_of(taken.begin(), taken.end(), [&](const Rect& other) {
        return place.x < other.right() && other.x < place.right() && place.y < other.bottom() &&
               other.y < place.bottom();
      });
      if (inside && free) return place;
    }
    return {};
  }

  void add_legend() {
    SideLegend legend(scene_, theme_,
                      {options_.width_px - kMargin - kLegendWidth, area_.y, kLegendWidth, area_.h});
    add_band_legend(legend);
    legend.space(10);
    add_circle_legend(legend);
    legend.space(8);
    legend.note(fmt::format(
        "Nodes lie near those that they exchange {} with{}.",
        options_.unit == LoadUnit::kBytes ? "much" : "data",
        nodes_->by_weight() ? "" : "; the graph is too large for loads to be considered"));
    const size_t left_out = view_.group_count - nodes_->size();
    if (left_out > 0) {
      legend.note(
          fmt::format("Left out: {} without traffic.", base::counted(left_out, "node", "nodes")));
    }
    legend.space(8);
    if (one_color_each()) legend.routes(view_, options_);
    if (bands_.empty() || single_) return;
    legend.links(view_, options_, scale_, falling(links_), ring_count_);
  }

  [[nodiscard]] std::string what_color_says() const {
    const bool bytes = options_.unit == LoadUnit::kBytes;
    switch (options_.color) {
      case RouteMetric::kBytes:
        if (single_) return bytes ? "Bytes of the route" : "Route";
        return options_.aggregate ? "Loads between groups" : "Load of the link";
      case RouteMetric::kRoutes: return single_ ? "Route" : "Routes over the link";
      case RouteMetric::kLength: return single_ ? "Length of the route" : "Mean length of routes";
      case RouteMetric::kHopBytes:
        return bytes ? (single_ ? "Bytes x hops of the route" : "Sum of bytes x hops")
                     : (single_ ? "Length of the route" : "Sum of lengths");
      case RouteMetric::kMaxLoad: return "Largest load on the way";
    }
    return "";
  }

  void add_band_legend(SideLegend& legend) {
    if (bands_.empty()) {
      legend.note(view_.drawn.empty() ? "No route is drawn."
                                      : "No route leaves its group or carries anything.");
      return;
    }
    if (!one_color_each()) {
      legend.heading(what_color_says());
      legend.scale(scale_, options_.color, options_.unit);
    }
    layout::Boxes bars;
    for (const double share : {1.0, 0.25}) {
      const Point at = legend.sample(std::max(14.0, share * width_ + 2), 44,
                                     load_text(options_.unit, share * most_bytes_));
      bars.snap = false;
      const double width = std::max(narrowest(), share * width_);
      bars.add({at.x, at.y - width / 2, 34, width}, theme_.muted_text);
    }
    scene_.layers.emplace_back(std::move(bars));
    legend.space(3);
    legend.note(single_ ? fmt::format("{} one by one, stacked on the right of their way, as wide "
                                      "as their {}.",
                                      base::counted(view_.drawn.size(), "route", "routes"),
                                      options_.unit == LoadUnit::kBytes ? "bytes" : "number")
                        : fmt::format("{} are too many to be told apart: one band per link and "
                                      "way, on the right of it, as wide as what they carry.",
                                      base::counted(view_.drawn.size(), "route", "routes")));
    if (other_link_count_ > 0) {
      legend.note(fmt::format("Pale: {} that other routes use.",
                              base::counted(other_link_count_, "link", "links")));
    }
  }

  void add_circle_legend(SideLegend& legend) {
    legend.heading("Partners of a node (in + out)");
    layout::Polylines circles;
    double previous = 0;
    for (const double share : {1.0, 0.25}) {
      const double partners = std::round(share * nodes_->most_partners());
      if (partners == previous || partners < 1) continue;
      previous = partners;
      const double radius = nodes_->radius_px(partners);
      const Point at = legend.sample(2 * radius + 4, 2 * nodes_->largest_radius_px() + 12,
                                     fmt::format("{}", partners));
      circles.lines.push_back(circle({at.x + nodes_->largest_radius_px() + 1, at.y}, radius,
                                     theme_.diverging.at(0.5), theme_.muted_text, 1));
    }
    scene_.layers.emplace_back(std::move(circles));
    if (legend.left_px() > 60) {
      legend.space(20);
      const Rect bar{options_.width_px - kMargin - kLegendWidth + 24, std::round(legend.y()), 150,
                     10};
      layout::add_wide_color_bar(
          scene_, theme_, bar, theme_.diverging,
          std::vector<layout::BarTick>{{0, "only out"}, {0.5, "even"}, {1, "only in"}},
          options_.unit == LoadUnit::kBytes ? "which way its bytes go" : "which way its routes go");
      legend.space(34);
    }
    if (options_.aggregate) {
      layout::Polylines arc;
      const Point at = legend.sample(16, 26, "share that stays in the group");
      GraphNode sample;
      sample.radius_px = 2;
      sample.inner_bytes = 0.3;
      sample.out_bytes = 1.4;
      sample.at = {at.x + 9, at.y};
      add_arc(sample, arc);
      scene_.layers.emplace_back(std::move(arc));
    }
    if (relay_count_ > 0) {
      layout::Boxes box;
      const Point at =
          legend.sample(16, 26, fmt::format("{} only pass on", base::human_count(relay_count_)));
      box.snap = false;
      box.add({at.x + 7, at.y - 2, 4, 4}, theme_.other);
      scene_.layers.emplace_back(std::move(box));
    }
  }

  const NetworkView& view_;
  const NetworkOptions& options_;
  const layout::Theme& theme_;
  layout::Scene scene_;
  Rect area_;
  std::vector<GroupLink> links_;
  std::optional<GraphNodes> nodes_;
  std::vector<Band> bands_;
  ValueScale scale_;
  double most_bytes_ = 0;  // On a link, of the routes drawn.
  double width_ = 0;       // px of that.
  size_t other_link_count_ = 0;
  size_t relay_count_ = 0;
  size_t ring_count_ = 0;
  bool single_ = false;
};

}  // namespace

base::Result<layout::Scene> graph(const network::Network& network, const network::Routes& routes,
                                  const NetworkOptions& options) {
  const auto view = network_view(network, routes, options);
  if (!view) return view.error();
  return GraphFigure(view.value(), options).draw();
}

}  // namespace pathline::figure
