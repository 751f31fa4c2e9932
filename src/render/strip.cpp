// SPDX-License-Identifier: BSD-3-Clause
#include "render/strip.hpp"

#include <algorithm>
#include <cmath>

namespace pathline::render {

/// Whole steps along a chord, in a row each where it is steep, else in a column, from step `begin`
/// on.
struct Strip::Walk {
  int64_t begin;
  int64_t count;
  double v;        // of the first step, in pixels across: 0 is the centre of the first
  double v_slope;  // per step; at most 1 either way
  double s;
  double s_slope;
  double weight;  // in units

  void skip(int64_t steps) {
    begin += steps;
    count -= steps;
    v += v_slope * static_cast<double>(steps);
    s += s_slope * static_cast<double>(steps);
  }
};

namespace {

// Rows that a chord must stay between two columns to be entered as runs.
constexpr double kMinRunRows = 12;

/// Values of n and q down a run of rows: a + b i + c i (i - 1) / 2 in row i.
struct Run {
  Pair a;
  Pair b;
  Pair c;

  /// The same values, counted from row `rows` on.
  Run after(uint64_t rows) const {
    const uint64_t pairs = rows * (rows - 1) / 2;
    return {Pair{a[0] + b[0] * rows, a[1] + b[1] * rows + c[1] * pairs},
            Pair{b[0], b[1] + c[1] * rows}, c};
  }
  Run minus(const Run& other) const { return {a - other.a, b - other.b, c - other.c}; }
};

// Third differences: a run is three of them, at its first row and the next two, and the same three
// taken back behind its last row.

void begin_run(Pair* cell, const Run& run) {
  cell[0] += run.a;
  cell[1] += run.b - run.a - run.a;
  cell[2] += run.a - run.b + run.c;
}

void end_run(Pair* cell, const Run& run) {
  cell[0] -= run.a;
  cell[1] -= run.b - run.a - run.a;
  cell[2] -= run.a - run.b + run.c;
}

}  // namespace

Strip::Strip(uint32_t height)
    : height_(height),
      stride_(static_cast<size_t>(height) + 8),
      ramps_(stride_ * kColumns),
      differences_(stride_ * kColumns),
      values_(stride_ * kColumns) {
  marks_.blocks.resize(height / kBlockRows + 1);
}

void Strip::begin(uint32_t first_column, uint32_t width) {
  origin_x_ = first_column;
  width_ = width;
}

void Strip::add_line(PathPoint from, PathPoint to, double weight) {
  from.x -= origin_x_;
  to.x -= origin_x_;
  set_line(from, to, path_);
  add_path(weight);
}

void Strip::add_curve(layout::Bezier piece, double s1, double s2, double weight) {
  for (layout::Point* point : {&piece.begin, &piece.control, &piece.end}) point->x -= origin_x_;
  for_each_part(piece, s1, s2, {0, 0, width_, height_}, path_, [&] { add_path(weight); });
}

void Strip::add_path(double weight) {
  for_each_stretch(path_, [&](bool is_steep, const Stretch& stretch) {
    is_steep ? add_stretch<true>(stretch, weight) : add_stretch<false>(stretch, weight);
  });
}

/// Steps that are covered whole count at their centres, what is left at the ends in its middle.
template <bool kSteep>
void Strip::add_stretch(const Stretch& stretch, double weight) {
  const double top = std::max(stretch.begin(), 0.0);
  const double bottom = std::min(stretch.end(), kSteep ? height_ : width_);
  if (!(top < bottom)) return;
  const auto last = static_cast<int64_t>(bottom);
  auto step = static_cast<int64_t>(top);
  double first_end = top;  // of what is left at the top
  if (static_cast<double>(step) < top) first_end = std::min(bottom, static_cast<double>(step + 1));
  for (size_t i = 0; i < stretch.chord_count(); ++i) {
    const bool is_last = i + 1 == stretch.chord_count();
    const double until = is_last ? bottom : stretch.u(i + 1);
    if (!(until > top)) continue;
    const Chord chord(stretch, i);
    if (first_end > top) {
      const double middle = (top + first_end) / 2;
      if (middle >= until && !is_last) continue;
      add_single<kSteep>(chord, middle, weight * (first_end - top), step);
      ++step;
      first_end = top;
    }
    const int64_t end = is_last ? last : std::min(last, static_cast<int64_t>(until + 0.5));
    if (step < end) {
      const double centre = static_cast<double>(step) + 0.5;
      add_walk<kSteep>({step, end - step, chord.v_at(centre) - 0.5, chord.v_slope,
                        chord.s_at(centre), chord.s_slope, weight});
      step = end;
    }
    if (step == last && static_cast<double>(last) < bottom) {
      const double from = std::max(top, static_cast<double>(last));
      const double middle = (from + bottom) / 2;
      if (middle >= until && !is_last) continue;
      add_single<kSteep>(chord, middle, weight * (bottom - from), last);
      return;
    }
    if (until >= bottom) return;
  }
}

/// Part of a step.
template <bool kSteep>
void Strip::add_single(const Chord& chord, double u, double weight, int64_t step) {
  const double v = chord.v_at(u) - 0.5;
  if (!(v >= -1 && v < (kSteep ? width_ : height_))) return;
  const auto pixel = static_cast<int64_t>(v + 1) - 1;
  const RealPair whole{weight, weight * chord.s_at(u)};
  const Pair second = fixed(whole * (v - static_cast<double>(pixel)));
  const Pair first = fixed(whole) - second;
  const int64_t column = kSteep ? pixel : step;
  const int64_t row = kSteep ? step : pixel;
  mark(column, column + (kSteep ? 1 : 0), row, row + (kSteep ? 0 : 1));
  Pair* cells = cell(values_, column, row);
  cells[0] += first;
  cells[kSteep ? stride_ : 1] += second;
}

template <bool kSteep>
void Strip::add_walk(Walk walk) {
  const double v_limit = kSteep ? width_ : height_;
  double v_last = walk.v + walk.v_slope * static_cast<double>(walk.count - 1);
  if (!(std::min(walk.v, v_last) >= -1 && std::max(walk.v, v_last) < v_limit)) {
    if (!cut(walk, v_limit)) return;
    v_last = walk.v + walk.v_slope * static_cast<double>(walk.count - 1);
  }
  if constexpr (kSteep) {
    const double steps_per_column = 1 / std::abs(walk.v_slope);
    if (std::min(static_cast<double>(walk.count), steps_per_column) >= kMinRunRows) {
      add_runs(walk);
      return;
    }
  }
  const auto v_low = static_cast<int64_t>(std::min(walk.v, v_last) + kMargin) - kMargin;
  const auto v_high = static_cast<int64_t>(std::max(walk.v, v_last) + kMargin) - kMargin + 1;
  const int64_t u_high = walk.begin + walk.count - 1;
  if constexpr (kSteep) {
    mark(v_low, v_high, walk.begin, u_high);
  } else {
    mark(walk.begin, u_high, v_low, v_high);
  }
  const auto stride = static_cast<ptrdiff_t>(stride_);
  const RealPair weight{walk.weight, walk.weight * walk.s};
  add_steps({kSteep ? cell(values_, -kMargin, walk.begin) : cell(values_, walk.begin, -kMargin),
             kSteep ? 1 : stride, kSteep ? stride : 1, walk.v + kMargin, walk.v_slope, weight,
             RealPair{0, walk.weight * walk.s_slope}, walk.count});
}

/// Leaves the steps whose v lies in [-1, v_limit); false if there are none. Rounding may put the
/// first or the last of them a hair outside: into the margin.
bool Strip::cut(Walk& walk, double v_limit) {
  if (walk.v_slope == 0) return false;
  const double per_pixel = 1 / walk.v_slope;
  const auto count = static_cast<double>(walk.count);
  const double enter = ((walk.v_slope > 0 ? -1 : v_limit) - walk.v) * per_pixel;
  const double leave = ((walk.v_slope > 0 ? v_limit : -1) - walk.v) * per_pixel;
  if (!(enter < count && leave > 0)) return false;
  const auto begin = static_cast<int64_t>(std::ceil(std::max(enter, 0.0)));
  walk.count = static_cast<int64_t>(std::ceil(std::min(leave, count)));
  walk.skip(begin);
  return walk.count > 0;
}

namespace {

/// What a run of rows puts into its left and its right column: from its first row on, and as
/// continued behind its last one.
struct Runs {
  Run left, right;
  Run left_end, right_end;
};

/// `share` (of the right column) and `s` are those of the first row. n is w share, q is
/// w share s; b and c hold their first and second differences.
Runs make_runs(double weight, double v_slope, double s_slope, double share, double s,
               uint64_t rows) {
  const double w = weight;
  const double w_share_step = w * v_slope;
  const double ws_step = w * s_slope;
  const RealPair whole{w, w * s};
  const Run both{fixed(whole), fixed(RealPair{0, ws_step}), Pair{}};
  const double q_step = share * ws_step + w_share_step * (s + s_slope);
  const Run right{fixed(whole * share), fixed(RealPair{w_share_step, q_step}),
                  fixed(RealPair{0, 2 * v_slope * ws_step})};
  const Run both_end{both.a + Pair{0, both.b[1] * rows}, both.b, both.c};
  const Run right_end = right.after(rows);
  return {both.minus(right), right, both_end.minus(right_end), right_end};
}

}  // namespace

/// Rows that are cut into runs, each between two columns of pixels.
void Strip::add_runs(const Walk& walk) {
  const double slope = walk.v_slope;
  const double columns_to_rows = slope == 0 ? HUGE_VAL : 1 / slope;
  for (int64_t i = 0; i < walk.count;) {
    const double v = walk.v + slope * static_cast<double>(i);
    // Rounding may put a first or last row a hair outside: into the margin.
    const auto column = static_cast<int64_t>(std::clamp(v + 1, 0.0, width_)) - 1;
    const auto column_v = static_cast<double>(column);
    // Rows until the line reaches the next column.
    int64_t next = walk.count;
    const double distance = ((slope >= 0 ? column_v + 1 : column_v) - walk.v) * columns_to_rows;
    if (distance < static_cast<double>(next)) {
      next = static_cast<int64_t>(distance);
      if (slope < 0 || static_cast<double>(next) < distance) ++next;
      next = std::min(std::max(next, i + 1), walk.count);
    }
    const auto rows = static_cast<uint64_t>(next - i);
    const Runs runs =
        make_runs(walk.weight, slope, walk.s_slope, std::clamp(v - column_v, 0.0, 1.0),
                  walk.s + walk.s_slope * static_cast<double>(i), rows);
    const int64_t row = walk.begin + i;
    const int64_t row_behind = walk.begin + next;
    mark(column, column + 1, row, row + 2);
    mark(column, column + 1, row_behind, row_behind + 2);
    Pair* left = cell(differences_, column, row);
    Pair* right = cell(differences_, column + 1, row);
    begin_run(left, runs.left);
    begin_run(right, runs.right);
    end_run(left + rows, runs.left_end);
    end_run(right + rows, runs.right_end);
    i = next;
  }
}

}  // namespace pathline::render
