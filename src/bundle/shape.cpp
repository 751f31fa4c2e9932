// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/shape.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

namespace pathline::bundle {
namespace {

constexpr size_t kChunk = 4096;
constexpr size_t kSamples = 16;
constexpr double kMinLength = 2;  // px; shorter messages have no meaningful detour
constexpr double kBlockPx = 8;    // what a reader takes for one place

struct Length {
  double total = 0;
  double backward = 0;  // horizontal, against the direction of time of the message
};

bool is_inside(layout::Point at, const layout::Rect& clip) {
  return at.x >= clip.x && at.x <= clip.right() && at.y >= clip.y && at.y <= clip.bottom();
}

/// Gauss-Legendre with three points, exact enough for pieces without a cusp.
Length length_of(const layout::Curves& curves, size_t i, double direction) {
  constexpr std::array<std::pair<double, double>, 3> kPoints = {
      {{0.1127016653792583, 5.0 / 18}, {0.5, 8.0 / 18}, {0.8872983346207417, 5.0 / 18}}};
  const double ax = 2 * (double{curves.cx[i]} - curves.x1[i]);
  const double ay = 2 * (double{curves.cy[i]} - curves.y1[i]);
  const double bx = 2 * (double{curves.x2[i]} - curves.cx[i]);
  const double by = 2 * (double{curves.y2[i]} - curves.cy[i]);
  Length length;
  for (const auto& [t, share] : kPoints) {
    const double dx = ax + t * (bx - ax);
    const double dy = ay + t * (by - ay);
    length.total += share * std::sqrt(dx * dx + dy * dy);
    length.backward += share * std::max(0.0, -dx * direction);
  }
  return length;
}

struct Sums {
  double seen = 0;  // weight of the points at which the displacement is measured
  double curve = 0;
  double straight = 0;
  double backward = 0;
  double displacement = 0;
  std::vector<std::pair<double, double>> detours;  // and weights
};

void measure_message(const layout::Segments& lines, size_t i, const Router& router,
                     const layout::Spline& spline, std::vector<layout::Point>& control,
                     layout::Curves& curves, Sums& sums) {
  const layout::Point from{lines.x1[i], lines.y1[i]};
  const layout::Point to{lines.x2[i], lines.y2[i]};
  const double weight = lines.weight_of(i);
  const double straight = std::hypot(to.x - from.x, to.y - from.y);
  if (!std::isfinite(straight + weight) || !(weight > 0)) return;
  router.route(from, to, control);
  Length length{straight, 0};
  double displacement = 0;
  double seen = kSamples;
  if (control.size() > 2) {
    length.total = 0;
    curves = {};
    layout::add_spline(control, spline, 1, curves);
    for (size_t k = 0; k < curves.size(); ++k) {
      const Length piece = length_of(curves, k, to.x < from.x ? -1 : 1);
      length.total += piece.total;
      length.backward += piece.backward;
    }
    for (size_t k = 0; k < kSamples; ++k) {
      const double u = (static_cast<double>(k) + 0.5) / kSamples;
      const layout::Point at = layout::bspline_point(control, spline.degree, u);
      const double dx = at.x - from.x - u * (to.x - from.x);
      const double dy = at.y - from.y - u * (to.y - from.y);
      displacement += std::sqrt(dx * dx + dy * dy);
    }
  }
  sums.seen += weight * seen;
  sums.displacement += weight * displacement;
  // What lies outside the picture would hide what is done to the rest.
  if (!is_inside(from, lines.clip) || !is_inside(to, lines.clip)) return;
  sums.curve += weight * length.total;
  sums.straight += weight * straight;
  sums.backward += weight * length.backward;
  if (straight >= kMinLength) sums.detours.emplace_back(length.total / straight, weight);
}

}  // namespace

Shape measure_shape(const layout::Segments& lines, const Router& router,
                    const layout::Spline& spline, base::ThreadPool& pool) {
  std::vector<Sums> chunks((lines.size() + kChunk - 1) / kChunk);
  pool.for_each(chunks.size(), [&](size_t chunk) {
    std::vector<layout::Point> control;
    layout::Curves curves;
    const size_t end = std::min(lines.size(), (chunk + 1) * kChunk);
    for (size_t i = chunk * kChunk; i < end; ++i) {
      measure_message(lines, i, router, spline, control, curves, chunks[chunk]);
    }
  });
  Sums all;
  for (const Sums& sums : chunks) {
    all.seen += sums.seen;
    all.curve += sums.curve;
    all.straight += sums.straight;
    all.backward += sums.backward;
    all.displacement += sums.displacement;
    all.detours.insert(all.detours.end(), sums.detours.begin(), sums.detours.end());
  }
  Shape shape;
  if (all.straight > 0) shape.detour_mean = all.curve / all.straight;
  if (all.curve > 0) shape.reversal = all.backward / all.curve;
  if (all.seen > 0) shape.displacement_px = all.displacement / all.seen;
  std::sort(all.detours.begin(), all.detours.end());
  double weight = 0;
  for (const auto& detour : all.detours) weight += detour.second;
  double below = 0;
  for (const auto& [detour, share] : all.detours) {
    below += share;
    shape.detour_p95 = detour;
    if (below >= 0.95 * weight) break;
  }
  if (!all.detours.empty()) shape.detour_max = all.detours.back().first;
  return shape;
}

namespace {

/// One curve in one stretch of the picture.
struct Visit {
  uint64_t stretch;
  uint32_t source;
  uint32_t target;
  double weight;

