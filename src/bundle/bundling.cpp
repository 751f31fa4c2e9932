// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/bundling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/choice.hpp"
#include "base/cpu_time.hpp"
#include "bundle/grid_router.hpp"
#include "bundle/hierarchy_router.hpp"
#include "bundle/ink_profile.hpp"
#include "bundle/phase_router.hpp"
#include "bundle/quadtree_router.hpp"
#include "bundle/raster_quality.hpp"
#include "bundle/sample.hpp"
#include "bundle/shape.hpp"
#include "bundle/superpose.hpp"
#include "render/raster.hpp"

namespace pathline::bundle {
namespace {

using layout::Segments;

// What auto asks of a picture of bundles.
constexpr double kMaxInk = 0.6;
constexpr double kMaxDetour = 1.1;
constexpr double kMinFidelity = 0.9;

constexpr std::array<double, 7> kColumnWidths = {32, 24, 16, 12, 8, 6, 4};
// px between the nodes of a column: so close that level trunks are near the rows of their messages
// and show no raster of their own. Fewer, at borders that few messages cross, saved next to
// nothing.
constexpr std::array<double, 2> kRowGaps = {6, 12};
constexpr double kProfileGap = 24;
constexpr double kFewPerPixel = 0.03;  // messages: so few are told apart better as lines
constexpr size_t kMaxTries = 1;        // whole pictures of bundles that are drawn to be judged
constexpr double kHopefulInk = 0.6;    // of the parts
constexpr double kHopelessInk = 0.75;  // no other columns or rows will help
constexpr size_t kTypicalMessages = 150000;
constexpr size_t kJudgedMessages = 512;  // enough for a mean within some per cent
constexpr size_t kMeasuredMessages = 200000;

double ambiguity(const std::vector<Segments>& parts, const Router* router,
                 const layout::Spline& spline) {
  double sum = 0;
  for (const Segments& part : parts) sum += ambiguity(part, router, spline);
  return sum / static_cast<double>(parts.size());
}

void take_shape(const Shape& shape, BundleQuality& quality) {
  quality.detour_mean = shape.detour_mean;
  quality.detour_p95 = shape.detour_p95;
  quality.detour_max = shape.detour_max;
  quality.displacement_px = shape.displacement_px;
  quality.reversal = shape.reversal;
}

/// On the pixels of the finished picture.
layout::Density rasterize(const Segments& segments, double scale, base::ThreadPool& pool) {
  if (scale == 1 && std::lround(segments.style.width_px) <= 1) {
    return render::rasterize(segments, pool);
  }
  return render::rasterize(layout::widened(layout::scaled(segments, scale)), pool);
}

std::shared_ptr<const layout::Density> density_of(const Segments& segments, double scale,
                                                  base::ThreadPool& pool) {
  return std::make_shared<const layout::Density>(rasterize(segments, scale, pool));
}

/// Of curves, which were made without the lines that cannot be drawn: `straight` has counted them.
std::shared_ptr<const layout::Density> density_of(const Segments& curves, double scale,
                                                  const layout::Density& straight,
                                                  base::ThreadPool& pool) {
  layout::Density density = rasterize(curves, scale, pool);
  density.rejected_count += straight.rejected_count;
  return std::make_shared<const layout::Density>(std::move(density));
}

/// Straight lines, as they are.
void stay_straight(Segments lines, double scale, Bundled& result, base::ThreadPool& pool) {
  base::CpuStopwatch clock;
  const bool is_asked_for = result.mode == "none";
  if (is_asked_for || lines.style.blend == layout::Blend::kOver) {
    result.segments = std::move(lines);
  } else if (result.density == nullptr) {
    result.density = density_of(lines, scale, pool);
  }
  result.raster_ms += clock.lap_ms();
}

bool is_good(const BundleQuality& quality) {
  return quality.ink_ratio <= kMaxInk && quality.detour_mean <= kMaxDetour &&
         quality.phase_fidelity >= kMinFidelity && quality.ambiguity <= quality.ambiguity_straight;
}

/// Narrower columns may turn out to be the same ones, but for those outside the picture.
std::vector<double> edges_within(const std::vector<Band>& columns, const layout::Rect& clip) {
  std::vector<double> edges;
  for (const Band& column : columns) {
    if (column.begin >= clip.x && column.begin < clip.right()) edges.push_back(column.begin);
  }
  return edges;
}

/// What one choice of columns and rows gives.
struct Candidate {
  std::unique_ptr<PhaseRouter> router;
  BundleQuality quality;
  Segments curves;
  std::shared_ptr<const layout::Density> density;
};

/// Columns that follow the phases, the widest that may be believed; false when there are none.
class PhaseSearch {
 public:
  PhaseSearch(const Segments& lines, const RowBands& rows, const BundleOptions& options,
              const layout::Density& straight, base::ThreadPool& pool)
      : lines_(lines),
        rows_(rows),
        straight_(straight),
        pool_(pool),
        scale_(options.scale),
        spline_{options.degree, options.beta.value_or(1.0)},
        sample_(lines.size() > 2 * kTypicalMessages ? sample(lines, kTypicalMessages) : Segments{}),
        typical_(lines.size() > 2 * kTypicalMessages ? sample_ : lines),
        judged_(sample(typical_, kJudgedMessages)) {}

