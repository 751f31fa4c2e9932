// SPDX-License-Identifier: BSD-3-Clause
#include "render/draw.hpp"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/cpu_time.hpp"
#include "base/text.hpp"
#include "layout/text.hpp"
#include "render/canvas.hpp"
#include "render/raster.hpp"
#include "render/ribbons.hpp"
#include "render/tone.hpp"

namespace pathline::render {
namespace {

using layout::Boxes;
using layout::CellGrid;
using layout::DensityField;
using layout::Labels;
using layout::Layer;
using layout::Polylines;
using layout::Rect;
using layout::Ribbons;
using layout::Scene;
using layout::Segments;

constexpr size_t kMaxVectorCells = 8192;  // more are smaller as PNG

base::Error invalid(std::string message) {
  return {base::ErrorCode::kInvalidArgument, std::move(message)};
}

struct CheckColumns {
  base::Status operator()(const Boxes& boxes) const {
    const size_t count = boxes.x.size();
    if (boxes.y.size() == count && boxes.w.size() == count && boxes.h.size() == count &&
        boxes.color.size() == count) {
      return {};
    }
    return invalid("boxes with columns of different length");
  }
  base::Status operator()(const CellGrid& grid) const {
    const size_t count = static_cast<size_t>(grid.column_count) * grid.row_count;
    if (grid.cells.size() == count) return {};
    return invalid(fmt::format("a grid of {} x {} cells has {} colours", grid.column_count,
                               grid.row_count, grid.cells.size()));
  }
  base::Status operator()(const Segments& segments) const {
    const size_t count = segments.x1.size();
    if (segments.y1.size() == count && segments.x2.size() == count && segments.y2.size() == count &&
        (segments.weight.empty() || segments.weight.size() == count)) {
      return {};
    }
    return invalid("segments with columns of different length");
  }
  base::Status operator()(const DensityField& field) const {
    if (field.density != nullptr) return {};
    return invalid("a density field without a density");
  }
  base::Status operator()(const Ribbons& ribbons) const {
    const size_t count = ribbons.x1.size();
    for (const auto* column :
         {&ribbons.y1, &ribbons.cx, &ribbons.cy, &ribbons.x2, &ribbons.y2, &ribbons.half_width}) {
      if (column->size() != count) return invalid("ribbons with columns of different length");
    }
    if (ribbons.color.size() == count) return {};
    return invalid("ribbons with columns of different length");
  }
  base::Status operator()(const Polylines&) const { return {}; }
  base::Status operator()(const Labels&) const { return {}; }
};

base::Status check(const Scene& scene) {
  for (const double side : {scene.width_px, scene.height_px}) {
    if (!(side >= 1 && side <= kMaxRasterSide)) {
      return invalid(fmt::format("a picture of {} x {} px cannot be drawn (1 to {} per side)",
                                 scene.width_px, scene.height_px, kMaxRasterSide));
    }
  }
  for (const Layer& layer : scene.layers) {
    if (auto status = std::visit(CheckColumns{}, layer); !status.ok()) return status;
  }
  return {};
}

/// Whole pixels, and never nothing of something.
Boxes snapped(const Boxes& boxes) {
  Boxes result = boxes;
  const auto snap = [](float& from, float& length) {
    if (!(length > 0)) return;
    const float begin = std::round(from);
    length = std::max(1.0F, std::round(from + length) - begin);
    from = begin;
  };
  for (size_t i = 0; i < result.x.size(); ++i) {
    snap(result.x[i], result.w[i]);
    snap(result.y[i], result.h[i]);
  }
  return result;
}

/// Runs of one colour as boxes.
Boxes cell_boxes(const CellGrid& grid) {
  Boxes boxes;
  boxes.snap = false;
  const double cell_width = grid.area.w / grid.column_count;
  const double cell_height = grid.area.h / grid.row_count;
  const double height = cell_height - std::min(grid.row_gap_px, cell_height / 2);
  for (uint32_t row = 0; row < grid.row_count && boxes.x.size() <= kMaxVectorCells; ++row) {
    const layout::Color* cells = &grid.cells[static_cast<size_t>(row) * grid.column_count];
    for (uint32_t begin = 0; begin < grid.column_count;) {
      uint32_t end = begin + 1;
      while (end < grid.column_count && cells[end] == cells[begin]) ++end;
      if (cells[begin].a != 0) {
        boxes.add({grid.area.x + begin * cell_width, grid.area.y + row * cell_height,
                   (end - begin) * cell_width, height},
                  cells[begin]);
      }
      begin = end;
    }
  }
  return boxes;
}

/// For each pixel from `first_px` on, the cell that holds its centre; -1 in a gap.
std::vector<int32_t> cells_of_pixels(double origin, double length, uint32_t cell_count, double gap,
                                     double first_px, size_t pixel_count) {
  std::vector<int32_t> cells(pixel_count);
  const double size = length / cell_count;
  const double filled = size - std::min(gap, size / 2);
  for (size_t i = 0; i < pixel_count; ++i) {
    const double at = first_px + static_cast<double>(i) + 0.5 - origin;
    const double cell = std::clamp(std::floor(at / size), 0.0, cell_count - 1.0);
    cells[i] = at - cell * size > filled ? -1 : static_cast<int32_t>(cell);
  }
  return cells;
}

void draw_cells(const CellGrid& grid, const Scene& scene, Canvas& canvas) {
  if (grid.cells.empty() || !(grid.area.w > 0 && grid.area.h > 0)) return;
  if (canvas.is_vector()) {
    const Boxes boxes = cell_boxes(grid);
    if (boxes.x.size() <= kMaxVectorCells) {
      canvas.boxes(boxes);
      return;
    }
  }
  const Rect& area = grid.area;
  const double left = std::clamp(std::round(area.x), 0.0, std::round(scene.width_px));
  const double right = std::clamp(std::round(area.right()), left, std::round(scene.width_px));
  const double top = std::clamp(std::round(area.y), 0.0, std::round(scene.height_px));
  const double bottom = std::clamp(std::round(area.bottom()), top, std::round(scene.height_px));
  Image image{static_cast<uint32_t>(right - left), static_cast<uint32_t>(bottom - top), {}};
  if (image.width == 0 || image.height == 0) return;
  const auto columns = cells_of_pixels(area.x, area.w, grid.column_count, 0, left, image.width);
  const auto rows =
      cells_of_pixels(area.y, area.h, grid.row_count, grid.row_gap_px, top, image.height);
  image.rgba.resize(size_t{4} * image.width * image.height);
  uint8_t* pixel = image.rgba.data();
  for (const int32_t row : rows) {
    if (row < 0) {
      pixel += size_t{4} * image.width;
      continue;
    }
    const layout::Color* cells = &grid.cells[static_cast<size_t>(row) * grid.column_count];
    for (const int32_t column : columns) {
      const layout::Color& color = cells[column];
      *pixel++ = color.r;
      *pixel++ = color.g;
      *pixel++ = color.b;
      *pixel++ = color.a;
    }
  }
  canvas.image(image, left, top);
}

/// The opacity to draw with, noted among the statistics.
Opacity opacity_of(const layout::Density& density, const layout::SegmentStyle& style,
                   DrawStats& stats) {
  const Opacity opacity = choose_opacity(density, style);
  stats.segment_count += density.line_count;
  stats.rejected_segment_count += density.rejected_count;
  stats.opacity = opacity.opacity;
  return opacity;
}

void draw_density(const layout::Density& density, const layout::SegmentStyle& style, double x,
                  double y, const Scene& scene, base::ThreadPool& pool, Canvas& canvas,
                  DrawStats& stats) {
  const Image image =
      shade(density, style, opacity_of(density, style, stats), scene.background, pool);
  if (image.width > 0) canvas.image(image, x, y);
}

void draw_segments(const Segments& segments, const Scene& scene, base::ThreadPool& pool,
                   Canvas& canvas, DrawStats& stats) {
  const double x = std::floor(segments.clip.x);
  const double y = std::floor(segments.clip.y);
  const bool is_wide = std::lround(segments.style.width_px) > 1;
  if (is_wide) {
    draw_segments(layout::widened(segments), scene, pool, canvas, stats);
    return;
  }
  const layout::Density density = rasterize(segments, pool);
  if (segments.style.blend != layout::Blend::kOver) {
    draw_density(density, segments.style, x, y, scene, pool, canvas, stats);
    return;
  }
  const Image image = paint_over(segments, opacity_of(density, segments.style, stats));
  if (image.width > 0) canvas.image(image, x, y);
}

void draw_ribbons(const Ribbons& ribbons, const Scene& scene, base::ThreadPool& pool,
                  Canvas& canvas, DrawStats& stats) {
  if (canvas.is_vector()) return canvas.ribbons(ribbons);
  const double begin_ms = base::cpu_time_ms();
  // Beyond the picture there is nothing to paint.
  Ribbons shown = ribbons;
  shown.clip.x = std::max(0.0, ribbons.clip.x);
  shown.clip.y = std::max(0.0, ribbons.clip.y);
  shown.clip.w = std::min(scene.width_px, ribbons.clip.right()) - shown.clip.x;
  shown.clip.h = std::min(scene.height_px, ribbons.clip.bottom()) - shown.clip.y;
  const Image image = paint_ribbons(shown, pool);
  stats.raster_cpu_ms += base::cpu_time_ms() - begin_ms;
  if (image.width == 0 || image.height == 0) return;
  canvas.image(image, std::floor(shown.clip.x), std::floor(shown.clip.y));
}

void draw_label(const layout::Label& label, Canvas& canvas) {
  layout::Label final_label = label;
  final_label.text = base::printable(label.text);
  if (label.max_width_px) {
    final_label.text =
        layout::fit_text(final_label.text, *label.max_width_px, label.size_px, label.weight);
  }
  if (!final_label.text.empty()) canvas.label(final_label);
}

DrawStats paint(const Scene& scene, base::ThreadPool& pool, Canvas& canvas) {
  DrawStats stats;
  for (const Layer& layer : scene.layers) {
    if (const auto* boxes = std::get_if<Boxes>(&layer)) {
      canvas.boxes(boxes->snap ? snapped(*boxes) : *boxes);
    } else if (const auto* grid = std::get_if<CellGrid>(&layer)) {
      draw_cells(*grid, scene, canvas);
    } else if (const auto* segments = std::get_if<Segments>(&layer)) {
      const double begin_ms = base::cpu_time_ms();
      draw_segments(*segments, scene, pool, canvas, stats);
      stats.raster_cpu_ms += base::cpu_time_ms() - begin_ms;
    } else if (const auto* field = std::get_if<DensityField>(&layer)) {
      const double begin_ms = base::cpu_time_ms();
      draw_density(*field->density, field->style, std::floor(field->x), std::floor(field->y), scene,
                   pool, canvas, stats);
      stats.raster_cpu_ms += base::cpu_time_ms() - begin_ms;
    } else if (const auto* ribbons = std::get_if<Ribbons>(&layer)) {
      draw_ribbons(*ribbons, scene, pool, canvas, stats);
    } else if (const auto* polylines = std::get_if<Polylines>(&layer)) {
      for (const layout::Polyline& line : polylines->lines) canvas.polyline(line);
    } else if (const auto* labels = std::get_if<Labels>(&layer)) {
      for (const layout::Label& label : labels->items) draw_label(label, canvas);
    }
  }
  return stats;
}

}  // namespace

double baseline_offset_px(const layout::Label& label) {
  switch (label.baseline) {
    case layout::Baseline::kTop: return layout::kAscent * label.size_px;
    case layout::Baseline::kMiddle: return layout::kCapHeight / 2 * label.size_px;
    case layout::Baseline::kBottom: return -layout::kDescent * label.size_px;
    case layout::Baseline::kAlphabetic: break;
  }
  return 0;
}

base::Result<Image> draw(const Scene& scene, base::ThreadPool& pool, DrawStats* stats) {
  if (scene.scale != 1) return draw(layout::scaled(scene), pool, stats);
  if (auto status = check(scene); !status.ok()) return status.error();
  const auto canvas = make_pixel_canvas(scene);
  const DrawStats result = paint(scene, pool, *canvas);
  if (stats != nullptr) *stats = result;
  return canvas->finish();
}

base::Result<std::string> draw_svg(const Scene& scene, base::ThreadPool& pool, DrawStats* stats) {
  if (scene.scale != 1) return draw_svg(layout::scaled(scene), pool, stats);
  if (auto status = check(scene); !status.ok()) return status.error();
  const auto canvas = make_svg_canvas(scene);
  const DrawStats result = paint(scene, pool, *canvas);
  if (stats != nullptr) *stats = result;
  return canvas->finish();
}

}  // namespace pathline::render
