// SPDX-License-Identifier: BSD-3-Clause
#include "figure/network/route_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/frame.hpp"
#include "layout/axis.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

using layout::Color;
using layout::Point;
using layout::Rect;

constexpr double kGap = 28;         // Between the matrix and the legend.
constexpr double kFoldLabels = 18;  // More, when stripes have numbers.
constexpr double kLeastLegend = 190;
constexpr double kMostLegend = 380;
constexpr double kLegendBesideLenses = 290;
constexpr double kLeastLens = 170;
constexpr double kMostLens = 300;
constexpr double kLensBelow = 6;         // px of a cell that needs none.
constexpr double kWithLegendFrom = 560;  // px of the picture's width.
constexpr double kTitleHeight = 10;      // Below the matrix.
constexpr double kStripHeight = 14;      // Of a dimension, above the matrix.
constexpr double kStripWidth = 22;       // Beside it.
constexpr double kLeastBlock = 3;        // px, for a dimension to have a strip.

}  // namespace

RouteMatrix::RouteMatrix(const NetworkView& view, const NetworkOptions& options,
                         const layout::Theme& theme)
    : view_(view), options_(options), theme_(theme) {
  sort_items();
  find_touched();
}

// Groups in the order of their addresses; switches, which have none, behind them.
void RouteMatrix::sort_items() {
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

void RouteMatrix::find_touched() {
  touched_.assign(view_.group_count, false);
  const auto touch = [&](uint32_t vertex) { touched_[item_of_[view_.group_of[vertex]]] = true; };
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

base::Status RouteMatrix::place(double top) {
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

base::Status RouteMatrix::try_place(double top, double strip_count) {
  const double left = kMargin + kStripWidth * strip_count + names_width_ + 8;
  const double above = top + kStripHeight * strip_count + names_width_ + 8;
  const double room = std::floor(
      std::min(options_.width_px - left - kMargin - (legend_width_ > 0 ? legend_width_ + kGap : 0),
               options_.height_px - above - kMargin - kTitleHeight));
  if (room < 60) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("a picture of {}x{} pixels is too small for a matrix of "
                                   "routes",
                                   options_.width_px, options_.height_px)};
  }
  axis_.emplace(touched_, room);
  const double side = axis_->length_px();
  lens_width_ = 0;
  if (legend_width_ > 0) {
    const double free = options_.width_px - left - side - kGap - kMargin;
    const double beside = std::min(free - kLegendBesideLenses - kGap, kMostLens);
    if (beside >= kLeastLens && axis_->slot_px() < kLensBelow) lens_width_ = std::floor(beside);
    legend_width_ = std::clamp(free - (lens_width_ > 0 ? lens_width_ + kGap : 0), kLeastLegend,
                               lens_width_ > 0 ? kLegendBesideLenses : kMostLegend);
  }
  // What is left of the width, at both sides.
  const double spare = options_.width_px - left - side - kMargin -
                       (legend_width_ > 0 ? kGap + legend_width_ : 0) -
                       (lens_width_ > 0 ? kGap + lens_width_ : 0);
  plot_ = {std::round(left + std::max(0.0, spare / 2)), std::round(above), side, side};
  return {};
}

Rect RouteMatrix::legend() const {
  const double x = plot_.right() + kGap + (axis_->folded_count() > 0 ? kFoldLabels : 0);
  return {x, plot_.y, legend_width_, options_.height_px - kMargin - plot_.y};
}

Rect RouteMatrix::lenses() const {
  const Rect beside = legend();
  return {beside.right() + kGap, beside.y, lens_width_, beside.h};
}

Rect RouteMatrix::cell(uint32_t row_slot, uint32_t column_slot) const {
  const FoldedAxis::Slot& row = axis_->slots()[row_slot];
  const FoldedAxis::Slot& column = axis_->slots()[column_slot];
  const double gap = row.size_px >= 6 ? 1 : 0;
  return {plot_.x + column.begin_px, plot_.y + row.begin_px, column.size_px - gap,
          row.size_px - gap};
}

std::vector<std::pair<uint32_t, uint32_t>> RouteMatrix::adjacent_items() const {
  std::vector<std::pair<uint32_t, uint32_t>> links;
  for (uint32_t vertex = 0; vertex < view_.network->vertex_count(); ++vertex) {
    const uint32_t row = item_of_[view_.group_of[vertex]];
    for (const network::Network::Hop& hop : view_.network->hops(network::Vertex(vertex))) {
      const uint32_t column = item_of_[view_.group_of[hop.to]];
      if (row != column) links.emplace_back(row, column);
    }
  }
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

std::vector<std::pair<uint32_t, uint32_t>> RouteMatrix::adjacent_cells() const {
  std::vector<std::pair<uint32_t, uint32_t>> cells;
  for (const auto& [row, column] : adjacent_items()) {
    const std::pair cell{axis_->slot_of(row), axis_->slot_of(column)};
    if (cell.first != cell.second) cells.push_back(cell);
  }
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return cells;
}

std::vector<RouteMatrix::Block> RouteMatrix::blocks(size_t level) const {
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
      found.push_back({begin_px, end_px, addresses_[group_at_[first]][level]});
    }
    first = item;
  }
  return found;
}

