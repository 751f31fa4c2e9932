// SPDX-License-Identifier: BSD-3-Clause
#include "figure/network/route_lens.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "layout/text.hpp"

namespace pathline::figure {
namespace {

using layout::Point;
using layout::Rect;

constexpr size_t kMostLenses = 2;
constexpr double kLeastCell = 7;  // px
constexpr uint32_t kLeastItems = 8;
constexpr double kCaption = 18;  // px above a lens.
constexpr double kStrip = 14;    // px for coordinates, above and beside.
constexpr double kBetween = 16;

/// Items of an axis.
struct Range {
  uint32_t first = 0;
  uint32_t count = 0;
};

bool agree(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b, size_t levels) {
  return a.size() >= levels && b.size() >= levels &&
         std::equal(a.begin(), a.begin() + static_cast<ptrdiff_t>(levels), b.begin());
}

/// Neighbours of an item that agree with it in the first `levels` coordinates.
Range block_of(const RouteMatrix& matrix, uint32_t item, size_t levels) {
  Range block{item, 1};
  while (block.first > 0 && agree(matrix.address(block.first - 1), matrix.address(item), levels)) {
    --block.first;
    ++block.count;
  }
  while (block.first + block.count < matrix.item_count() &&
         agree(matrix.address(block.first + block.count), matrix.address(item), levels)) {
    ++block.count;
  }
  return block;
}

/// The largest block around an item that is small enough, or items on both sides of it.
Range range_around(const RouteMatrix& matrix, uint32_t item, uint32_t most) {
  for (size_t levels = 1; levels < matrix.level_count(); ++levels) {
    const Range block = block_of(matrix, item, levels);
    if (block.count > most) continue;
    if (block.count >= kLeastItems) return block;
    break;
  }
  const uint32_t count = std::min(most, matrix.item_count());
  const uint32_t before = std::min(item, count / 2);
  return {std::min(item - before, matrix.item_count() - count), count};
}

bool contains(const RouteLens& lens, uint32_t row, uint32_t column) {
  return row >= lens.first_row && row < lens.first_row + lens.count &&
         column >= lens.first_column && column < lens.first_column + lens.count;
}

/// "A 1, B 0": what all items from `first` on agree in, or the names of the ends.
std::string range_name(const RouteMatrix& matrix, uint32_t first, uint32_t count) {
  const auto& from = matrix.address(first);
  const auto& to = matrix.address(first + count - 1);
  std::string name;
  for (size_t level = 0; agree(from, to, level + 1); ++level) {
    name += fmt::format("{}{} {}", level > 0 ? ", " : "", matrix.level_name(level), from[level]);
  }
  return name.empty() ? matrix.name(first) + " \u2026" : name;
}

std::string caption_of(const RouteMatrix& matrix, const RouteLens& lens, const char* word,
                       const std::string& value) {
  const std::string rows = range_name(matrix, lens.first_row, lens.count);
  const std::string columns = range_name(matrix, lens.first_column, lens.count);
  return fmt::format("{}: {} {}", rows == columns ? rows : rows + " \u2192 " + columns, word,
                     value);
}

Rect cell_of(const RouteLens& lens, uint32_t row, uint32_t column) {
  const double size = lens.item_px();
  const double x = std::round(lens.place.x + (column - lens.first_column) * size);
  const double y = std::round(lens.place.y + (row - lens.first_row) * size);
  return {x, y, std::round(lens.place.x + (column + 1 - lens.first_column) * size) - x - 1,
          std::round(lens.place.y + (row + 1 - lens.first_row) * size) - y - 1};
}

/// Coordinates of the first level that changes within the lens, along one of its axes.
void add_strip(const layout::Theme& theme, const RouteMatrix& matrix, const RouteLens& lens,
               bool is_row, layout::Boxes& strips, layout::Labels& labels) {
  const uint32_t first = is_row ? lens.first_row : lens.first_column;
  const uint32_t end = first + lens.count;
  size_t level = 0;
  while (agree(matrix.address(first), matrix.address(end - 1), level + 1)) ++level;
  if (level >= matrix.level_count()) return;
  for (uint32_t begin = first; begin < end;) {
    uint32_t next = begin + 1;
    while (next < end && agree(matrix.address(begin), matrix.address(next), level + 1)) ++next;
    const auto& address = matrix.address(begin);
    if (!address.empty()) {
      const double at = (begin - first) * lens.item_px();
      const double size = (next - begin) * lens.item_px();
      const Rect rect = is_row
                            ? Rect{lens.place.x - kStrip, lens.place.y + at, kStrip - 2, size - 1}
                            : Rect{lens.place.x + at, lens.place.y - kStrip, size - 1, kStrip - 2};
      strips.add(rect,
                 layout::mix(theme.background, theme.other, address[level] % 2 == 0 ? 0.22 : 0.42));
      const std::string text = fmt::format("{}", address[level]);
      const double need =
          is_row ? theme.small_size_px : layout::text_width_px(text, theme.small_size_px - 1) + 2;
      if (size >= need) {
        labels.items.push_back({.text = text,
                                .at = {rect.x + rect.w / 2, rect.y + rect.h / 2},
                                .color = theme.text,
                                .size_px = theme.small_size_px - 1,
                                .anchor = layout::Anchor::kMiddle,
                                .baseline = layout::Baseline::kMiddle});
      }
    }
    begin = next;
  }
  if (is_row) return;
  labels.items.push_back({.text = matrix.level_name(level),
                          .at = {lens.place.x - 4, lens.place.y - kStrip / 2 - 1},
                          .color = theme.muted_text,
                          .size_px = theme.small_size_px - 1,
                          .anchor = layout::Anchor::kEnd,
                          .baseline = layout::Baseline::kMiddle});
}

}  // namespace

std::vector<RouteLens> choose_lenses(const RouteMatrix& matrix, std::span<const LensCell> cells,
                                     const char* word) {
  const Rect area = matrix.lenses();
  const double high = (area.h - kBetween) / kMostLenses - kCaption - kStrip;
  const double side = std::floor(std::min(area.w - kStrip, high));
  const auto most = static_cast<uint32_t>(std::max(0.0, side / kLeastCell));
  std::vector<RouteLens> lenses;
  if (area.w <= 0 || most < kLeastItems) return lenses;
  std::vector<const LensCell*> order;
  for (const LensCell& cell : cells) order.push_back(&cell);
  std::stable_sort(order.begin(), order.end(),
                   [](const LensCell* a, const LensCell* b) { return a->value > b->value; });
  double y = area.y;
  for (const LensCell* cell : order) {
    if (lenses.size() == kMostLenses || !(cell->value > 0)) break;
    const uint32_t row = matrix.item_of_group(cell->from);
    const uint32_t column = matrix.item_of_group(cell->to);
    const bool is_seen = std::any_of(lenses.begin(), lenses.end(), [&](const RouteLens& lens) {
      return contains(lens, row, column);
    });
    if (is_seen) continue;
    const Range rows = range_around(matrix, row, most);
    const Range columns = range_around(matrix, column, most);
    RouteLens lens{.count = std::max(rows.count, columns.count)};
    lens.first_row = std::min(rows.first, matrix.item_count() - lens.count);
    lens.first_column = std::min(columns.first, matrix.item_count() - lens.count);
    lens.caption = caption_of(matrix, lens, word, cell->text);
    lens.place = {area.x + kStrip, std::round(y + kCaption + kStrip), side, side};
    y = lens.place.bottom() + kBetween;
    lenses.push_back(std::move(lens));
  }
  return lenses;
}

void add_lens_frames(layout::Scene& scene, const layout::Theme& theme, const RouteMatrix& matrix,
                     std::span<const RouteLens> lenses) {
  constexpr double kLeastFrame = 18;  // Larger than a ring.
  layout::Polylines frames;
  layout::Boxes grounds;
  grounds.corner_radius_px = 3;
  layout::Labels labels;
  for (size_t i = 0; i < lenses.size(); ++i) {
    const RouteLens& lens = lenses[i];
    const auto& axis = matrix.axis();
    const auto span = [&](uint32_t first, double origin, double& begin, double& size) {
      const FoldedAxis::Slot& last = axis.place(first + lens.count - 1);
      begin = origin + axis.place(first).begin_px;
      size = origin + last.begin_px + last.size_px - begin;
      if (size >= kLeastFrame) return;
      begin -= (kLeastFrame - size) / 2;
      size = kLeastFrame;
    };
    Rect rect;
    span(lens.first_column, matrix.plot().x, rect.x, rect.w);
    span(lens.first_row, matrix.plot().y, rect.y, rect.h);
    frames.lines.push_back({.points = {{rect.x, rect.y},
                                       {rect.right(), rect.y},
                                       {rect.right(), rect.bottom()},
                                       {rect.x, rect.bottom()},
                                       {rect.x, rect.y}},
                            .stroke = theme.highlight,
                            .width_px = 1.5});
    grounds.add({rect.right() + 2, rect.y - 2, 12, 14}, theme.plot_background);
    labels.items.push_back({.text = fmt::format("{}", i + 1),
                            .at = {rect.right() + 4, rect.y + 5},
                            .color = theme.highlight,
                            .size_px = theme.small_size_px,
                            .baseline = layout::Baseline::kMiddle,
                            .weight = layout::Weight::kBold});
  }
  scene.layers.emplace_back(std::move(grounds));
  scene.layers.emplace_back(std::move(frames));
  scene.layers.emplace_back(std::move(labels));
}

void add_lens_ground(layout::Scene& scene, const layout::Theme& theme, const RouteMatrix& matrix,
                     const RouteLens& lens, size_t number,
                     std::span<const std::pair<uint32_t, uint32_t>> links) {
  layout::Boxes ground;
  ground.add(lens.place, theme.plot_background);
  layout::Labels labels;
  const double left = lens.place.x - kStrip;
  labels.items.push_back({.text = fmt::format("{}", number),
                          .at = {left, lens.place.y - kStrip - kCaption / 2},
                          .color = theme.highlight,
                          .size_px = theme.text_size_px,
                          .baseline = layout::Baseline::kMiddle,
                          .weight = layout::Weight::kBold});
  labels.items.push_back({.text = lens.caption,
                          .at = {left + 14, lens.place.y - kStrip - kCaption / 2},
                          .color = theme.text,
                          .size_px = theme.small_size_px,
                          .baseline = layout::Baseline::kMiddle,
                          .max_width_px = lens.place.w + kStrip - 14});
  add_strip(theme, matrix, lens, false, ground, labels);
  add_strip(theme, matrix, lens, true, ground, labels);
  for (const auto& [row, column] : links) {
    if (!contains(lens, row, column)) continue;
    ground.add(cell_of(lens, row, column), layout::mix(theme.plot_background, theme.other, 0.28));
  }
  scene.layers.emplace_back(std::move(ground));
  scene.layers.emplace_back(std::move(labels));
}

void add_lens_cells(layout::Scene& scene, const layout::Theme& theme, const RouteMatrix& matrix,
                    const RouteLens& lens, std::span<const LensCell> cells) {
  layout::Boxes boxes;
  for (const LensCell& cell : cells) {
    const uint32_t row = matrix.item_of_group(cell.from);
    const uint32_t column = matrix.item_of_group(cell.to);
    if (contains(lens, row, column)) boxes.add(cell_of(lens, row, column), cell.color);
  }
  scene.layers.emplace_back(std::move(boxes));
  layout::Polylines frame;
  const Rect& place = lens.place;
  frame.lines.push_back(
      {.points = {{place.x, place.y}, {place.right(), place.bottom()}}, .stroke = theme.grid});
  frame.lines.push_back({.points = {{place.x, place.y},
                                    {place.right(), place.y},
                                    {place.right(), place.bottom()},
                                    {place.x, place.bottom()},
                                    {place.x, place.y}},
                         .stroke = theme.axis});
  scene.layers.emplace_back(std::move(frame));
}

}  // namespace pathline::figure