  auto key() const { return std::tie(stretch, source, target, weight); }
};

/// The row of an end, or the pixel that rows share.
uint32_t row_of(layout::Point point) {
  return static_cast<uint32_t>(std::clamp(point.y + 0.5, 0.0, 0x1p31));
}

uint32_t block_of(layout::Point point) {
  const auto coordinate = [](double px) {
    return static_cast<uint32_t>(std::clamp(px / kBlockPx, 0.0, 65535.0));
  };
  return coordinate(point.x) << 16 | coordinate(point.y);
}

uint64_t stretch_of(layout::Point from, layout::Point to) {
  constexpr double kDirections = 16;
  const double angle = std::atan2(to.y - from.y, to.x - from.x) / (2 * std::numbers::pi);
  const auto direction = static_cast<uint64_t>((angle + 1) * kDirections + 0.5);
  return uint64_t{block_of({(from.x + to.x) / 2, (from.y + to.y) / 2})} << 8 |
         direction % static_cast<uint64_t>(kDirections);
}

/// Walks along a piece in steps of a block, and notes the stretch of every step in the picture.
void visit_piece(const layout::Curves& curves, size_t i, const layout::Rect& clip, Visit visit,
                 std::vector<Visit>& visits) {
  const layout::Bezier piece{
      {curves.x1[i], curves.y1[i]}, {curves.cx[i], curves.cy[i]}, {curves.x2[i], curves.y2[i]}};
  const double length = length_of(curves, i, 1).total;
  const auto steps = static_cast<size_t>(std::min(length / kBlockPx, 4096.0)) + 1;
  layout::Point from = piece.begin;
  for (size_t k = 1; k <= steps; ++k) {
    const layout::Point to = piece.at(static_cast<double>(k) / static_cast<double>(steps));
    if (is_inside(layout::between(from, to), clip)) {
      visit.stretch = stretch_of(from, to);
      visits.push_back(visit);
    }
    from = to;
  }
}

}  // namespace

double ambiguity(const layout::Segments& lines, const Router* router,
                 const layout::Spline& spline) {
  const auto before = [](const Visit& a, const Visit& b) { return a.key() < b.key(); };
  const auto same = [](const Visit& a, const Visit& b) { return a.key() == b.key(); };
  std::vector<Visit> visits;
  std::vector<layout::Point> control;
  layout::Curves curves;
  for (size_t i = 0; i < lines.size(); ++i) {
    const layout::Point from{lines.x1[i], lines.y1[i]};
    const layout::Point to{lines.x2[i], lines.y2[i]};
    const double weight = lines.weight_of(i);
    if (!(weight > 0) || !std::isfinite(weight + from.x + from.y + to.x + to.y)) continue;
    control = {from, to};
    if (router != nullptr) router->route(from, to, control);
    curves = {};
    layout::add_spline(control, spline, 1, curves);
    const Visit visit{0, row_of(from), row_of(to), weight};
    const auto first = static_cast<std::ptrdiff_t>(visits.size());
    for (size_t k = 0; k < curves.size(); ++k) visit_piece(curves, k, lines.clip, visit, visits);
    // A curve that comes back to a stretch is one line there all the same.
    std::sort(visits.begin() + first, visits.end(), before);
    visits.erase(std::unique(visits.begin() + first, visits.end(), same), visits.end());
  }
  std::sort(visits.begin(), visits.end(), before);
  double total = 0;
  double real = 0;
  std::vector<uint32_t> targets;
  for (size_t begin = 0; begin < visits.size();) {
    size_t sources = 0;
    double weight = 0;
    targets.clear();
    size_t end = begin;
    for (; end < visits.size() && visits[end].stretch == visits[begin].stretch; ++end) {
      const Visit& visit = visits[end];
      const bool is_new_source = end == begin || visit.source != visits[end - 1].source;
      if (is_new_source) ++sources;
      if (is_new_source || visit.target != visits[end - 1].target) targets.push_back(visit.target);
      weight += visit.weight;
    }
    const auto pairs = static_cast<double>(targets.size());
    std::sort(targets.begin(), targets.end());
    const auto distinct = std::unique(targets.begin(), targets.end()) - targets.begin();
    total += weight;
    real += weight * pairs / (static_cast<double>(sources) * static_cast<double>(distinct));
    begin = end;
  }
  return total > 0 ? 1 - real / total : 0;
}

}  // namespace pathline::bundle
