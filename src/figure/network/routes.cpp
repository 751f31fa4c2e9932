// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/frame.hpp"
#include "figure/network/route_lens.hpp"
#include "figure/network/route_matrix.hpp"
#include "figure/network/view.hpp"
#include "layout/axis.hpp"

namespace pathline::figure {
namespace {

using layout::Color;
using layout::Point;
using layout::Rect;

constexpr double kOutlineFrom = 9;  // px of a cell that has room for an outline.
constexpr size_t kMaxSingleRoutes = 16;
constexpr size_t kMaxGradientRoutes = 600;
constexpr size_t kMaxMarkedRoutes = 300;
constexpr double kMarkFrom = 3;  // px of a cell.
constexpr size_t kRingedLinks = 8;

class RoutesFigure : Frame {
 public:
  RoutesFigure(const NetworkView& view, const NetworkOptions& options)
      : Frame(options), view_(view), options_(options), matrix_(view, options, theme_) {}

  base::Result<layout::Scene> draw() {
    const auto gradient = layout::message_gradient(options_.palette, options_.theme);
    if (!gradient) return gradient.error();
    gradient_ = gradient.value();
    links_ = group_links(view_, options_.color);
    if (options_.color == RouteMetric::kBytes && options_.cells == CellValue::kMax) {
      for (GroupLink& link : links_) link.value = static_cast<double>(link.max_load);
    }
    const double top =
        add_title(options_.title, "Routes on the network", network_subtitle(view_, options_));
    if (const base::Status status = matrix_.place(top + 4); !status) return status.error();
    add_plot();
    const bool single =
        !view_.after && view_.drawn.size() <= kMaxSingleRoutes && matrix_.axis().slot_px() >= 4;
    if (view_.after) {
      changes_ = link_changes(view_, options_.cells);
      differences_ = scale_of(changes_);
      add_density();
      add_differences();
    } else if (single) {
      if (!outlines()) add_loads();
      add_single_routes();
      if (outlines()) add_loads();
    } else {
      add_density();
      add_loads();
    }
    if (!view_.after) {
      add_marks(single);
      if (!single) add_rings();
    }
    if (!single) add_lenses();
    matrix_.add_rulers(scene_);
    if (view_.drawn.empty()) {
      layout::add_remark(scene_, theme_, plot(),
                         view_.totals.route_count == 0 ? "no routes between nodes" : "no route");
    }
    if (matrix_.legend().w > 0) add_legend(single);
    scene_.description = "Routes in the adjacency matrix of the network";
    return std::move(scene_);
  }

 private:
  [[nodiscard]] const Rect& plot() const { return matrix_.plot(); }
  [[nodiscard]] bool outlines() const { return matrix_.axis().slot_px() >= kOutlineFrom; }

  void add_plot() {
    add_ground(plot());
    matrix_.add_block_rules(scene_);
    layout::Boxes cells;
    for (const auto& [row, column] : matrix_.adjacent_cells()) {
      cells.add(matrix_.cell(row, column), layout::mix(theme_.plot_background, theme_.other, 0.28));
    }
    scene_.layers.emplace_back(std::move(cells));
    // Stripes over the cells: what is folded has none.
    layout::Boxes stripes;
    layout::Polylines rules;
    for (const FoldedAxis::Slot& slot : matrix_.axis().slots()) {
      if (!slot.folded) continue;
      const Color color = layout::mix(theme_.background, theme_.other, 0.16);
      stripes.add({plot().x, plot().y + slot.begin_px + 1, plot().w, slot.size_px - 2}, color);
      stripes.add({plot().x + slot.begin_px + 1, plot().y, slot.size_px - 2, plot().h}, color);
    }
    scene_.layers.emplace_back(std::move(stripes));
    layout::Polylines diagonal;
    diagonal.lines.push_back({.points = {{plot().x, plot().y}, {plot().right(), plot().bottom()}},
                              .stroke = theme_.grid});
    scene_.layers.emplace_back(std::move(diagonal));
  }

