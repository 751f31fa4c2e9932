// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/mean_shift.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

#include "bundle/router_input.hpp"

namespace pathline::bundle {
namespace {

constexpr int kMaxSteps = 64;
constexpr double kStandsStill = 1e-3;  // of the radius
constexpr double kMaxCells = 1 << 18;
constexpr double kMaxCellsPerSide = 1 << 16;
constexpr size_t kTrajectoriesPerPiece = 128;

/// Sums over the points of a cell; positions in 1/kFractionSteps of the side from the cell's
/// corner.
struct CellSum {
  uint64_t weight = 0;
  uint64_t x = 0;
  uint64_t y = 0;

  void add(const CellSum& other) {
    weight += other.weight;
    x += other.x;
    y += other.y;
  }
};

/// A cell as the kernel sees it; weight 0 where it is empty.
struct Mass {
  double x = 0;
  double y = 0;
  double weight = 0;
};

/// Where the trajectory of a cell ended.
struct Mode {
  layout::Point at;
  uint32_t cell = 0;
};

/// Modes that founded a centre, found again through the cells they are in.
class Founders {
 public:
  explicit Founders(const SquareCells& cells) : cells_(cells), first_(cells.size(), kNone) {}

  /// The nearest founder closer than radius/2, else `p` as the next one.
  uint32_t nearest_or_new(layout::Point p) {
    const uint32_t column = cells_.column(p.x);
    const uint32_t row = cells_.row(p.y);
    const uint32_t right = std::min(column + 1, cells_.column_count() - 1);
    const uint32_t bottom = std::min(row + 1, cells_.row_count() - 1);
    uint32_t nearest = kNone;
    double least = cells_.side_px();  // radius/2: neighbouring cells are enough
    for (uint32_t r = row - (row > 0 ? 1 : 0); r <= bottom; ++r) {
      for (uint32_t c = column - (column > 0 ? 1 : 0); c <= right; ++c) {
        uint32_t f = first_[static_cast<size_t>(r) * cells_.column_count() + c];
        for (; f != kNone; f = next_[f]) {
          const double away = distance(p, at_[f]);
          if (away < least || (away == least && nearest != kNone && f < nearest)) {
            nearest = f;
            least = away;
          }
        }
      }
    }
    if (nearest != kNone) return nearest;
    const auto founder = static_cast<uint32_t>(at_.size());
    at_.push_back(p);
    next_.push_back(std::exchange(first_[cells_.cell(p)], founder));
    return founder;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  const SquareCells& cells_;
  std::vector<uint32_t> first_;  // of each cell
  std::vector<uint32_t> next_;   // in the same cell
  std::vector<layout::Point> at_;
};

double cell_side(const layout::Rect& area, double radius_px) {
  const double longer = std::max(area.w, area.h);
  const double least = std::max(std::sqrt(area.w * area.h / kMaxCells), longer / kMaxCellsPerSide);
  // Also false for NaN. From four times the picture on, a larger radius changes nothing.
  const double wanted = radius_px > 0 ? std::min(radius_px, 4 * longer) / 2 : 0;
  return std::max(wanted, least);
}

}  // namespace

SquareCells::SquareCells(const layout::Rect& area, double side_px)
    : side_(side_px),
      per_px_(1 / side_px),
      column_count_(std::max(1U, static_cast<uint32_t>(std::ceil(area.w / side_px)))),
      row_count_(std::max(1U, static_cast<uint32_t>(std::ceil(area.h / side_px)))) {
  left_ = area.x + (area.w - column_count_ * side_px) / 2;
  top_ = area.y + (area.h - row_count_ * side_px) / 2;
}

/// One run of the method.
class MeanShift {
 public:
  MeanShift(const layout::Rect& area, double side, base::ThreadPool& pool)
      : area_(area), cells_(area, side), radius_(2 * side), pool_(pool) {}

  Clusters run(std::span<const WeightedPoints> parts) {
    Clusters clusters;
    clusters.cells_ = cells_;
    clusters.centre_of_cell_.assign(cells_.size(), Clusters::kNone);
    sum_up(parts);
    weigh(clusters);
    shift();
    merge(clusters);
    return clusters;
  }

