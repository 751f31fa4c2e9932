// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/frame.hpp"
#include "figure/network/graph_bands.hpp"
#include "figure/network/graph_clusters.hpp"
#include "figure/network/graph_merge.hpp"
#include "figure/network/graph_names.hpp"
#include "figure/network/graph_nodes.hpp"
#include "figure/network/view.hpp"
#include "layout/axis.hpp"

namespace pathline::figure {
namespace {

using layout::Color;
using layout::Point;
using layout::Rect;

constexpr double kLegendWidth = 226;
constexpr double kWithLegendFrom = 600;  // px of the picture's width.
constexpr double kNarrowestBand = 0.5;
constexpr double kNarrowestOfMany = 0.05;  // Of links one pixel wide and more, in a crowd.
constexpr size_t kManyBands = 4000;
constexpr double kPassing = 0.2;  // Opacity of what goes from one cluster to another.
constexpr size_t kRingedLinks = 5;
constexpr size_t kRingsFrom = 300;         // Links.
constexpr size_t kMaxGraphNodes = 20'000;  // Of what a picture can hold.

class GraphFigure : Frame {
 public:
  /// merged  because there are too many nodes, and not because somebody said so.
  GraphFigure(const NetworkView& view, const NetworkOptions& options, bool merged)
      : Frame(options), view_(view), options_(options), merged_by_itself_(merged) {}