  bool run(Bundled& result) {
    if (static_cast<double>(lines_.size()) < kFewPerPixel * lines_.clip.w * lines_.clip.h) {
      result.reason = "so few messages are told apart better as lines";
      return false;
    }
    ends_ = count_ends(typical_);
    const InkProfile profile = ink_profile(
        typical_, BandIndex(row_bands(rows_, lines_.clip.y, lines_.clip.h, kProfileGap)));
    const double period = dominant_period_px(profile);
    bundle_ms_ += clock_.lap_ms();
    reason_ = "bundles would not show the phases of the program";
    for (const double width : kColumnWidths) {
      if (period > 0 && period < 2 * width) {
        reason_ = "the program repeats itself too quickly for columns of their own";
        continue;
      }
      const std::vector<Band> columns = phase_columns(ends_, width);
      std::vector<double> edges = edges_within(columns, lines_.clip);
      if (edges == tried_edges_) continue;
      if (expected_fidelity(profile, columns, lines_.clip.x) < kMinFidelity) continue;
      std::optional<Candidate> best = best_of(columns);
      tried_edges_ = std::move(edges);
      if (best && draw(*best)) {
        accept(std::move(*best), width, result);
        break;
      }
      if (is_hopeless_ || tries_ >= kMaxTries) break;
    }
    result.bundle_ms += bundle_ms_ + clock_.lap_ms();
    result.raster_ms += raster_ms_;
    if (result.router == nullptr) result.reason = reason_;
    return result.router != nullptr;
  }

 private:
  /// The most promising with these columns, as far as parts of the picture can tell.
  std::optional<Candidate> best_of(const std::vector<Band>& columns) {
    std::optional<Candidate> best;
    is_hopeless_ = true;
    for (const double gap : kRowGaps) {
      Candidate candidate;
      candidate.router = std::make_unique<PhaseRouter>(
          columns, row_bands(rows_, lines_.clip.y, lines_.clip.h, gap));
      if (!is_promising(candidate)) continue;
      if (!best || candidate.quality.score() > best->quality.score()) best = std::move(candidate);
    }
    return best;
  }

  bool is_promising(Candidate& candidate) {
    BundleQuality& quality = candidate.quality;
    take_shape(measure_shape(judged_, *candidate.router, spline_, pool_), quality);
    if (quality.detour_mean > kMaxDetour) {
      is_hopeless_ = false;
      reason_ = "bundles would be long ways round";
      return false;
    }
    quality.ink_ratio = expected_ink(*candidate.router);
    if (quality.ink_ratio <= kHopelessInk) is_hopeless_ = false;
    if (quality.ink_ratio > kHopefulInk) {
      reason_ = "bundles would cover hardly less than the lines do";
      return false;
    }
    if (!ambiguity_straight_) ambiguity_straight_ = ambiguity(parts(), nullptr, spline_);
    quality.ambiguity = ambiguity(parts(), candidate.router.get(), spline_);
    quality.ambiguity_straight = *ambiguity_straight_;
    if (quality.ambiguity > quality.ambiguity_straight) {
      reason_ = "bundles would join what does not belong together";
      return false;
    }
    return true;
  }

  /// The whole picture. returns whether it is as good as the parts promised.
  bool draw(Candidate& candidate) {
    ++tries_;
    candidate.curves = curves_of(lines_, *candidate.router);
    bundle_ms_ += clock_.lap_ms();
    candidate.density = density_of(candidate.curves, scale_, straight_, pool_);
    BundleQuality& quality = candidate.quality;
    quality.ink_ratio = ink_ratio(*candidate.density, straight_);
    quality.phase_fidelity = phase_fidelity(*candidate.density, straight_);
    raster_ms_ += clock_.lap_ms();
    if (is_good(quality)) return true;
    reason_ = quality.phase_fidelity < kMinFidelity
                  ? "bundles would not show the phases of the program"
                  : "bundles would cover hardly less than the lines do";
    return false;
  }

  const std::vector<Segments>& parts() {
    if (parts_.empty()) parts_ = typical_parts(lines_, ends_, kRowGaps.back());
    return parts_;
  }

  Segments curves_of(const Segments& lines, const PhaseRouter& router) const {
    const bool shares_pieces =
        spline_.degree == 2 && spline_.beta == 1 && lines_.style.blend != layout::Blend::kOver;
    return shares_pieces ? superpose(lines, router) : draw_each(lines, router, spline_);
  }

  /// The ink ratio of the parts.
  double expected_ink(const PhaseRouter& router) {
    InkCount ink;
    for (size_t i = 0; i < parts().size(); ++i) {
      if (part_densities_.size() <= i) {
        part_densities_.push_back(rasterize(parts()[i], scale_, pool_));
      }
      const layout::Density bundled = rasterize(curves_of(parts()[i], router), scale_, pool_);
      ink += count_ink(bundled, part_densities_[i]);
    }
    return ink.ratio();
  }

