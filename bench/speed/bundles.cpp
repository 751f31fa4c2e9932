// SPDX-License-Identifier: BSD-3-Clause
//
// Pictures of messages, with the input in memory, on one thread, at 1920 x 1080 px: from the
// columns of messages to coloured pixels. Text, axes and the file are not in it.
#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>
#include <cairo.h>

#include "bench/speed/archive.hpp"
#include "bundle/bundling.hpp"
#include "comm/matrix.hpp"
#include "figure/figure.hpp"
#include "figure/timeline/messages.hpp"
#include "layout/theme.hpp"
#include "pyramid/pyramid.hpp"
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
void whole_run(benchmark::State& state, const char* shape, bundle::Bundling mode) {
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
    const bundle::Bundled bundled =
        bundle::bundle_lines(std::move(lines), {rows.rows.size(), {}}, {.mode = mode}, pool);
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

/// Messages of a program like fd4 and of any length, as columns; made once.
struct ManyMessages {
  std::vector<uint64_t> send;
  std::vector<uint64_t> recv;
  std::vector<uint32_t> from;
  std::vector<uint32_t> to;
};

constexpr uint32_t kRows = 1024;

/// Every rank sends to 8 partners in a burst of 50 ms every 2 s; a message is 5 us to 20 ms under
/// way, one in a hundred goes anywhere.
ManyMessages many_messages(size_t count) {
  ManyMessages messages;
  std::mt19937_64 random(3);
  constexpr size_t kPerStep = size_t{kRows} * 8;
  constexpr std::array<uint32_t, 8> kPartners = {1,  kRows - 1,  32, kRows - 32,
                                                 33, kRows - 33, 31, kRows - 31};
  std::vector<std::array<uint64_t, 4>> step(kPerStep);
  for (size_t i = 0; messages.send.size() < count; ++i) {
    for (size_t k = 0; k < kPerStep; ++k) {
      const auto from = static_cast<uint32_t>(k / 8);
      const uint64_t dice = random();
      const uint32_t to = dice % 100 == 0 ? static_cast<uint32_t>(dice >> 40) % kRows
                                          : (from + kPartners[k % 8]) % kRows;
      const uint64_t send = i * 2000000000 + (dice >> 8) % 50000000;
      const double exponent = 12 * static_cast<double>((dice >> 16) % 4096) / 4096;
      step[k] = {send, send + static_cast<uint64_t>(5000 * std::exp2(exponent)), from, to};
    }
    std::sort(step.begin(), step.end());
    for (const auto& [send, recv, from, to] : step) {
      messages.send.push_back(send);
      messages.recv.push_back(recv);
      messages.from.push_back(static_cast<uint32_t>(from));
      messages.to.push_back(static_cast<uint32_t>(to));
    }
  }
  return messages;
}

/// Zooms into a run of many messages: from the pyramid to coloured pixels, bundled if that is good.
/// One iteration is one view; their medians and worst are counters, in CPU milliseconds.
void zoom(benchmark::State& state) {
  const ManyMessages messages = many_messages(static_cast<size_t>(state.range(0)));
  base::ThreadPool pool(1);
  const clock_t begin = std::clock();
  const auto pyramid = pyramid::MessagePyramid::build(
      {messages.send, messages.recv, messages.from, messages.to, {}, kRows}, {}, pool);
  state.counters["build-ns/message"] = 1e9 * static_cast<double>(std::clock() - begin) /
                                       CLOCKS_PER_SEC / static_cast<double>(messages.send.size());
  state.counters["bytes/message"] =
      static_cast<double>(pyramid.size_bytes()) / static_cast<double>(messages.send.size());
  std::mt19937_64 random(7);
  pyramid::MessageRecords records;
  std::vector<double> times_ms;
  double bundled_count = 0;
  const auto end = static_cast<double>(messages.recv.back());
  for (auto unused : state) {
    // From the whole run to a hundred thousandth of it.
    const double share = std::pow(10, -5 * static_cast<double>(random() % 1000) / 1000);
    const double from = (1 - share) * end * static_cast<double>(random() % 1000) / 1000;
    const figure::TimeRange range{static_cast<uint64_t>(from),
                                  static_cast<uint64_t>(from + share * end) + 1};
    const clock_t start = std::clock();
    pyramid.query({.from_ticks = range.from, .until_ticks = range.until}, records);
    layout::Segments lines = figure::record_lines(records, range, 0, kRows, kPlot);
    lines.style = style();
    const bundle::Bundled bundled = bundle::bundle_lines(std::move(lines), {kRows, {}}, {}, pool);
    if (bundled.density != nullptr) {
      benchmark::DoNotOptimize(render::shade(*bundled.density, style(),
                                             render::choose_opacity(*bundled.density, style()),
                                             layout::light_theme().background, pool));
    }
    times_ms.push_back(1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    bundled_count += bundled.mode == "phases" ? 1 : 0;
  }
  std::sort(times_ms.begin(), times_ms.end());
  state.counters["median-ms"] = times_ms[times_ms.size() / 2];
  state.counters["p99-ms"] = times_ms[times_ms.size() * 99 / 100];
  state.counters["bundled"] = bundled_count / static_cast<double>(times_ms.size());
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

BENCHMARK_CAPTURE(whole_run, wrf, "wrf", bundle::Bundling::kAuto)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_run, fd4, "fd4", bundle::Bundling::kAuto)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_run, tachyon, "tachyon", bundle::Bundling::kAuto)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_run, wrf_by_grid, "wrf", bundle::Bundling::kGrid)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(lines_by_cairo, wrf, "wrf")->Unit(benchmark::kMillisecond);
BENCHMARK(short_splines)->Unit(benchmark::kMillisecond);
BENCHMARK(other_colors)->Unit(benchmark::kMillisecond);
BENCHMARK(zoom)
    ->Arg(2200000)
    ->Arg(100000000)
    ->ArgName("messages")
    ->Iterations(100)
    ->Repetitions(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pairs, flow, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pairs, chord, false)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pathline::bench