  base::Result<layout::Scene> draw() {
    const double top =
        add_title(options_.title, "Communication graph", network_subtitle(view_, options_));
    area_ = {kMargin, top + 6, inner_width() - legend_space(),
             options_.height_px - top - 6 - kMargin};
    if (area_.w < 100 || area_.h < 100) {
      return too_small("a graph");
    }
    links_ = group_links(view_, options_.color);
    if (view_.after) add_links_of_both();
    nodes_.emplace(view_, links_);
    if (nodes_->size() > kMaxGraphNodes) return too_many();
    const PlacedBy by = view_.is_merged() ? PlacedBy::kLinks : PlacedBy::kPairs;
    if (const base::Status status = nodes_->place(area_, by); !status) return status.error();
    if (!view_.is_merged()) find_clusters();
    bands_ = graph_bands(view_, options_, links_, *nodes_, area_);
    std::vector<double> values;
    for (const GraphBand& band : bands_.all) values.push_back(band.value);
    scale_ = ValueScale::of(std::move(values));
    if (!clusters_.empty()) add_cluster_grounds(scene_, theme_, *nodes_, clusters_);
    if (view_.after) {
      figure::add_changed_bands(scene_, theme_, area_, *nodes_, changes_, differences_);
      add_nodes();
    } else {
      add_other_links();
      add_bands();
      add_nodes();
      add_rings();
    }
    add_graph_names(scene_, theme_, view_, *nodes_, area_);
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

  void find_clusters() {
    clusters_ = clusters(group_pairs(view_), view_.group_count);
    if (clusters_.size() < 2) clusters_.clear();
    cluster_of_.assign(view_.group_count, UINT32_MAX);
    for (uint32_t i = 0; i < clusters_.size(); ++i) {
      for (const uint32_t group : clusters_[i]) cluster_of_[group] = i;
    }
  }
  /// A link from one cluster to another only passes what others exchange on.
  [[nodiscard]] bool leaves_cluster(const GroupLink& link) const {
    return !clusters_.empty() && cluster_of_[link.from] != cluster_of_[link.to];
  }

  [[nodiscard]] bool one_color_each() const {
    return bands_.single && options_.color == RouteMetric::kRoutes &&
           view_.drawn.size() <= kOneColorEach;
  }
  [[nodiscard]] Color color_of(const GraphBand& band) const {
    if (!one_color_each()) {
      const Color color = scale_.color(theme_, band.value);
      if (leaves_cluster(links_[band.link])) return layout::with_alpha(color, kPassing);
      if (bands_.single || bands_.all.size() <= kManyBands) return color;
      // Where thousands cross, small ones must not add up to a ground on which large ones drown.
      return layout::with_alpha(color, std::min(1.0, 0.2 + 2 * scale_.share(band.value)));
    }
    const auto place = std::lower_bound(view_.drawn.begin(), view_.drawn.end(), band.route);
    return theme_.series_color(static_cast<size_t>(place - view_.drawn.begin()));
  }

  void add_ribbon(layout::Ribbons& ribbons, const GroupLink& link, double from_px, double to_px,
                  Color color) const {
    add_band(ribbons, *nodes_, link.from, link.to, from_px, to_px, color);
  }

  /// Links that only the other state uses lead to nodes as well.
  void add_links_of_both() {
    changes_ = link_changes(view_, CellValue::kSum);
    differences_ = scale_of(changes_);
    for (const LinkChange& change : changes_) {
      if (change.before == 0) links_.push_back({.from = change.from, .to = change.to});
    }
    std::stable_sort(links_.begin(), links_.end(), [](const GroupLink& a, const GroupLink& b) {
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
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
    if (bands_.single) return 0;
    return bands_.all.size() > kManyBands ? kNarrowestOfMany : kNarrowestBand;
  }

  /// Where bands are wider than the node that they end at: what passes through it.
  void add_ports() {
    std::vector<double> widest(nodes_->size(), 0);
    for (const GroupLink& link : links_) {
      const double width = static_cast<double>(link.bytes) / bands_.most_bytes * bands_.width_px;
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
    if (bands_.all.empty()) return;
    add_ports();
    // The largest values on top: what has to be seen.
    std::vector<uint32_t> order(bands_.all.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return bands_.all[a].value < bands_.all[b].value;
    });
    layout::Ribbons ribbons;
    ribbons.clip = area_;
    ribbons.reserve(bands_.all.size());
    const double px_per_byte = bands_.width_px / bands_.most_bytes;
    for (const uint32_t i : order) {
      const GraphBand& band = bands_.all[i];
      const double begin = band.before * px_per_byte;
      const double width = bands_.single ? band.bytes * px_per_byte
                                         : std::max(kNarrowestBand, band.bytes * px_per_byte);
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
      const double length = link_length_px(*nodes_, *order[i]);
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
      if (view_.is_merged() && node.inner_bytes > 0) add_arc(node, circles);
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

  void add_legend() {
    SideLegend legend(scene_, theme_,
                      {options_.width_px - kMargin - kLegendWidth, area_.y, kLegendWidth, area_.h});
    if (view_.after) {
      legend.heading("Load after, less that before");
      legend.scale(differences_, options_.unit);
      legend.note("As wide as the load after; grey, the load before.");
    } else {
      add_band_legend(legend);
    }
    legend.space(10);
    add_circle_legend(legend);
    legend.space(8);
    add_place_notes(legend);
    const size_t left_out = view_.group_count - nodes_->size();
    if (left_out > 0) {
      legend.note(
          fmt::format("Left out: {} without traffic.", base::counted(left_out, "node", "nodes")));
    }
    legend.space(8);
    if (view_.after) {
      legend.changes(view_, options_, differences_, changes_);
      return;
    }
    if (one_color_each()) legend.routes(view_, options_);
    if (bands_.all.empty() || bands_.single) return;
    legend.links(view_, options_, scale_, falling(links_), ring_count_);
  }

  void add_place_notes(SideLegend& legend) const {
    if (merged_by_itself_) {
      const network::Network& network = *view_.network;
      std::vector<size_t> all(network.dimensions().size());
      std::iota(all.begin(), all.end(), 0U);
      legend.note(
          fmt::format("{} nodes would cover each other: those of the same {} are one. "
                      "--merge {} draws them all.",
                      base::human_count(view_.talking_node_count),
                      dimension_names(network, *options_.aggregate, " and "),
                      dimension_names(network, all, ",")));
    }
    const char* large =
        nodes_->by_weight() ? "" : "; the graph is too large for loads to be considered";
    if (view_.is_merged()) {
      legend.note(fmt::format("Groups lie near those that loaded links lead to{}.", large));
    } else {
      legend.note(fmt::format("Nodes lie near those that they exchange {} with{}.",
                              options_.unit == LoadUnit::kBytes ? "much" : "data", large));
    }
    if (!clusters_.empty()) {
      legend.note(
          fmt::format("{} sets of nodes exchange nothing with each other (grey grounds, "
                      "the largest of {}); pale links between them only pass on.",
                      clusters_.size(), base::human_count(clusters_[0].size())));
    }
  }

  [[nodiscard]] std::string what_color_says() const {
    const bool bytes = options_.unit == LoadUnit::kBytes;
    switch (options_.color) {
      case RouteMetric::kBytes:
        if (bands_.single) return bytes ? "Bytes of the route" : "Route";
        return view_.is_merged() ? "Loads between groups" : "Load of the link";
      case RouteMetric::kRoutes: return bands_.single ? "Route" : "Routes over the link";
      case RouteMetric::kLength:
        return bands_.single ? "Length of the route" : "Mean length of routes";
      case RouteMetric::kHopBytes:
        return bytes ? (bands_.single ? "Bytes x hops of the route" : "Sum of bytes x hops")
                     : (bands_.single ? "Length of the route" : "Sum of lengths");
      case RouteMetric::kMaxLoad: return "Largest load on the way";
    }
    return "";
  }

  void add_band_legend(SideLegend& legend) {
    if (bands_.all.empty()) {
      legend.note(view_.drawn.empty() ? "No route is drawn."
                                      : "No route leaves its group or carries anything.");
      return;
    }
    if (!one_color_each()) {
      legend.heading(what_color_says());
      legend.scale(scale_, options_.color, options_.unit, bands_.single ? "route" : "link");
    }
    layout::Boxes bars;
    for (const double share : {1.0, 0.25}) {
      const Point at = legend.sample(std::max(14.0, share * bands_.width_px + 2), 44,
                                     load_text(options_.unit, share * bands_.most_bytes));
      bars.snap = false;
      const double width = std::max(narrowest(), share * bands_.width_px);
      bars.add({at.x, at.y - width / 2, 34, width}, theme_.muted_text);
    }
    scene_.layers.emplace_back(std::move(bars));
    legend.space(3);
    legend.note(bands_.single
                    ? fmt::format("{} one by one, stacked on the right of their way, as wide "
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
    if (view_.is_merged()) {
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
  bool merged_by_itself_;
  std::vector<std::vector<uint32_t>> clusters_;  // Empty where all hang together.
  std::vector<uint32_t> cluster_of_;             // Per group; UINT32_MAX: none.
  Rect area_;
  std::vector<GroupLink> links_;
  std::vector<LinkChange> changes_;  // Of a comparison.
  DifferenceScale differences_;
  std::optional<GraphNodes> nodes_;
  GraphBands bands_;
  ValueScale scale_;
  size_t other_link_count_ = 0;
  size_t relay_count_ = 0;
  size_t ring_count_ = 0;
};

}  // namespace

base::Result<layout::Scene> graph(const network::Network& network, const network::Routes& routes,
                                  const NetworkOptions& options) {
  NetworkOptions merged = options;
  if (!options.aggregate) {
    merged.aggregate = dimensions_to_keep(network, routes, options.after);
  }
  const auto view = network_view(network, routes, merged);
  if (!view) return view.error();
  return GraphFigure(view.value(), merged, !options.aggregate && merged.aggregate).draw();
}

}  // namespace pathline::figure
