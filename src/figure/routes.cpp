// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/folded_axis.hpp"
#include "figure/network_view.hpp"
#include "layout/axis.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

using layout::Color;
using layout::Point;
using layout::Rect;

constexpr double kMargin = 16;
constexpr double kGap = 28;  // Between the matrix and what stands beside it.
constexpr double kLeastLegend = 190;
constexpr double kMostLegend = 380;
constexpr double kWithLegendFrom = 560;
constexpr double kStripHeight = 14;  // Of a ruler, per dimension.
constexpr double kStripWidth = 22;
constexpr double kLeastBlock = 3;   // px, for the strip of a dimension to be drawn.
constexpr double kOutlineFrom = 9;  // px of a cell that has room for an outline.
constexpr size_t kMaxSingleRoutes = 16;
constexpr size_t kMaxGradientRoutes = 600;
constexpr size_t kMaxMarkedRoutes = 300;
constexpr double kMarkFrom = 3;  // px of a cell.
constexpr size_t kRingedLinks = 8;
constexpr double kFoldLabels = 18;  // More between matrix and legend.

class RoutesFigure {
 public:
  RoutesFigure(const NetworkView& view, const NetworkOptions& options)
      : view_(view), options_(options), theme_(layout::theme(options.theme)) {
    scene_.width_px = options.width_px;
    scene_.height_px = options.height_px;
  }

  base::Result<layout::Scene> draw() {
    const auto gradient = layout::message_gradient(options_.palette, options_.theme);
    if (!gradient) return gradient.error();
    gradient_ = gradient.value();
    links_ = group_links(view_, options_.color);
    sort_items();
    find_touched();
    const double top = layout::add_title(
        scene_, theme_, options_.title.empty() ? "Routes on the network" : options_.title,
        network_subtitle(view_, options_));
    if (const base::Status status = place(top + 4); !status) return status.error();
    add_ground();
    const bool single = view_.drawn.size() <= kMaxSingleRoutes && axis_->slot_px() >= 4;
    if (single) {
      if (!outlines()) add_loads();
      add_single_routes();
      if (outlines()) add_loads();
    } else {
      add_density();
      add_loads();
    }
    add_marks(single);
    if (!single) add_rings();
    add_rulers();
    if (view_.drawn.empty()) {
      layout::add_remark(scene_, theme_, plot_,
                         view_.totals.route_count == 0 ? "no routes between nodes" : "no route");
    }
    if (legend_width_ > 0) add_legend(single);
    scene_.description = "Routes in the adjacency matrix of the network";
    return std::move(scene_);
  }

 private:
  /// Groups in the order of their addresses; switches, which have none, behind them.
  void sort_items() {
    const network::Network& network = *view_.network;
    const size_t dimension_count = network.dimensions().size();
    if (options_.aggregate) {
      levels_ = *options_.aggregate;
    } else {
      levels_.resize(dimension_count);
      std::iota(levels_.begin(), levels_.end(), size_t{0});
    }
    addresses_.assign(view_.group_count, {});
    std::vector<uint32_t> address(dimension_count);
    for (uint32_t node = 0; node < network.node_count(); ++node) {
      std::vector<uint32_t>& own = addresses_[view_.group_of[node]];
      if (!own.empty() || levels_.empty()) continue;
      network.coordinates(network::Vertex(node), address);
      for (const size_t level : levels_) own.push_back(address[level]);
    }
    group_at_.resize(view_.group_count);
    std::iota(group_at_.begin(), group_at_.end(), 0U);
    std::stable_sort(group_at_.begin(), group_at_.begin() + view_.node_group_count,
                     [&](uint32_t a, uint32_t b) { return addresses_[a] < addresses_[b]; });
    item_of_.resize(view_.group_count);
    for (uint32_t item = 0; item < group_at_.size(); ++item) item_of_[group_at_[item]] = item;
  }