  /// What the cell of each link shows, of links that routes drawn cross.
  void add_loads() {
    std::map<std::pair<uint32_t, uint32_t>, double> values;
    for (const GroupLink& link : links_) {
      if (link.routes == 0) continue;
      const bool largest = options_.cells == CellValue::kMax;
      const double value = link.value;
      const uint32_t row = matrix_.slot_of_group(link.from);
      const uint32_t column = matrix_.slot_of_group(link.to);
      const auto [place, is_new] = values.try_emplace({row, column}, value);
      if (!is_new) place->second = largest ? std::max(place->second, value) : place->second + value;
    }
    std::vector<double> all;
    for (const auto& [slots, value] : values) all.push_back(value);
    scale_ = ValueScale::of(std::move(all));
    layout::Boxes cells;
    for (const auto& [slots, value] : values) {
      const Rect rect = matrix_.cell(slots.first, slots.second);
      const Color color = scale_.color(theme_, value);
      if (!outlines()) {
        cells.add(rect, color);
        continue;
      }
      constexpr double kWidth = 2.5;
      cells.add({rect.x, rect.y, rect.w, kWidth}, color);
      cells.add({rect.x, rect.bottom() - kWidth, rect.w, kWidth}, color);
      cells.add({rect.x, rect.y + kWidth, kWidth, rect.h - 2 * kWidth}, color);
      cells.add({rect.right() - kWidth, rect.y + kWidth, kWidth, rect.h - 2 * kWidth}, color);
    }
    scene_.layers.emplace_back(std::move(cells));
  }

  /// The cell of each link, by how its load differs.
  void add_differences() {
    std::map<std::pair<uint32_t, uint32_t>, double> values;
    for (const LinkChange& change : changes_) {
      const double difference = change.difference();
      double& value =
          values[{matrix_.slot_of_group(change.from), matrix_.slot_of_group(change.to)}];
      const bool is_sum = options_.cells == CellValue::kSum;
      if (is_sum || std::abs(difference) > std::abs(value)) {
        value = is_sum ? value + difference : difference;
      }
    }
    // The largest are drawn last, as they may cover others.
    std::vector<std::pair<std::pair<uint32_t, uint32_t>, double>> order(values.begin(),
                                                                        values.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return std::abs(a.second) < std::abs(b.second);
    });
    layout::Boxes cells;
    for (const auto& [slots, value] : order) {
      cells.add(matrix_.cell(slots.first, slots.second), differences_.color(theme_, value));
    }
    scene_.layers.emplace_back(std::move(cells));
  }

  /// Of routes in a crowd; those of before are only a ground.
  [[nodiscard]] Color line_color() const {
    return view_.after ? layout::mix(theme_.plot_background, theme_.muted_text, 0.45)
                       : theme_.muted_text;
  }
  [[nodiscard]] bool has_gradient() const {
    return !view_.after && view_.drawn.size() <= kMaxGradientRoutes;
  }

  void add_density() {
    const auto at = [&](double origin) {
      return [this, origin](uint32_t vertex) { return origin + matrix_.middle(vertex); };
    };
    add_density(plot(), at(plot().x), at(plot().y));
  }

  /// Lines that add up. s runs from source to target.
  ///
  /// x_of, y_of  where the column and the row of a vertex are.
  template <typename X, typename Y>
  void add_density(const Rect& clip, const X& x_of, const Y& y_of) {
    layout::Segments lines;
    lines.clip = clip;
    lines.style = {.begin = gradient_.begin, .end = gradient_.end};
    if (!has_gradient()) lines.style = {.begin = line_color(), .end = line_color()};
    for (const uint32_t route : view_.drawn) {
      const auto links = view_.routes->links_of(route);
      const double weight = static_cast<double>(view_.routes->bytes[route]);
      const double step = 0.5 / static_cast<double>(std::max<size_t>(links.size(), 1));
      double s = 0;
      for (const network::Link link : links) {
        const network::Vertex from = view_.network->source(link);
        const network::Vertex to = view_.network->target(link);
        const Point begin{x_of(from), y_of(from)};
        const Point corner{x_of(to), y_of(from)};
        const Point end{x_of(to), y_of(to)};
        add_line(lines, begin, corner, s, s + step, weight);
        add_line(lines, corner, end, s + step, s + 2 * step, weight);
        s += 2 * step;
      }
    }
    scene_.layers.emplace_back(std::move(lines));
  }

  void add_line(layout::Segments& lines, Point from, Point to, double s_from, double s_to,
                double weight) const {
    if (from.x == to.x && from.y == to.y) return;
    const Rect& clip = lines.clip;
    if (std::max(from.x, to.x) < clip.x || std::min(from.x, to.x) > clip.right() ||
        std::max(from.y, to.y) < clip.y || std::min(from.y, to.y) > clip.bottom()) {
      return;
    }
    if (has_gradient()) {
      lines.curves.add(from, {(from.x + to.x) / 2, (from.y + to.y) / 2}, to, s_from, s_to, weight);
      return;
    }
    lines.add(static_cast<float>(from.x), static_cast<float>(from.y), static_cast<float>(to.x),
              static_cast<float>(to.y));
    lines.weight.push_back(static_cast<float>(weight));
  }