 private:
  void sum_up(std::span<const WeightedPoints> parts);
  void sum_up(const WeightedPoints& points, size_t begin, size_t end,
              std::vector<CellSum>& sums) const;
  void weigh(Clusters& clusters);
  void shift();
  layout::Point step(layout::Point from) const;
  void merge(Clusters& clusters);

  layout::Rect area_;
  SquareCells cells_;
  double radius_;
  base::ThreadPool& pool_;
  std::vector<CellSum> sums_;
  std::vector<Mass> mass_;
  std::vector<Mode> modes_;
};

void MeanShift::sum_up(const WeightedPoints& points, size_t begin, size_t end,
                       std::vector<CellSum>& sums) const {
  const double right = area_.right();
  const double bottom = area_.bottom();
  for (size_t i = begin; i < end; ++i) {
    const uint64_t weight = points.weight[i];
    if (weight == 0) continue;
    const layout::Point p = {std::clamp<double>(points.x[i], area_.x, right),
                             std::clamp<double>(points.y[i], area_.y, bottom)};
    const uint32_t column = cells_.column(p.x);
    const uint32_t row = cells_.row(p.y);
    const layout::Point corner = cells_.corner(column, row);
    sums[static_cast<size_t>(row) * cells_.column_count() + column].add(
        {weight, weight * fraction((p.x - corner.x) / cells_.side_px()),
         weight * fraction((p.y - corner.y) / cells_.side_px())});
  }
}

void MeanShift::sum_up(std::span<const WeightedPoints> parts) {
  size_t count = 0;
  for (const WeightedPoints& points : parts) count += points.weight.size();
  const size_t slices = part_count(count, pool_);
  std::vector<std::vector<CellSum>> sums(slices);
  pool_.for_each(slices, [&](size_t slice) {
    sums[slice].resize(cells_.size());
    for (const WeightedPoints& points : parts) {
      const size_t size = points.weight.size();
      sum_up(points, size * slice / slices, size * (slice + 1) / slices, sums[slice]);
    }
  });
  sums_ = std::move(sums[0]);
  for (size_t slice = 1; slice < slices; ++slice) {
    for (size_t cell = 0; cell < sums_.size(); ++cell) sums_[cell].add(sums[slice][cell]);
  }
}

void MeanShift::weigh(Clusters& clusters) {
  mass_.resize(cells_.size());
  Mass all;
  for (size_t cell = 0; cell < sums_.size(); ++cell) {
    const CellSum& sum = sums_[cell];
    if (sum.weight == 0) continue;
    const auto weight = static_cast<double>(sum.weight);
    const double px = cells_.side_px() / (kFractionSteps * weight);
    const layout::Point corner = cells_.corner(static_cast<uint32_t>(cell % cells_.column_count()),
                                               static_cast<uint32_t>(cell / cells_.column_count()));
    mass_[cell] = {corner.x + static_cast<double>(sum.x) * px,
                   corner.y + static_cast<double>(sum.y) * px, weight};
    modes_.push_back({{mass_[cell].x, mass_[cell].y}, static_cast<uint32_t>(cell)});
    all.x += mass_[cell].x * weight;
    all.y += mass_[cell].y * weight;
    all.weight += weight;
  }
  assert(all.weight <= static_cast<double>(kMaxTotalUnits));
  if (all.weight > 0) clusters.centroid_ = {all.x / all.weight, all.y / all.weight};
}

layout::Point MeanShift::step(layout::Point from) const {
  const int64_t column = cells_.column(from.x);
  const int64_t row = cells_.row(from.y);
  const int64_t left = std::max<int64_t>(0, column - 2);
  const int64_t right = std::min<int64_t>(cells_.column_count() - 1, column + 2);
  const int64_t bottom = std::min<int64_t>(cells_.row_count() - 1, row + 2);
  Mass sum;
  for (int64_t r = std::max<int64_t>(0, row - 2); r <= bottom; ++r) {
    const Mass* line = mass_.data() + r * cells_.column_count();
    for (int64_t c = left; c <= right; ++c) {
      const Mass& mass = line[c];
      const double dx = mass.x - from.x;
      const double dy = mass.y - from.y;
      if (dx * dx + dy * dy > radius_ * radius_) continue;
      sum.x += mass.weight * dx;
      sum.y += mass.weight * dy;
      sum.weight += mass.weight;
    }
  }
  if (sum.weight == 0) return from;
  return {from.x + sum.x / sum.weight, from.y + sum.y / sum.weight};
}

void MeanShift::shift() {
  const size_t pieces = (modes_.size() + kTrajectoriesPerPiece - 1) / kTrajectoriesPerPiece;
  pool_.for_each(pieces, [&](size_t piece) {
    const size_t end = std::min(modes_.size(), (piece + 1) * kTrajectoriesPerPiece);
    for (size_t i = piece * kTrajectoriesPerPiece; i < end; ++i) {
      for (int steps = 0; steps < kMaxSteps; ++steps) {
        const layout::Point from = modes_[i].at;
        modes_[i].at = step(from);
        if (distance(from, modes_[i].at) < kStandsStill * radius_) break;
      }
    }
  });
}

void MeanShift::merge(Clusters& clusters) {
  std::sort(modes_.begin(), modes_.end(), [](const Mode& a, const Mode& b) {
    if (a.at.x != b.at.x) return a.at.x < b.at.x;
    if (a.at.y != b.at.y) return a.at.y < b.at.y;
    return a.cell < b.cell;
  });
  Founders founders(cells_);
  std::vector<Mass> sums;
  std::vector<uint64_t> weights;
  for (const Mode& mode : modes_) {
    const uint32_t founder = founders.nearest_or_new(mode.at);
    if (founder == sums.size()) {
      sums.emplace_back();
      weights.push_back(0);
    }
    const double weight = mass_[mode.cell].weight;
    sums[founder].x += weight * mode.at.x;
    sums[founder].y += weight * mode.at.y;
    sums[founder].weight += weight;
    weights[founder] += sums_[mode.cell].weight;
    clusters.centre_of_cell_[mode.cell] = founder;
  }

  // The means may lie in another order than their founders.
  std::vector<layout::Point> centres;
  centres.reserve(sums.size());
  for (const Mass& sum : sums) {
    centres.push_back(
        {static_cast<float>(sum.x / sum.weight), static_cast<float>(sum.y / sum.weight)});
  }
  std::vector<uint32_t> order(centres.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (centres[a].x != centres[b].x) return centres[a].x < centres[b].x;
    return centres[a].y != centres[b].y ? centres[a].y < centres[b].y : a < b;
  });
  std::vector<uint32_t> position(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    position[order[i]] = i;
    clusters.centres_.push_back({centres[order[i]], weights[order[i]]});
  }
  for (const Mode& mode : modes_) {
    uint32_t& centre = clusters.centre_of_cell_[mode.cell];
    centre = position[centre];
  }
}

uint32_t Clusters::of(layout::Point p) const {
  if (centres_.empty() || !is_finite(p)) return kNone;
  const uint32_t known = centre_of_cell_[cells_.cell(p)];
  if (known != kNone) return known;

  // Outwards from the centre at this x, as long as the difference in x alone is not too much.
  const auto start = std::lower_bound(centres_.begin(), centres_.end(), p.x,
                                      [](const Centre& c, double x) { return c.at.x < x; });
  uint32_t nearest = kNone;
  double least = HUGE_VAL;
  const auto look = [&](size_t i) {
    if (std::abs(centres_[i].at.x - p.x) > least) return false;
    const double away = distance(centres_[i].at, p);
    if (away < least || (away == least && i < nearest)) {
      nearest = static_cast<uint32_t>(i);
      least = away;
    }
    return true;
  };
  for (auto i = static_cast<size_t>(start - centres_.begin()); i < centres_.size() && look(i);) ++i;
  for (auto i = static_cast<size_t>(start - centres_.begin()); i > 0 && look(i - 1);) --i;
  return nearest;
}

Clusters mean_shift(std::span<const WeightedPoints> parts, const layout::Rect& area,
                    double radius_px, base::ThreadPool& pool) {
  const layout::Rect usable = plot_area(area);
  return MeanShift(usable, cell_side(usable, radius_px), pool).run(parts);
}

double default_radius_px(const layout::Rect& area) {
  const layout::Rect usable = plot_area(area);
  return std::max(4.0, std::sqrt(usable.w * usable.h) / 36);
}

}  // namespace pathline::bundle
