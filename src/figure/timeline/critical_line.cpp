// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/critical_line.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/id_map.hpp"
#include "base/text.hpp"
#include "layout/text.hpp"
#include "trace/calls.hpp"

namespace pathline::figure {
namespace {

// On greens and blues of the program, on amber and reds of MPI and on violet alike.
constexpr layout::Color kCore = layout::rgb(0xffea00);
constexpr layout::Color kRim = layout::rgb(0x101010);
constexpr double kAlongPx = 3;
constexpr double kAcrossPx = 1.5;
constexpr double kRimPx = 1.25;    // on either side
constexpr double kLeastPx = 0.05;  // of a stretch that no connector leads to
constexpr size_t kNamed = 2;       // regions in the legend
constexpr double kNamePx = 100;
constexpr double kValuePx = 145;  // that do not cut "critical path"
constexpr double kLetterPx = 11;

TimeRange clipped(const CriticalStretch& stretch, TimeRange range) {
  return {std::max(stretch.begin_ticks, range.from), std::min(stretch.end_ticks, range.until)};
}

/// Ticks of the innermost calls of a location in ascending parts of its time.
void add_calls(const trace::Trace& trace, uint32_t location, const std::vector<TimeRange>& parts,
               std::map<trace::Region, uint64_t>& ticks) {
  std::vector<trace::Region> open;
  size_t part = 0;
  uint64_t since = 0;
  const auto charge = [&](uint64_t until) {
    for (; part < parts.size(); ++part) {
      const uint64_t from = std::max(since, parts[part].from);
      const uint64_t end = std::min(until, parts[part].until);
      if (from < end && !open.empty()) ticks[open.back()] += end - from;
      if (parts[part].until > until) break;
    }
    since = until;
  };
  trace::walk_calls(
      trace.definitions, trace.locations[location].events,
      [&](trace::Region region, uint64_t at) {
        charge(at);
        open.push_back(region);
      },
      [&](uint64_t at) {
        charge(at);
        open.pop_back();
      });
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

/// Rules of one kind, all rims below all cores.
class Rules {
 public:
  void add(layout::Point from, layout::Point to, double width_px) {
    // Along a row ends stand out by half the width, so that corners are closed.
    const bool is_along = from.y == to.y;
    const double more = (kAlongPx - 1) / 2;
    const auto longer = [&](double px) {
      return is_along ? std::vector<layout::Point>{{from.x - more - px, from.y},
                                                   {to.x + more + px, to.y}}
                      : std::vector<layout::Point>{{from.x, from.y - px}, {to.x, to.y + px}};
    };
    rims_.lines.push_back(
        {.points = longer(kRimPx), .stroke = kRim, .width_px = width_px + 2 * kRimPx});
    cores_.lines.push_back({.points = longer(0), .stroke = kCore, .width_px = width_px});
  }
  void add_to(layout::Scene& scene, const layout::Rect& clip) {
    for (layout::Polylines* lines : {&rims_, &cores_}) {
      for (layout::Polyline& line : lines->lines) line.clip = clip;
      scene.layers.emplace_back(std::move(*lines));
    }
  }

 private:
  layout::Polylines rims_;
  layout::Polylines cores_;
};

}  // namespace

CriticalShares critical_shares(const trace::Trace& trace, const CriticalPath& path,
                               const Rows& rows, TimeRange range) {
  std::map<uint32_t, std::vector<TimeRange>> parts;
  uint64_t all = 0;
  uint64_t hidden = 0;
  for (const CriticalStretch& stretch : path) {
    const TimeRange part = clipped(stretch, range);
    if (part.from >= part.until) continue;
    all += part.until - part.from;
    if (rows.of_location[stretch.location] == base::IdMap::kNone) {
      hidden += part.until - part.from;
    } else {
      parts[stretch.location].push_back(part);
    }
  }
  CriticalShares shares;
  if (all == 0) return shares;
  shares.any = true;
  shares.hidden = static_cast<double>(hidden) / static_cast<double>(all);
  std::map<trace::Region, uint64_t> ticks;
  for (const auto& [location, of_location] : parts) {
    add_calls(trace, location, of_location, ticks);
  }
  for (const auto& [region, of_region] : ticks) {
    shares.regions.emplace_back(region, static_cast<double>(of_region) / static_cast<double>(all));
  }
  std::stable_sort(shares.regions.begin(), shares.regions.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return shares;
}

std::vector<layout::LegendEntry> critical_legend(const trace::Trace& trace,
                                                 const CriticalPath& path, const Rows& rows,
                                                 TimeRange range) {
  const CriticalShares shares = critical_shares(trace, path, rows, range);
  std::string text = shares.any ? "" : "not in the time shown";
  for (size_t i = 0; i < std::min(kNamed, shares.regions.size()); ++i) {
    const auto& [region, share] = shares.regions[i];
    const std::string name =
        region.valid() ? base::printable(trace.definitions.regions[region].name) : "unknown";
    const std::string more =
        fmt::format("{}{} {}", i > 0 ? ", " : "", layout::fit_text_middle(name, kNamePx, kLetterPx),
                    percent(share));
    const bool fits = layout::text_width_px(text + more, kLetterPx) <= kValuePx;
    if (i > 0 && (share < 0.01 || !fits)) break;
    text += more;
  }
  std::vector<layout::LegendEntry> entries = {{.text = "critical path",
                                               .color = kCore,
                                               .swatch = layout::Swatch::kRimmedLine,
                                               .end_color = kRim,
                                               .value = text}};
  if (shares.hidden >= 0.005) {  // Else it would be 0 %.
    entries.push_back({.text = percent(shares.hidden) + " of it on ranks not shown",
                       .color = layout::kTransparent});
  }
  return entries;
}

void add_critical_line(layout::Scene& scene, const CriticalPath& path, const Rows& rows,
                       TimeRange range, const layout::Rect& plot, const RowPlaces* places) {
  const double x_scale = plot.w / static_cast<double>(range.until - range.from);
  const auto x_of = [&](uint64_t ticks) {
    return plot.x + static_cast<double>(ticks - range.from) * x_scale;
  };
  const auto y_of = [&](uint32_t row) {
    if (places == nullptr) {
      return plot.y + (row + 0.5) * plot.h / static_cast<double>(rows.rows.size());
    }
    const double sum = places->tops[row] + places->tops[row + 1];
    return plot.y + sum / 2 / scene.scale;
  };
  struct Across {
    double x;
    double low;
    double high;
  };
  struct Along {
    double begin;
    double end;
    double y;
  };
  std::vector<Across> across;
  std::vector<Along> along;
  std::optional<double> last_y;
  for (const CriticalStretch& stretch : path) {
    const TimeRange part = clipped(stretch, range);
    if (part.from >= part.until) continue;
    const uint32_t row = rows.of_location[stretch.location];
    if (row == base::IdMap::kNone) {
      last_y.reset();
      continue;
    }
    const double begin = x_of(part.from);
    const double end = x_of(part.until);
    const double y = y_of(row);
    const bool jumps = last_y && *last_y != y;
    if (jumps) {
      const auto [low, high] = std::minmax(*last_y, y);
      const bool is_same_column = !across.empty() && std::floor(across.back().x * scene.scale) ==
                                                         std::floor(begin * scene.scale);
      if (is_same_column) {
        across.back().low = std::min(across.back().low, low);
        across.back().high = std::max(across.back().high, high);
      } else {
        across.push_back({begin, low, high});
      }
    }
    last_y = y;
    const double pixel = 1 / scene.scale;
    if (!along.empty() && along.back().y == y && begin - along.back().end < pixel) {
      along.back().end = end;
    } else if (end - begin >= (jumps ? pixel / 2 : kLeastPx)) {
      along.push_back({begin, end, y});
    }
  }
  Rules rules;
  for (const Across& line : across) rules.add({line.x, line.low}, {line.x, line.high}, kAcrossPx);
  for (const Along& line : along) rules.add({line.begin, line.y}, {line.end, line.y}, kAlongPx);
  rules.add_to(scene, plot);
}

}  // namespace pathline::figure