  void accept(Candidate candidate, double width, Bundled& result) const {
    result.mode = "phases";
    result.column_px = width;
    result.columns = candidate.router->columns().size();
    result.rows = candidate.router->rows().size();
    result.quality = candidate.quality;
    result.router = std::move(candidate.router);
    if (lines_.style.blend == layout::Blend::kOver) {
      result.segments = std::move(candidate.curves);
    } else {
      result.density = std::move(candidate.density);
    }
  }

  const Segments& lines_;
  const RowBands& rows_;
  const layout::Density& straight_;
  base::ThreadPool& pool_;
  double scale_;
  layout::Spline spline_;
  Segments sample_;
  const Segments& typical_;  // enough to find phases in: the sample, or all
  Segments judged_;
  EndCounts ends_;
  std::vector<Segments> parts_;
  std::vector<layout::Density> part_densities_;
  std::optional<double> ambiguity_straight_;  // of the parts
  base::CpuStopwatch clock_;
  double bundle_ms_ = 0;
  double raster_ms_ = 0;
  size_t tries_ = 0;
  bool is_hopeless_ = false;         // whatever the columns and rows
  std::vector<double> tried_edges_;  // of the last columns that were drawn
  std::string reason_;
};

/// The published ways of bundling, whatever becomes of the picture.
void bundle_as_asked(const Segments& lines, const BundleOptions& options,
                     const layout::Density& straight, Bundled& result, base::ThreadPool& pool) {
  base::CpuStopwatch clock;
  if (options.mode == Bundling::kHierarchy) {
    result.mode = "hierarchy";
    result.router =
        make_hierarchy_router(lines, {.level_count = static_cast<uint32_t>(options.levels)}, pool);
  } else if (options.mode == Bundling::kGrid) {
    result.mode = "grid";
    result.router = make_grid_router(
        lines, {.column_count = options.grid[0], .row_count = options.grid[1]}, pool);
  } else {
    result.mode = "quadtree";
    result.router = make_quadtree_router(lines, {}, pool);
  }
  Segments curves = draw_each(lines, *result.router, {options.degree, result.beta});
  result.bundle_ms += clock.lap_ms();
  auto density = density_of(curves, options.scale, straight, pool);
  result.quality.ink_ratio = ink_ratio(*density, straight);
  result.quality.phase_fidelity = phase_fidelity(*density, straight);
  result.raster_ms += clock.lap_ms();
  if (lines.style.blend == layout::Blend::kOver) {
    result.segments = std::move(curves);
  } else {
    result.density = std::move(density);
  }
}

void measure(const Segments& lines, const BundleOptions& options, Bundled& result,
             base::ThreadPool& pool) {
  if (result.router == nullptr) return;
  const Segments measured = sample(lines, kMeasuredMessages);
  const layout::Spline spline{options.degree, result.beta};
  take_shape(measure_shape(measured, *result.router, spline, pool), result.quality);
  const std::vector<Segments> followed = typical_parts(lines, count_ends(lines), kRowGaps.back());
  result.quality.ambiguity = ambiguity(followed, result.router.get(), spline);
  result.quality.ambiguity_straight = ambiguity(followed, nullptr, spline);
}

}  // namespace

base::Result<Bundling> parse_bundling(std::string_view name) {
  static constexpr std::pair<std::string_view, Bundling> kNames[] = {
      {"none", Bundling::kNone},
      {"hierarchy", Bundling::kHierarchy},
      {"grid", Bundling::kGrid},
      {"quadtree", Bundling::kQuadtree},
      {"auto", Bundling::kAuto}};
  return base::choose("--bundle", name, kNames);
}

double BundleQuality::score() const {
  return (1 - ink_ratio) - 2 * std::max(0.0, detour_mean - kMaxDetour) -
         2 * std::max(0.0, ambiguity - ambiguity_straight) -
         2 * std::max(0.0, kMinFidelity - phase_fidelity) - 4 * reversal;
}

Bundled bundle_lines(Segments lines, const RowBands& rows, const BundleOptions& options,
                     base::ThreadPool& pool) {
  Bundled result;
  result.mode = "none";
  result.beta = options.beta.value_or(1.0);
  if (options.mode == Bundling::kNone || lines.size() == 0) {
    stay_straight(std::move(lines), options.scale, result, pool);
    return result;
  }
  base::CpuStopwatch clock;
  auto straight = density_of(lines, options.scale, pool);
  result.raster_ms += clock.lap_ms();
  if (options.mode == Bundling::kAuto) {
    if (!PhaseSearch(lines, rows, options, *straight, pool).run(result)) {
      result.mode = "density";
      result.density = std::move(straight);
      stay_straight(std::move(lines), options.scale, result, pool);
      return result;
    }
  } else {
    bundle_as_asked(lines, options, *straight, result, pool);
  }
  if (options.measure) measure(lines, options, result, pool);
  return result;
}

}  // namespace pathline::bundle