double RouteMatrix::usual_block(size_t level) const {
  const std::vector<Block> all = blocks(level);
  double sum = 0;
  for (const Block& block : all) sum += block.end_px - block.begin_px;
  return all.empty() ? 0 : sum / static_cast<double>(all.size());
}

layout::Label RouteMatrix::label(std::string text, Point at, Color color,
                                 layout::Anchor anchor) const {
  return {.text = std::move(text),
          .at = at,
          .color = color,
          .size_px = theme_.small_size_px,
          .anchor = anchor,
          .baseline = layout::Baseline::kMiddle};
}

void RouteMatrix::add_block_rules(layout::Scene& scene) const {
  layout::Polylines rules;
  for (size_t level = 0; level + 1 < level_count() && level < 2; ++level) {
    for (const Block& block : blocks(level)) {
      if (block.begin_px <= 0 || usual_block(level) < 12) continue;
      const Color color = level == 0 ? theme_.axis : theme_.grid;
      const double width = level == 0 ? 0.6 : 1;
      const double x = plot_.x + block.begin_px;
      const double y = plot_.y + block.begin_px;
      rules.add_rule({x, plot_.y}, {x, plot_.bottom()}, color, width);
      rules.add_rule({plot_.x, y}, {plot_.right(), y}, color, width);
    }
  }
  scene.layers.emplace_back(std::move(rules));
}

void RouteMatrix::add_rulers(layout::Scene& scene) const {
  layout::Boxes strips;
  layout::Labels labels;
  double x = plot_.x - 4;
  double y = plot_.y - 4;
  for (size_t level = levels_.size(); level-- > 0;) {
    if (usual_block(level) < kLeastBlock) continue;
    x -= kStripWidth;
    y -= kStripHeight;
    add_strips(level, x, y, strips, labels);
  }
  add_names(labels);
  add_fold_labels(labels);
  add_axis_title(labels);
  scene.layers.emplace_back(std::move(strips));
  scene.layers.emplace_back(std::move(labels));
}

/// x, y  of the strip beside and of the one above the matrix.
void RouteMatrix::add_strips(size_t level, double x, double y, layout::Boxes& strips,
                             layout::Labels& labels) const {
  const auto add = [&](std::string text, Point at) {
    labels.items.push_back(label(std::move(text), at, theme_.text, layout::Anchor::kMiddle));
  };
  const double column_middle = x + kStripWidth / 2 - 1;
  const double row_middle = y + kStripHeight / 2 - 1;
  for (const Block& block : blocks(level)) {
    const double size = block.end_px - block.begin_px;
    const double gap = size > 8 ? 1 : 0;
    const Color color =
        layout::mix(theme_.background, theme_.other, block.coordinate % 2 == 0 ? 0.22 : 0.42);
    strips.add({x, plot_.y + block.begin_px, kStripWidth - 2, size - gap}, color);
    strips.add({plot_.x + block.begin_px, y, size - gap, kStripHeight - 2}, color);
    const std::string text = fmt::format("{}", block.coordinate);
    const double middle_px = (block.begin_px + block.end_px) / 2;
    if (size >= theme_.small_size_px + 1) add(text, {column_middle, plot_.y + middle_px});
    if (size >= layout::text_width_px(text, theme_.small_size_px) + 4) {
      add(text, {plot_.x + middle_px, row_middle});
    }
  }
  const std::string& name = view_.network->dimensions()[levels_[level]].name;
  labels.items.push_back(
      label(name, {plot_.x - 8, row_middle}, theme_.muted_text, layout::Anchor::kEnd));
  if (layout::text_width_px(name, theme_.small_size_px) < kStripWidth) {
    labels.items.push_back(label(name, {column_middle, plot_.bottom() + 9}, theme_.muted_text,
                                 layout::Anchor::kMiddle));
  }
}

// Of items that have no coordinates: switches, and nodes of a graph.
void RouteMatrix::add_names(layout::Labels& labels) const {
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
    labels.items.push_back(
        label(text, {plot_.x - 6, plot_.y + slot.middle_px()}, theme_.text, layout::Anchor::kEnd));
    if (names_width_ <= 0) continue;
    labels.items.push_back(label(text, {plot_.x + slot.middle_px(), plot_.y - 6}, theme_.text,
                                 layout::Anchor::kStart));
    labels.items.back().rotation_deg = -90;
  }
}

// How many a stripe stands for, right of it.
void RouteMatrix::add_fold_labels(layout::Labels& labels) const {
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

void RouteMatrix::add_axis_title(layout::Labels& labels) const {
  std::string text = "row: link begins, column: it leads to";
  if (axis_->items_per_slot() > 1) {
    text += fmt::format("; a cell is {0} x {0} {1} and shows {2}", axis_->items_per_slot(),
                        options_.aggregate ? "groups" : "nodes",
                        options_.cells == CellValue::kMax ? "the largest value" : "the sum");
  }
  labels.items.push_back(label(std::move(text), {plot_.x + plot_.w / 2, plot_.bottom() + 14},
                               theme_.muted_text, layout::Anchor::kMiddle));
}

}  // namespace pathline::figure
