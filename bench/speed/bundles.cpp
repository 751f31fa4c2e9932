// SPDX-License-Identifier: BSD-3-Clause
//
// Pictures of messages, with the input in memory, on one thread, at 1920 x 1080 px: from the
// columns of messages to coloured pixels. Text, axes and the file are not in it.
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>
#include <cairo.h>

#include "bench/speed/archive.hpp"
#include "comm/matrix.hpp"
#include "figure/bundling.hpp"
#include "figure/figure.hpp"
#include "figure/timeline_messages.hpp"
#include "layout/theme.hpp"
#include "render/draw.hpp"
#include "render/raster.hpp"
#include "render/tone.hpp"

namespace pathline::bench {
namespace {

constexpr layout::Rect kPlot{0, 0, 1920, 1080};

layout::SegmentStyle style() {
  const layout::Gradient colors = layout::light_theme().messages;
  return {.begin = colors.begin, .end = colors.end};
}

/// What a timeline does with its messages.
void whole_run(benchmark::State& state, const char* shape, figure::Bundling mode) {
  const trace::Trace trace = read_trace(shape_archive(shape), 0);
  base::ThreadPool pool(1);
  const figure::TimeRange range = figure::visible_range(trace, {});
  const figure::Rows rows = figure::choose_rows(trace, {});
  const layout::Color background = layout::light_theme().background;
  for (auto unused : state) {
    const auto messages = figure::visible_messages(trace, rows, range, pool);
    layout::Segments lines =
        figure::message_lines(trace, messages, rows, range, kPlot, figure::Metric::kMessages, pool);
    lines.style = style();
    const figure::Bundled bundled =
        figure::bundle(std::move(lines), {rows.rows.size(), {}}, {.mode = mode}, pool);
    const layout::Density& density = *bundled.density;
    benchmark::DoNotOptimize(render::shade(
        density, style(), render::choose_opacity(density, style()), background, pool));
    state.SetLabel(bundled.mode);
  }
  state.counters["messages"] = static_cast<double>(trace.messages.size());
}

/// Peer: the same lines, one after the other, by cairo.
void lines_by_cairo(benchmark::State& state, const char* shape) {
  const trace::Trace trace = read_trace(shape_archive(shape), 0);
  base::ThreadPool pool(1);
  const figure::TimeRange range = figure::visible_range(trace, {});
  const figure::Rows rows = figure::choose_rows(trace, {});
  const auto messages = figure::visible_messages(trace, rows, range, pool);
  const layout::Segments lines =
      figure::message_lines(trace, messages, rows, range, kPlot, figure::Metric::kMessages, pool);
  for (auto unused : state) {
    cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 1920, 1080);
    cairo_t* cairo = cairo_create(surface);
    cairo_set_line_width(cairo, 1);
    cairo_set_source_rgba(cairo, 0.1, 0.4, 0.8, 0.05);
    for (size_t i = 0; i < lines.size(); ++i) {
      cairo_move_to(cairo, double{lines.x1[i]}, double{lines.y1[i]});
      cairo_line_to(cairo, double{lines.x2[i]}, double{lines.y2[i]});
      cairo_stroke(cairo);
    }
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
  }
}

/// Curves of about 50 px, each drawn by itself; in the order of time, as messages are.
void short_splines(benchmark::State& state) {
  constexpr size_t kCount = 2200000;
  std::mt19937 random(1);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  };
  layout::Segments segments;
  segments.clip = kPlot;
  segments.style = style();
  segments.curves.reserve(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    const double angle = uniform(0, 6.283);
    const layout::Point from{1920.0 * static_cast<double>(i) / kCount, uniform(0, 1080)};
    const layout::Point control{from.x + 25 * std::cos(angle), from.y + 25 * std::sin(angle)};
    const double bend = angle + uniform(-0.5, 0.5);
    segments.curves.add(
        from, control, {control.x + 25 * std::cos(bend), control.y + 25 * std::sin(bend)}, 0, 1, 1);
  }
  base::ThreadPool pool(1);
  for (auto unused : state) benchmark::DoNotOptimize(render::rasterize(segments, pool));
  state.counters["splines"] =
      benchmark::Counter(static_cast<double>(kCount) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

/// Another palette or opacity: nothing is drawn again.
void other_colors(benchmark::State& state) {
  const trace::Trace trace = read_trace(shape_archive("wrf"), 0);
  base::ThreadPool pool(1);
  const figure::TimeRange range = figure::visible_range(trace, {});
  const figure::Rows rows = figure::choose_rows(trace, {});
  const auto messages = figure::visible_messages(trace, rows, range, pool);
  const layout::Density density = render::rasterize(
      figure::message_lines(trace, messages, rows, range, kPlot, figure::Metric::kMessages, pool),
      pool);
  for (auto unused : state) {
    benchmark::DoNotOptimize(render::shade(density, style(),
                                           render::choose_opacity(density, style()),
                                           layout::light_theme().background, pool));
  }
}

/// The pictures of pairs, their text and axes included.
void pairs(benchmark::State& state, bool is_flow) {
  const trace::Trace trace = read_trace(fd4_archive(), 0);
  base::ThreadPool pool(1);
  const comm::Matrix matrix = comm::matrix(trace, {}, {}, pool);
  figure::Options options;
  options.width_px = kPlot.w;
  options.height_px = kPlot.h;
  for (auto unused : state) {
    const auto scene = is_flow ? figure::flow(trace, {}, matrix, options)
                               : figure::chord(trace, {}, matrix, options);
    benchmark::DoNotOptimize(render::draw(scene.value(), pool));
  }
  state.counters["pairs"] = static_cast<double>(matrix.traffic.entry_count());
}

BENCHMARK_CAPTURE(whole_run, wrf, "wrf", figure::Bundling::kAuto)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_run, fd4, "fd4", figure::Bundling::kAuto)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_run, tachyon, "tachyon", figure::Bundling::kAuto)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_run, wrf_by_grid, "wrf", figure::Bundling::kGrid)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(lines_by_cairo, wrf, "wrf")->Unit(benchmark::kMillisecond);
BENCHMARK(short_splines)->Unit(benchmark::kMillisecond);
BENCHMARK(other_colors)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pairs, flow, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pairs, chord, false)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pathline::bench