  void find_touched() {
    touched_.assign(view_.group_count, false);
    for (const uint32_t route : view_.drawn) {
      touch(view_.routes->from[route]);
      touch(view_.routes->to[route]);
      for (const network::Link link : view_.routes->links_of(route)) {
        touch(view_.network->source(link));
        touch(view_.network->target(link));
      }
    }
    // With no routes there is nothing to make room for.
    if (view_.drawn.empty()) touched_.assign(view_.group_count, true);
  }
  void touch(uint32_t vertex) { touched_[item_of_[view_.group_of[vertex]]] = true; }

  base::Status place(double top) {
    legend_width_ = options_.width_px < kWithLegendFrom ? 0 : kLeastLegend;
    names_width_ = 0;
    if (levels_.empty()) {
      names_width_ = layout::row_label_width_px(theme_, view_.names, 120) + 10;
    }
    // Twice: how much room there is decides which dimensions have a strip, and they take room.
    double level_count = static_cast<double>(levels_.size());
    if (const base::Status status = try_place(top, level_count); !status) return status;
    level_count = 0;
    for (size_t level = 0; level < levels_.size(); ++level) {
      level_count += usual_block(level) >= kLeastBlock ? 1 : 0;
    }
    return try_place(top, level_count);
  }

  base::Status try_place(double top, double level_count) {
    const double left = kMargin + kStripWidth * level_count + names_width_ + 8;
    const double above = top + kStripHeight * level_count + names_width_ + 8;
    const double room = std::floor(std::min(
        options_.width_px - left - kMargin - (legend_width_ > 0 ? legend_width_ + kGap : 0),
        options_.height_px - above - kMargin - kNotesHeight));
    if (room < 60) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         fmt::format("a picture of {}x{} pixels is too small for a matrix of "
                                     "routes",
                                     options_.width_px, options_.height_px)};
    }
    axis_.emplace(touched_, room);
    const double side = axis_->length_px();
    if (legend_width_ > 0) {
      legend_width_ =
          std::clamp(options_.width_px - left - side - kGap - kMargin, kLeastLegend, kMostLegend);
    }
    // What is left of the width, at both sides.
    const double spare =
        options_.width_px - left - side - kMargin - (legend_width_ > 0 ? kGap + legend_width_ : 0);
    plot_ = {std::round(left + std::max(0.0, spare / 2)), std::round(above), side, side};
    return {};
  }

  [[nodiscard]] double middle(uint32_t vertex) const {
    return axis_->place(item_of_[view_.group_of[vertex]]).middle_px();
  }
  [[nodiscard]] bool outlines() const { return axis_->slot_px() >= kOutlineFrom; }

  /// The cell of a link between two groups.
  [[nodiscard]] Rect cell(uint32_t row_slot, uint32_t column_slot) const {
    const FoldedAxis::Slot& row = axis_->slots()[row_slot];
    const FoldedAxis::Slot& column = axis_->slots()[column_slot];
    const double gap = row.size_px >= 6 ? 1 : 0;
    return {plot_.x + column.begin_px, plot_.y + row.begin_px, column.size_px - gap,
            row.size_px - gap};
  }

  void add_ground() {
    layout::Boxes ground;
    ground.add(plot_, theme_.plot_background);
    scene_.layers.emplace_back(std::move(ground));
    add_block_rules();
    layout::Boxes cells;
    for (const auto& [row, column] : adjacent_cells()) {
      cells.add(cell(row, column), layout::mix(theme_.plot_background, theme_.other, 0.28));
    }
    scene_.layers.emplace_back(std::move(cells));
    // Stripes over the cells: what is folded has none.
    layout::Boxes stripes;
    layout::Polylines rules;
    for (const FoldedAxis::Slot& slot : axis_->slots()) {
      if (!slot.folded) continue;
      const Color color = layout::mix(theme_.background, theme_.other, 0.16);
      stripes.add({plot_.x, plot_.y + slot.begin_px + 1, plot_.w, slot.size_px - 2}, color);
      stripes.add({plot_.x + slot.begin_px + 1, plot_.y, slot.size_px - 2, plot_.h}, color);
    }
    scene_.layers.emplace_back(std::move(stripes));
    layout::Polylines diagonal;
    diagonal.lines.push_back(
        {.points = {{plot_.x, plot_.y}, {plot_.right(), plot_.bottom()}}, .stroke = theme_.grid});
    scene_.layers.emplace_back(std::move(diagonal));
  }

  [[nodiscard]] std::vector<std::pair<uint32_t, uint32_t>> adjacent_cells() const {
    std::vector<std::pair<uint32_t, uint32_t>> cells;
    for (uint32_t vertex = 0; vertex < view_.network->vertex_count(); ++vertex) {
      const uint32_t row = axis_->slot_of(item_of_[view_.group_of[vertex]]);
      for (const network::Network::Hop& hop : view_.network->hops(network::Vertex(vertex))) {
        const uint32_t column = axis_->slot_of(item_of_[view_.group_of[hop.to]]);
        if (row != column) cells.emplace_back(row, column);
      }
    }
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    return cells;
  }

  /// Rules between the blocks of the outermost dimensions.
  void add_block_rules() {
    layout::Polylines rules;
    for (size_t level = 0; level + 1 < levels_.size() && level < 2; ++level) {
      for (const Block& block : blocks(level)) {
        if (block.begin_px <= 0 || usual_block(level) < 12) continue;
        const Color color = level == 0 ? theme_.axis : theme_.grid;
        const double x = plot_.x + block.begin_px;
        const double y = plot_.y + block.begin_px;
        rules.add_rule({x, plot_.y}, {x, plot_.bottom()}, color, level == 0 ? 0.6 : 1);
        rules.add_rule({plot_.x, y}, {plot_.right(), y}, color, level == 0 ? 0.6 : 1);
      }
    }
    scene_.layers.emplace_back(std::move(rules));
  }

  /// What the cell of each link shows, of links that routes drawn cross.
  void add_loads() {
    std::map<std::pair<uint32_t, uint32_t>, double> values;
    for (const GroupLink& link : links_) {
      if (link.routes == 0) continue;
      const bool largest = options_.cells == CellValue::kMax;
      const double value = options_.color == RouteMetric::kBytes && largest
                               ? static_cast<double>(link.max_load)
                               : link.value;
      const uint32_t row = axis_->slot_of(item_of_[link.from]);
      const uint32_t column = axis_->slot_of(item_of_[link.to]);
      const auto [place, is_new] = values.try_emplace({row, column}, value);
      if (!is_new) place->second = largest ? std::max(place->second, value) : place->second + value;
    }
    std::vector<double> all;
    for (const auto& [slots, value] : values) all.push_back(value);
    scale_ = ValueScale::of(std::move(all));
    layout::Boxes cells;
    for (const auto& [slots, value] : values) {
      const Rect rect = cell(slots.first, slots.second);
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

  [[nodiscard]] bool has_gradient() const { return view_.drawn.size() <= kMaxGradientRoutes; }

  /// Lines that add up. s runs from source to target.
  void add_density() {
    layout::Segments lines;
    lines.clip = plot_;
    lines.style = {.begin = gradient_.begin, .end = gradient_.end};
    if (!has_gradient()) lines.style = {.begin = theme_.muted_text, .end = theme_.muted_text};
    for (const uint32_t route : view_.drawn) {
      const auto links = view_.routes->links_of(route);
      const double weight = static_cast<double>(view_.routes->bytes[route]);
      const double step = 0.5 / static_cast<double>(std::max<size_t>(links.size(), 1));
      double s = 0;
      for (const network::Link link : links) {
        const double from = middle(view_.network->source(link));
        const double to = middle(view_.network->target(link));
        const Point begin{plot_.x + from, plot_.y + from};
        const Point corner{plot_.x + to, plot_.y + from};
        const Point end{plot_.x + to, plot_.y + to};
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
    if (has_gradient()) {
      lines.curves.add(from, {(from.x + to.x) / 2, (from.y + to.y) / 2}, to, s_from, s_to, weight);
      return;
    }
    lines.add(static_cast<float>(from.x), static_cast<float>(from.y), static_cast<float>(to.x),
              static_cast<float>(to.y));
    lines.weight.push_back(static_cast<float>(weight));
  }

  [[nodiscard]] Color color_of(size_t place) const { return theme_.series_color(place); }
  /// Routes one by one lie beside each other in a cell.
  [[nodiscard]] double shift(size_t place) const {
    const double count = static_cast<double>(view_.drawn.size());
    const double step = std::min(4.0, 0.7 * axis_->slot_px() / count);
    return (static_cast<double>(place) - (count - 1) / 2) * step;
  }

  void add_single_routes() {
    layout::Polylines lines;
    for (size_t i = 0; i < view_.drawn.size(); ++i) {
      layout::Polyline line{.stroke = color_of(i), .width_px = 2};
      const double moved = shift(i);
      const auto at = [&](uint32_t column, uint32_t row) {
        line.points.push_back({plot_.x + middle(column) + moved, plot_.y + middle(row) + moved});
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
    const Point middle{plot_.x + at, plot_.y + at};
    if (is_source) {
      squares.add({middle.x - size / 2, middle.y - size / 2, size, size}, color);
    } else {
      circles.lines.push_back(circle(middle, size / 2, color, theme_.background, 0.8));
    }
  }

  void add_marks(bool single) {
    const double slot = axis_->slot_px();
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
      add_mark(middle(view_.routes->from[route]) + moved, true, from, size, squares, circles);
      add_mark(middle(view_.routes->to[route]) + moved, false, to, size, squares, circles);
    }
    has_marks_ = true;
    scene_.layers.emplace_back(std::move(squares));
    scene_.layers.emplace_back(std::move(circles));
  }

  /// Items in a row with the same coordinates up to a level.
  struct Block {
    double begin_px = 0;
    double end_px = 0;
    uint32_t coordinate = 0;
    bool folded = false;  // All of it.
  };
  [[nodiscard]] std::vector<Block> blocks(size_t level) const {
    std::vector<Block> found;
    uint32_t first = 0;
    for (uint32_t item = 1; item <= view_.node_group_count; ++item) {
      const bool ends =
          item == view_.node_group_count ||
          !std::equal(addresses_[group_at_[item]].begin(),
                      addresses_[group_at_[item]].begin() + static_cast<ptrdiff_t>(level) + 1,
                      addresses_[group_at_[first]].begin());
      if (!ends) continue;
      const FoldedAxis::Slot& begin = axis_->place(first);
      const FoldedAxis::Slot& end = axis_->place(item - 1);
      const double end_px = end.begin_px + end.size_px;
      const bool is_folded = begin.folded && axis_->slot_of(first) == axis_->slot_of(item - 1);
      // A block that begins in the slot of another is seen from where that slot ends.
      const double begin_px =
          found.empty() ? begin.begin_px : std::max(begin.begin_px, found.back().end_px);
      if (end_px > begin_px && !is_folded) {
        found.push_back({begin_px, end_px, addresses_[group_at_[first]][level], false});
      }
      first = item;
    }
    return found;
  }
  [[nodiscard]] double usual_block(size_t level) const {
    const std::vector<Block> all = blocks(level);
    double sum = 0;
    for (const Block& block : all) sum += block.end_px - block.begin_px;
    return all.empty() ? 0 : sum / static_cast<double>(all.size());
  }

  void add_rulers() {
    layout::Boxes strips;
    layout::Labels labels;
    const auto add_label = [&](std::string text, Point at, Color color, layout::Anchor anchor,
                               double rotation = 0) {
      labels.items.push_back({.text = std::move(text),
                              .at = at,
                              .color = color,
                              .size_px = theme_.small_size_px,
                              .anchor = anchor,
                              .baseline = layout::Baseline::kMiddle,
                              .rotation_deg = rotation});
    };
    double x = plot_.x - 4;
    double y = plot_.y - 4;
    for (size_t level = levels_.size(); level-- > 0;) {
      if (usual_block(level) < kLeastBlock) continue;
      x -= kStripWidth;
      y -= kStripHeight;
      for (const Block& block : blocks(level)) {
        const double size = block.end_px - block.begin_px;
        const double gap = size > 8 ? 1 : 0;
        const Color color =
            layout::mix(theme_.background, theme_.other, block.coordinate % 2 == 0 ? 0.22 : 0.42);
        strips.add({x, plot_.y + block.begin_px, kStripWidth - 2, size - gap}, color);
        strips.add({plot_.x + block.begin_px, y, size - gap, kStripHeight - 2}, color);
        const std::string text = fmt::format("{}", block.coordinate);
        const double middle_px = (block.begin_px + block.end_px) / 2;
        if (size >= theme_.small_size_px + 1) {
          add_label(text, {x + kStripWidth / 2 - 1, plot_.y + middle_px}, theme_.text,
                    layout::Anchor::kMiddle);
        }
        if (size >= layout::text_width_px(text, theme_.small_size_px) + 4) {
          add_label(text, {plot_.x + middle_px, y + kStripHeight / 2 - 1}, theme_.text,
                    layout::Anchor::kMiddle);
        }
      }
      const std::string& name = view_.network->dimensions()[levels_[level]].name;
      add_label(name, {plot_.x - 8, y + kStripHeight / 2 - 1}, theme_.muted_text,
                layout::Anchor::kEnd);
      if (layout::text_width_px(name, theme_.small_size_px) < kStripWidth) {
        add_label(name, {x + kStripWidth / 2 - 1, plot_.bottom() + 9}, theme_.muted_text,
                  layout::Anchor::kMiddle);
      }
    }
    add_names(labels);
    add_fold_labels(labels);
    scene_.layers.emplace_back(std::move(strips));
    scene_.layers.emplace_back(std::move(labels));
    add_axis_title();
  }

  /// Of items that have no coordinates: switches, and nodes of a graph.
  void add_names(layout::Labels& labels) const {
    double free_from = 0;
    const double height = theme_.small_size_px * 1.15;
    for (uint32_t item = 0; item < group_at_.size(); ++item) {
      if (!addresses_[group_at_[item]].empty()) continue;
      const FoldedAxis::Slot& slot = axis_->place(item);
      if (slot.folded || slot.middle_px() - height / 2 < free_from) continue;
      free_from = slot.middle_px() + height / 2;
      const double room = names_width_ > 0 ? names_width_ : plot_.x - kMargin - 6;
      const std::string text =
          layout::fit_text_middle(view_.names[group_at_[item]], room, theme_.small_size_px);
      labels.items.push_back({.text = text,
                              .at = {plot_.x - 6, plot_.y + slot.middle_px()},
                              .color = theme_.text,
                              .size_px = theme_.small_size_px,
                              .anchor = layout::Anchor::kEnd,
                              .baseline = layout::Baseline::kMiddle});
      if (names_width_ <= 0) continue;
      labels.items.push_back({.text = text,
                              .at = {plot_.x + slot.middle_px(), plot_.y - 6},
                              .color = theme_.text,
                              .size_px = theme_.small_size_px,
                              .baseline = layout::Baseline::kMiddle,
                              .rotation_deg = -90});
    }
  }

  /// How many a stripe stands for, right of it.
  void add_fold_labels(layout::Labels& labels) const {
    double free_from = 0;
    for (const FoldedAxis::Slot& slot : axis_->slots()) {
      if (!slot.folded || slot.middle_px() < free_from) continue;
      free_from = slot.middle_px() + theme_.small_size_px;
      labels.items.push_back({.text = fmt::format("+{}", base::human_count(slot.count)),
                              .at = {plot_.right() + 4, plot_.y + slot.middle_px()},
                              .color = theme_.muted_text,
                              .size_px = theme_.small_size_px - 1,
                              .baseline = layout::Baseline::kMiddle});
    }
  }

  void add_axis_title() {
    layout::Labels labels;
    std::string note = "row: link begins, column: it leads to";
    if (axis_->items_per_slot() > 1) {
      note += fmt::format("; a cell is {0} x {0} {1} and shows {2}", axis_->items_per_slot(),
                          options_.aggregate ? "groups" : "nodes",
                          options_.cells == CellValue::kMax ? "the largest value" : "the sum");
    }
    labels.items.push_back({.text = note,
                            .at = {plot_.x + plot_.w / 2, plot_.bottom() + 14},
                            .color = theme_.muted_text,
                            .size_px = theme_.small_size_px,
                            .anchor = layout::Anchor::kMiddle,
                            .baseline = layout::Baseline::kMiddle});
    scene_.layers.emplace_back(std::move(labels));
  }

  void add_legend(bool single) {
    const double x = plot_.right() + kGap + (axis_->folded_count() > 0 ? kFoldLabels : 0);
    SideLegend legend(scene_, theme_,
                      {x, plot_.y, legend_width_, options_.height_px - kMargin - plot_.y});
    if (view_.drawn.empty()) return;
    add_load_legend(legend);
    add_line_legend(legend, single);
    if (axis_->folded_count() > 0) {
      legend.note(
          fmt::format("Stripes: {} that no route drawn touches, folded.",
                      base::counted(axis_->folded_count(), options_.aggregate ? "group" : "node",
                                    options_.aggregate ? "groups" : "nodes")));
    }
    legend.space(8);
    if (single) {
      list_routes(legend);
    } else {
      legend.links(view_, options_, scale_, falling(links_), ring_count_);
    }
  }

  void add_load_legend(SideLegend& legend) {
    switch (options_.color) {
      case RouteMetric::kBytes: legend.heading("Load of the link"); break;
      case RouteMetric::kRoutes: legend.heading("Routes drawn over the link"); break;
      case RouteMetric::kLength: legend.heading("Mean length of the routes over it"); break;
      case RouteMetric::kHopBytes: legend.heading("Bytes x hops of the routes over it"); break;
      case RouteMetric::kMaxLoad: legend.heading("Largest load on the way of its routes"); break;
    }
    legend.scale(scale_, options_.color, options_.unit);
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

  [[nodiscard]] std::string arrow(uint32_t from, uint32_t to) const {
    return fmt::format("{} → {}", view_.names[from], view_.names[to]);
  }

  void list_routes(SideLegend& legend) {
    legend.heading("Routes");
    layout::Polylines lines;
    for (size_t i = 0; i < view_.drawn.size() && legend.left_px() > 32; ++i) {
      const uint32_t route = view_.drawn[i];
      std::string text = fmt::format(
          "{}, {}",
          arrow(view_.group_of[view_.routes->from[route]], view_.group_of[view_.routes->to[route]]),
          base::counted(view_.routes->length(route), "hop", "hops"));
      if (options_.unit == LoadUnit::kBytes) {
        text += ", " + load_text(options_.unit, static_cast<double>(view_.routes->bytes[route]));
      }
      text +=
          fmt::format(", load up to {}",
                      load_text(options_.unit, route_value(view_, route, RouteMetric::kMaxLoad)));
      const Point at = legend.sample(15, 24, text);
      lines.add_rule({at.x, at.y}, {at.x + 18, at.y}, color_of(i), 2);
    }
    scene_.layers.emplace_back(std::move(lines));
  }

  /// Rings around the cells of the first links, where those are too small to be seen.
  void add_rings() {
    if (outlines()) return;
    const std::vector<const GroupLink*> order = falling(links_);
    layout::Polylines rings;
    for (size_t i = 0; i < std::min(order.size(), kRingedLinks); ++i) {
      const Rect rect =
          cell(axis_->slot_of(item_of_[order[i]->from]), axis_->slot_of(item_of_[order[i]->to]));
      rings.lines.push_back(
          ring(theme_, {rect.x + rect.w / 2, rect.y + rect.h / 2}, std::max(6.0, rect.w)));
    }
    ring_count_ = rings.lines.size();
    scene_.layers.emplace_back(std::move(rings));
  }
  static constexpr double kNotesHeight = 10;
  const NetworkView& view_;
  const NetworkOptions& options_;
  const layout::Theme& theme_;
  layout::Scene scene_;
  layout::Gradient gradient_;
  Rect plot_;
  std::vector<GroupLink> links_;
  std::vector<size_t> levels_;                    // Dimensions, outermost first.
  std::vector<std::vector<uint32_t>> addresses_;  // Per group, a coordinate per level.
  std::vector<uint32_t> group_at_;                // Per item of the axis.
  std::vector<uint32_t> item_of_;                 // Per group.
  std::vector<bool> touched_;                     // Per item.
  std::optional<FoldedAxis> axis_;
  ValueScale scale_;
  double legend_width_ = 0;
  double names_width_ = 0;
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