  /// What the lenses show of the links: the values that colour the matrix.
  [[nodiscard]] std::vector<LensCell> lens_cells() const {
    std::vector<LensCell> cells;
    for (const LinkChange& change : changes_) {
      const double difference = change.difference();
      cells.push_back({change.from, change.to, std::abs(difference),
                       differences_.color(theme_, difference),
                       difference_text(options_.unit, difference)});
    }
    for (const GroupLink& link : links_) {
      if (view_.after || link.routes == 0) continue;
      cells.push_back({link.from, link.to, link.value, scale_.color(theme_, link.value),
                       metric_text(options_.color, options_.unit, link.value)});
    }
    return cells;
  }

  void add_lenses() {
    const std::vector<LensCell> cells = lens_cells();
    const std::vector<RouteLens> lenses =
        choose_lenses(matrix_, cells, view_.after ? "largest change" : "up to");
    if (lenses.empty()) return;
    add_lens_frames(scene_, theme_, matrix_, lenses);
    const auto links = matrix_.adjacent_items();
    for (size_t i = 0; i < lenses.size(); ++i) {
      const RouteLens& lens = lenses[i];
      add_lens_ground(scene_, theme_, matrix_, lens, i + 1, links);
      add_density(
          lens.place, [&](uint32_t vertex) { return lens.x_of(item_of(vertex)); },
          [&](uint32_t vertex) { return lens.y_of(item_of(vertex)); });
      add_lens_cells(scene_, theme_, matrix_, lens, cells);
    }
  }
  [[nodiscard]] uint32_t item_of(uint32_t vertex) const {
    return matrix_.item_of_group(view_.group_of[vertex]);
  }

  [[nodiscard]] Color color_of(size_t place) const { return theme_.series_color(place); }
  /// Routes one by one lie beside each other in a cell.
  [[nodiscard]] double shift(size_t place) const {
    const double count = static_cast<double>(view_.drawn.size());
    const double step = std::min(4.0, 0.7 * matrix_.axis().slot_px() / count);
    return (static_cast<double>(place) - (count - 1) / 2) * step;
  }

  void add_single_routes() {
    layout::Polylines lines;
    for (size_t i = 0; i < view_.drawn.size(); ++i) {
      layout::Polyline line{.stroke = color_of(i), .width_px = 2};
      const double moved = shift(i);
      const auto at = [&](uint32_t column, uint32_t row) {
        line.points.push_back(
            {plot().x + matrix_.middle(column) + moved, plot().y + matrix_.middle(row) + moved});
      };
      const auto links = view_.routes->links_of(view_.drawn[i]);
      if (links.empty()) continue;
      at(view_.network->source(links[0]), view_.network->source(links[0]));
      for (const network::Link link : links) {
        const network::Vertex from = view_.network->source(link);
        const network::Vertex to = view_.network->target(link);
        at(to, from);
        at(to, to);
      }
      lines.lines.push_back(std::move(line));
    }
    scene_.layers.emplace_back(std::move(lines));
  }

  void add_mark(double at, bool is_source, Color color, double size, layout::Boxes& squares,
                layout::Polylines& circles) const {
    const Point middle{plot().x + at, plot().y + at};
    if (is_source) {
      squares.add({middle.x - size / 2, middle.y - size / 2, size, size}, color);
    } else {
      circles.lines.push_back(circle(middle, size / 2, color, theme_.background, 0.8));
    }
  }

  void add_marks(bool single) {
    const double slot = matrix_.axis().slot_px();
    if (slot < kMarkFrom || view_.drawn.size() > kMaxMarkedRoutes) return;
    layout::Boxes squares;
    squares.snap = false;
    layout::Polylines circles;
    const double size = std::clamp(0.7 * slot, 4.0, 12.0);
    for (size_t i = 0; i < view_.drawn.size(); ++i) {
      const uint32_t route = view_.drawn[i];
      const double moved = single ? shift(i) : 0;
      const Color from = single ? color_of(i) : gradient_.begin;
      const Color to = single ? color_of(i) : gradient_.end;
      add_mark(matrix_.middle(view_.routes->from[route]) + moved, true, from, size, squares,
               circles);
      add_mark(matrix_.middle(view_.routes->to[route]) + moved, false, to, size, squares, circles);
    }
    has_marks_ = true;
    scene_.layers.emplace_back(std::move(squares));
    scene_.layers.emplace_back(std::move(circles));
  }

