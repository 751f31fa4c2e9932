// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/cause_marks.hpp"

#include <algorithm>
#include <utility>

#include "base/id_map.hpp"
#include "layout/text.hpp"
#include "trace/calls.hpp"
#include "trace/outer_calls.hpp"

namespace pathline::figure {
namespace {

constexpr size_t kMostCauses = 4;
constexpr size_t kMostOutlines = 48;   // of a cause
constexpr double kBridgedPx = 6;       // between spans of a row
constexpr double kLeastPx = 5;         // of an outline
constexpr double kLeastHeightPx = 18;  // in lower rows outlines of neighbours become one
constexpr double kLeastShare = 0.1;    // of the widest outline
constexpr double kCorePx = 2;
constexpr double kRimPx = 1.25;  // on either side
constexpr double kLetterPx = 11;
constexpr double kNameHeightPx = 16;
constexpr double kNamePadPx = 5;
constexpr double kNameGapPx = 4;
constexpr double kRemarkPx = 140;
// No region has it, nor has the critical path.
constexpr layout::Color kCore = layout::rgb(0xffffff);
constexpr layout::Color kRim = layout::rgb(0x101010);

/// Time of a location in a call path, inside of `range`.
std::vector<TimeRange> times_in_path(const trace::Trace& trace, uint32_t location,
                                     const std::vector<trace::CallClass>& classes,
                                     const std::vector<trace::Region>& path, TimeRange range) {
  std::vector<TimeRange> times;
  size_t depth = 0;   // Calls open, those of file I/O inside of the path left out.
  size_t shared = 0;  // Of them, from the outermost, those of the path.
  size_t io = 0;
  uint64_t since = 0;
  const auto& events = trace.locations[location].events;
  if (events.size() == 0) return times;
  since = events.ticks[0];
  const auto is_inside = [&] { return depth == path.size() && shared == depth; };
  const auto close = [&](uint64_t at) {
    if (!is_inside()) return;
    const TimeRange part{std::max(since, range.from), std::min(at, range.until)};
    if (part.from < part.until) times.push_back(part);
  };
  trace::walk_calls(
      trace.definitions, events,
      [&](trace::Region region, uint64_t at) {
        const bool is_io = region.valid() && classes[region] == trace::CallClass::kFileIo;
        if (io > 0 || (is_inside() && is_io)) {
          ++io;
          return;
        }
        close(at);
        if (shared == depth && depth < path.size() && path[depth] == region) ++shared;
        ++depth;
        since = at;
      },
      [&](uint64_t at) {
        if (io > 0) {
          --io;
          return;
        }
        close(at);
        --depth;
        shared = std::min(shared, depth);
        since = at;
      });
  return times;
}

/// The parts of ascending times that lie in a location's part of the critical path.
std::vector<TimeRange> on_path(const std::vector<TimeRange>& times,
                               const std::vector<TimeRange>& critical) {
  std::vector<TimeRange> parts;
  size_t next = 0;
  for (const TimeRange& time : times) {
    while (next < critical.size() && critical[next].until <= time.from) ++next;
    for (size_t i = next; i < critical.size() && critical[i].from < time.until; ++i) {
      parts.push_back(
          {std::max(time.from, critical[i].from), std::min(time.until, critical[i].until)});
    }
  }
  return parts;
}

using Rects = std::vector<layout::Rect>;

bool overlap(const layout::Rect& a, const layout::Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

layout::Rect joined(const layout::Rect& a, const layout::Rect& b) {
  const double x = std::min(a.x, b.x);
  const double y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

/// Outlines of a cause, in the order of its spans.
Rects outlines(const VisibleCause& cause, const Rows& rows, TimeRange range,
               const layout::Rect& plot, double scale, const RowPlaces* places) {
  const double x_scale = plot.w / static_cast<double>(range.until - range.from);
  const double row_px = plot.h / static_cast<double>(rows.rows.size());
  Rects in_rows;
  uint32_t last_row = base::IdMap::kNone;
  for (const CauseSpan& span : cause.spans) {
    layout::Rect rect{plot.x + static_cast<double>(span.time.from - range.from) * x_scale,
                      plot.y + span.row * row_px,
                      static_cast<double>(span.time.until - span.time.from) * x_scale, row_px};
    if (places != nullptr) {
      rect.y = plot.y + places->tops[span.row] / scale;
      rect.h = (places->tops[span.row + 1] - places->tops[span.row]) / scale;
    }
    if (span.row == last_row && rect.x - in_rows.back().right() < kBridgedPx) {
      in_rows.back().w = rect.right() - in_rows.back().x;
    } else {
      in_rows.push_back(rect);
    }
    last_row = span.row;
  }
  double widest = 0;
  for (const layout::Rect& rect : in_rows) widest = std::max(widest, rect.w);
  Rects found;
  for (layout::Rect rect : in_rows) {
    if (rect.w < kLeastShare * widest) continue;
    // What is too small to be seen gets room on both sides.
    const double wider = std::max(0.0, kLeastPx - rect.w) / 2;
    const double higher = std::max(0.0, kLeastHeightPx - rect.h) / 2;
    rect = {rect.x - wider, rect.y - higher, rect.w + 2 * wider, rect.h + 2 * higher};
    const auto near = std::find_if(found.rbegin(), found.rend(), [&](const layout::Rect& other) {
      return higher > 0 && rect.x < other.right() + kBridgedPx &&
             other.x < rect.right() + kBridgedPx && rect.y < other.bottom();
    });
    if (near != found.rend()) {
      *near = joined(*near, rect);
    } else {
      found.push_back(rect);
    }
  }
  if (found.size() > kMostOutlines) {
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.w > b.w; });
    found.resize(kMostOutlines);
  }
  return found;
}

}  // namespace

std::vector<VisibleCause> visible_causes(const trace::Trace& trace, const Causes& causes,
                                         const CriticalPath* critical, const Rows& rows,
                                         TimeRange range) {
  std::vector<VisibleCause> found;
  const auto classes = trace::call_classes(trace.definitions);
  for (const Cause& cause : causes) {
    if (found.size() == kMostCauses) break;
    const TimeRange part{std::max(cause.begin_ticks, range.from),
                         std::min(cause.end_ticks, range.until)};
    if (part.from >= part.until) continue;
    std::vector<std::vector<TimeRange>> path_of(trace.locations.size());
    if (cause.ranks.empty() && critical != nullptr) {
      for (const CriticalStretch& stretch : *critical) {
        if (stretch.begin_ticks >= part.until || stretch.end_ticks <= part.from) continue;
        path_of[stretch.location].push_back({stretch.begin_ticks, stretch.end_ticks});
      }
    }
    VisibleCause visible{&cause, {}};
    for (uint32_t row = 0; row < rows.rows.size(); ++row) {
      const uint32_t location = rows.rows[row].location;
      if (location == base::IdMap::kNone) continue;
      const uint32_t rank = trace.locations[location].rank;
      const bool is_asked = cause.ranks.empty() ? !path_of[location].empty()
                                                : rows.of_rank[rank] == row &&
                                                      std::binary_search(cause.ranks.begin(),
                                                                         cause.ranks.end(), rank);
      if (!is_asked) continue;
      std::vector<TimeRange> times = times_in_path(trace, location, classes, cause.path, part);
      if (cause.ranks.empty()) times = on_path(times, path_of[location]);
      for (const TimeRange& time : times) visible.spans.push_back({row, time});
    }
    const bool is_everywhere =
        cause.ranks.empty() && part.until - part.from > (range.until - range.from) / 2;
    if (!visible.spans.empty() || is_everywhere) found.push_back(std::move(visible));
  }
  return found;
}

std::vector<layout::LegendEntry> cause_legend(const std::vector<VisibleCause>& causes) {
  std::vector<layout::LegendEntry> entries;
  for (const VisibleCause& visible : causes) {
    entries.push_back(
        {.text = visible.cause->name,
         .color = visible.spans.empty() ? layout::kTransparent : kCore,
         .swatch = visible.spans.empty() ? layout::Swatch::kBox : layout::Swatch::kRimmedBox,
         .end_color = kRim,
         .value = layout::fit_text(visible.cause->remark, kRemarkPx, kLetterPx)});
  }
  return entries;
}

void add_cause_outlines(layout::Scene& scene, const std::vector<VisibleCause>& causes,
                        const Rows& rows, TimeRange range, const layout::Rect& plot,
                        const RowPlaces* places) {
  if (causes.empty()) return;
  layout::Polylines rims;
  layout::Polylines cores;
  for (const VisibleCause& cause : causes) {
    for (const layout::Rect& rect : outlines(cause, rows, range, plot, scene.scale, places)) {
      // Inside of the plot as a whole, also where the span is cut at its edge.
      const double edge = kCorePx / 2 + kRimPx;
      const double left = std::max(rect.x, plot.x + edge);
      const double right = std::min(rect.right(), plot.right() - edge);
      const double top = std::max(rect.y, plot.y) + edge;
      const double bottom = std::min(rect.bottom(), plot.bottom()) - edge;
      const double low = std::max(bottom, top + 1);
      layout::Polyline line{
          .points = {{left, top}, {right, top}, {right, low}, {left, low}, {left, top}},
          .stroke = kRim,
          .width_px = kCorePx + 2 * kRimPx,
          .clip = plot};
      // The corner where it begins is closed.
      line.points.push_back({left + 1, top});
      rims.lines.push_back(line);
      line.stroke = kCore;
      line.width_px = kCorePx;
      cores.lines.push_back(std::move(line));
    }
  }
  scene.layers.emplace_back(std::move(rims));
  scene.layers.emplace_back(std::move(cores));
}

void add_cause_names(layout::Scene& scene, const layout::Theme& theme,
                     const std::vector<VisibleCause>& causes, const Rows& rows, TimeRange range,
                     const layout::Rect& plot, const RowPlaces* places) {
  if (causes.empty()) return;
  std::vector<Rects> all;
  for (const VisibleCause& cause : causes) {
    all.push_back(outlines(cause, rows, range, plot, scene.scale, places));
  }
  layout::Boxes rims;
  layout::Boxes grounds;
  layout::Labels labels;
  Rects taken;
  for (size_t i = 0; i < causes.size(); ++i) {
    if (all[i].empty()) continue;
    const layout::Rect& at =
        *std::max_element(all[i].begin(), all[i].end(),
                          [](const auto& a, const auto& b) { return a.w * a.h < b.w * b.h; });
    const auto is_free = [&](const layout::Rect& place) {
      const auto covers = [&](const layout::Rect& other) { return overlap(place, other); };
      bool is_others = std::any_of(taken.begin(), taken.end(), covers);
      for (size_t j = 0; j < all.size(); ++j) {
        is_others = is_others || (j != i && std::any_of(all[j].begin(), all[j].end(), covers));
      }
      return !is_others && place.x >= plot.x && place.right() <= plot.right() &&
             place.y >= plot.y && place.bottom() <= plot.bottom();
    };
    const std::string& name = causes[i].cause->name;
    const std::string number = name.substr(0, name.find(' '));
    for (const std::string& text : {name, number}) {
      const double width = layout::text_width_px(text, kLetterPx) + 2 * kNamePadPx;
      const double in = kCorePx + 2 * kRimPx;
      std::vector<layout::Rect> candidates;
      const auto add = [&](double x, double y) {
        candidates.push_back({x, y, width, kNameHeightPx});
      };
      // Inside above the critical path, which runs in the middle of the row.
      if (at.w >= width + 2 * in && at.h >= 2 * (kNameHeightPx + in) + kNameGapPx) {
        add(at.x + in, at.y + in);
      }
      const double x = std::clamp(at.x, plot.x, std::max(plot.x, plot.right() - width));
      add(x, at.y - kNameHeightPx - 1);
      add(x, at.bottom() + 1);
      const double middle = at.y + (at.h - kNameHeightPx) / 2;
      add(at.right() + kNameGapPx, middle);
      add(at.x - width - kNameGapPx, middle);
      const auto place = std::find_if(candidates.begin(), candidates.end(), is_free);
      if (place == candidates.end()) continue;
      rims.add({place->x, place->y, place->w, place->h}, theme.text);
      grounds.add({place->x + 1, place->y + 1, place->w - 2, place->h - 2}, theme.background);
      labels.items.push_back({.text = text,
                              .at = {place->x + kNamePadPx, place->y + kNameHeightPx / 2},
                              .color = theme.text,
                              .size_px = kLetterPx,
                              .baseline = layout::Baseline::kMiddle});
      taken.push_back(*place);
      break;
    }
  }
  scene.layers.emplace_back(std::move(rims));
  scene.layers.emplace_back(std::move(grounds));
  scene.layers.emplace_back(std::move(labels));
}

}  // namespace pathline::figure
