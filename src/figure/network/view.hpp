// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "figure/network/network.hpp"
#include "figure/network/value_scale.hpp"
#include "layout/legend.hpp"

namespace pathline::figure {

/// What goes between two groups of nodes, all pairs of the same groups together.
struct GroupPair {
  uint32_t from = 0;
  uint32_t to = 0;  ///< May be `from`: what stays inside.
  uint64_t bytes = 0;
};

/// Links that lead from one group to another, as one.
struct GroupLink {
  uint32_t from = 0;
  uint32_t to = 0;
  uint64_t bytes = 0;       ///< That the routes drawn carry over it.
  uint64_t routes = 0;      ///< Drawn.
  uint64_t load_bytes = 0;  ///< Of all routes, over its links together.
  uint64_t max_load = 0;    ///< Of all routes, on the most loaded one of its links.
  double value = 0;         ///< Of options.color.
};

/// The state that a picture compares with.
struct OtherState {
  const network::Routes* routes = nullptr;
  network::LinkLoads loads;
  network::RouteTotals totals;
};

/// Routes and network as the three figures see them: nodes merged to groups, switches each a group
/// behind them.
struct NetworkView {
  const network::Network* network = nullptr;
  const network::Routes* routes = nullptr;
  std::vector<uint32_t> group_of;  ///< Per vertex.
  uint32_t node_group_count = 0;
  uint32_t group_count = 0;
  std::vector<std::string> names;   ///< Per group.
  network::LinkLoads loads;         ///< Of all routes.
  network::RouteTotals totals;      ///< Of all routes.
  size_t talking_node_count = 0;    ///< Nodes at an end of any route.
  network::Link heaviest;           ///< None without links in use.
  std::vector<uint32_t> drawn;      ///< Routes, ascending.
  size_t top_link_count = 0;        ///< That a route must cross to be drawn; 0: any.
  std::optional<OtherState> after;  ///< Of a comparison.

  [[nodiscard]] bool is_merged() const { return node_group_count < network->node_count(); }
};

/// errors  kInvalidArgument for a dimension that does not exist and a route that is not there.
base::Result<NetworkView> network_view(const network::Network& network,
                                       const network::Routes& routes,
                                       const NetworkOptions& options);

/// Of all routes, or of some; ascending by groups.
std::vector<GroupPair> group_pairs(const NetworkView& view);
std::vector<GroupPair> group_pairs(const NetworkView& view, std::span<const uint32_t> routes);
/// Between different groups, crossed by at least one route; ascending by groups. Those that only
/// others than the routes drawn cross have `routes` 0.
std::vector<GroupLink> group_links(const NetworkView& view, RouteMetric metric);

/// From differences of loads to colours: neutral at none, the strongest at the largest of all.
struct DifferenceScale {
  double largest = 0;

  [[nodiscard]] layout::Color color(const layout::Theme& theme, double difference) const;
  [[nodiscard]] std::vector<layout::BarTick> ticks(LoadUnit unit) const;
};

/// The load of links between two groups in both states of a comparison.
struct LinkChange {
  uint32_t from = 0;
  uint32_t to = 0;
  double before = 0;
  double after = 0;

  [[nodiscard]] double difference() const { return after - before; }
};

/// Of all links that routes cross in either state; ascending by groups.
///
/// cells  what links between the same groups give together.
std::vector<LinkChange> link_changes(const NetworkView& view, CellValue cells);

/// The scale of their differences.
DifferenceScale scale_of(std::span<const LinkChange> changes);

/// Those that routes drawn cross, by falling value, ties by groups.
std::vector<const GroupLink*> falling(std::span<const GroupLink> links);

/// Of a route drawn by itself.
double route_value(const NetworkView& view, uint32_t route, RouteMetric metric);

/// "8.2 MB", "33 routes", "7 hops".
std::string metric_text(RouteMetric metric, LoadUnit unit, double value);
std::string load_text(LoadUnit unit, double value);
/// "+8.2 MB", "−33 routes", "0".
std::string difference_text(LoadUnit unit, double difference);

/// "2,048 nodes, 63,406 routes, 132 GB; the heaviest of 18,432 links in use, (..) to (..), carries
/// 131 MB". Names which part is drawn, and the files of routes and placement. Of a comparison:
/// "hottest link 131 -> 68 MB (-48 %), hop-bytes 12 -> 5.2 GB (-57 %), ..." with both states.
std::string network_subtitle(const NetworkView& view, const NetworkOptions& options);

/// The legend beside a picture, from the top downwards; each part takes the height it needs.
class SideLegend {
 public:
  SideLegend(layout::Scene& scene, const layout::Theme& theme, const layout::Rect& area)
      : scene_(scene), theme_(theme), area_(area), y_(area.y) {}

  [[nodiscard]] double y() const { return y_; }
  [[nodiscard]] double left_px() const { return area_.bottom() - y_; }
  void heading(const std::string& text);
  /// Wrapped to the width; ends with "…" where the height ends.
  void note(const std::string& text);
  /// what  that the scale is of: "link".
  void scale(const ValueScale& scale, RouteMetric metric, LoadUnit unit, const char* what);
  void scale(const DifferenceScale& scale, LoadUnit unit);
  /// The largest differences, falling.
  void changes(const NetworkView& view, const NetworkOptions& options, const DifferenceScale& scale,
               std::span<const LinkChange> changes);
  /// The links with the largest values among those that routes drawn cross, falling; the first
  /// `ringed` have a ring as in the picture.
  void links(const NetworkView& view, const NetworkOptions& options, const ValueScale& scale,
             std::span<const GroupLink* const> order, size_t ringed);
  /// The routes drawn, each with a line in its series colour.
  void routes(const NetworkView& view, const NetworkOptions& options);
  /// One line: a drawing at the left, which the caller adds at the point returned, and a text.
  layout::Point sample(double height_px, double indent_px, const std::string& text);
  void space(double px) { y_ += px; }

 private:
  layout::Scene& scene_;
  const layout::Theme& theme_;
  layout::Rect area_;
  double y_;
};

/// To draw the eye to something.
layout::Polyline ring(const layout::Theme& theme, layout::Point middle, double radius_px);

/// A filled circle with a rim.
layout::Polyline circle(layout::Point middle, double radius_px, layout::Color fill,
                        layout::Color rim, double rim_px);

}  // namespace pathline::figure