  void add_legend(bool single) {
    SideLegend legend(scene_, theme_, matrix_.legend());
    if (view_.after) {
      legend.heading("Load after, less that before");
      legend.scale(differences_, options_.unit);
      layout::Boxes boxes;
      const Point at = legend.sample(14, 24, "routes before: the stronger, the more");
      for (double i = 0; i < 18; ++i) {
        boxes.add({at.x + i, at.y - 1, 1, 3},
                  layout::mix(theme_.plot_background, line_color(), i / 17));
      }
      scene_.layers.emplace_back(std::move(boxes));
      legend.space(8);
      legend.changes(view_, options_, differences_, changes_);
      return;
    }
    if (view_.drawn.empty()) return;
    add_load_legend(legend);
    add_line_legend(legend, single);
    if (matrix_.axis().folded_count() > 0) {
      legend.note(fmt::format(
          "Stripes: {} that no route drawn touches, folded.",
          base::counted(matrix_.axis().folded_count(), options_.aggregate ? "group" : "node",
                        options_.aggregate ? "groups" : "nodes")));
    }
    legend.space(8);
    if (single) {
      legend.routes(view_, options_);
    } else {
      legend.links(view_, options_, scale_, falling(links_), ring_count_);
    }
  }

  [[nodiscard]] const char* load_heading() const {
    if (!options_.aggregate) return "Load of the link";
    return options_.cells == CellValue::kMax ? "Most loaded link between groups"
                                             : "Loads between groups, summed up";
  }

  void add_load_legend(SideLegend& legend) {
    switch (options_.color) {
      case RouteMetric::kBytes: legend.heading(load_heading()); break;
      case RouteMetric::kRoutes: legend.heading("Routes drawn over the link"); break;
      case RouteMetric::kLength: legend.heading("Mean length of the routes over it"); break;
      case RouteMetric::kHopBytes: legend.heading("Bytes x hops of the routes over it"); break;
      case RouteMetric::kMaxLoad: legend.heading("Largest load on the way of its routes"); break;
    }
    legend.scale(scale_, options_.color, options_.unit, "cell");
    layout::Boxes box;
    const Point at = legend.sample(14, 24, "a link that no route drawn crosses");
    box.add({at.x + 1, at.y - 6, 12, 12}, layout::mix(theme_.plot_background, theme_.other, 0.28));
    scene_.layers.emplace_back(std::move(box));
  }

  void add_line_legend(SideLegend& legend, bool single) {
    layout::Boxes boxes;
    layout::Polylines lines;
    if (!single) {
      const std::string what =
          has_gradient() ? "route from source to target" : "routes: the darker, the more";
      const Point at = legend.sample(14, 24, has_gradient() ? what : density_text());
      for (double i = 0; i < 18; ++i) {
        const double t = i / 17;
        const Color color = has_gradient()
                                ? layout::mix(gradient_.begin, gradient_.end, t)
                                : layout::mix(theme_.plot_background, theme_.muted_text, t);
        boxes.add({at.x + i, at.y - 1, 1, 3}, color);
      }
    }
    if (has_marks_) {
      const Point from = legend.sample(14, 24, "source");
      const Color source = single ? theme_.other : gradient_.begin;
      boxes.add({from.x + 3, from.y - 4, 8, 8}, source);
      const Point to = legend.sample(14, 24, "target");
      lines.lines.push_back(circle({to.x + 7, to.y}, 4.5, single ? theme_.other : gradient_.end,
                                   theme_.background, 0.8));
    }
    scene_.layers.emplace_back(std::move(boxes));
    scene_.layers.emplace_back(std::move(lines));
    legend.note(
        "A route leaves the diagonal at its source, runs level to the cell of its first "
        "link, upright back to the diagonal, and so on.");
  }
  [[nodiscard]] std::string density_text() const {
    return options_.unit == LoadUnit::kBytes ? "routes: the stronger, the more bytes"
                                             : "routes: the stronger, the more of them";
  }

  /// Rings around the cells of the first links, where those are too small to be seen.
  void add_rings() {
    if (outlines()) return;
    const std::vector<const GroupLink*> order = falling(links_);
    layout::Polylines rings;
    for (size_t i = 0; i < std::min(order.size(), kRingedLinks); ++i) {
      const Rect rect =
          matrix_.cell(matrix_.slot_of_group(order[i]->from), matrix_.slot_of_group(order[i]->to));
      rings.lines.push_back(
          ring(theme_, {rect.x + rect.w / 2, rect.y + rect.h / 2}, std::max(6.0, rect.w)));
    }
    ring_count_ = rings.lines.size();
    scene_.layers.emplace_back(std::move(rings));
  }
  const NetworkView& view_;
  const NetworkOptions& options_;
  layout::Gradient gradient_;
  std::vector<GroupLink> links_;
  std::vector<LinkChange> changes_;  // Of a comparison.
  DifferenceScale differences_;
  RouteMatrix matrix_;
  ValueScale scale_;
  bool has_marks_ = false;
  size_t ring_count_ = 0;
};

}  // namespace

base::Result<layout::Scene> routes(const network::Network& network, const network::Routes& routes,
                                   const NetworkOptions& options) {
  const auto view = network_view(network, routes, options);
  if (!view) return view.error();
  return RoutesFigure(view.value(), options).draw();
}

}  // namespace pathline::figure
