// SPDX-License-Identifier: BSD-3-Clause
#include "render/strip.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace pathline::render {

/// A chord along its major axis u; v is the other axis.
struct Strip::Line {
  double u_low, u_high;
  double u0, v0, s0;  // where it begins
  double v_slope;     // at most 1 either way
  double s_slope;
  double weight;  // in units

  double v(double u) const { return v0 + v_slope * (u - u0); }
  double s(double u) const { return s0 + s_slope * (u - u0); }
};

/// Part of a row or column: `share` of it in the second of the two pixels.
struct Strip::Single {
  int64_t first_pixel;
  Pair first;
  Pair second;
};

namespace {

constexpr uint32_t kBlockRows = 64;

/// 64-bit integers, which SSE2 cannot convert: their halves are put into the low bits of 2^84 and
/// 2^52, and what was put there is taken off again.
RealPair to_real(Pair values) {
  constexpr uint64_t kHigh = 0x4530000080000000;  // 2^84, and the sign turned round
  constexpr uint64_t kLow = 0x4330000000000000;   // 2^52
  const double offset = std::bit_cast<double>(uint64_t{0x4530000080100000});
  const Pair high = (values >> 32) ^ Pair { kHigh, kHigh };
  const Pair low = (values & Pair{0xffffffff, 0xffffffff}) | Pair{kLow, kLow};
  return (std::bit_cast<RealPair>(high) - RealPair{offset, offset}) + std::bit_cast<RealPair>(low);
}

// Rows that a chord must stay between two columns to be entered as a run.
constexpr double kMinRunRows = 6;

/// No pixel has this number: nothing to add.
constexpr int64_t kNowhere = INT64_MIN;

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
      stride_(static_cast<size_t>(height) + 7),
      ramps_(stride_ * (kWidth + 2)),
      differences_(stride_ * (kWidth + 2)),
      values_(stride_ * (kWidth + 2)) {}

void Strip::begin(uint32_t first_column, uint32_t width) {
  origin_x_ = first_column;
  width_ = width;
}

void Strip::add(const Chord& chord, double weight) {
  const double x1 = chord.x1 - origin_x_;
  const double dx = chord.x2 - chord.x1;
  const double dy = chord.y2 - chord.y1;
  const double ds = chord.s2 - chord.s1;
  if (std::abs(dy) >= std::abs(dx)) {
    if (dy == 0) return;
    const double per_row = 1 / dy;
    add_steep({std::min(chord.y1, chord.y2), std::max(chord.y1, chord.y2), chord.y1, x1, chord.s1,
               dx * per_row, ds * per_row, weight});
  } else {
    const double per_column = 1 / dx;
    add_flat({std::min(x1, x1 + dx), std::max(x1, x1 + dx), x1, chord.y1, chord.s1, dy * per_column,
              ds * per_column, weight});
  }
}

/// The line between u_from and u_to, which lie in one row (column), across that row.
/// v_end  one more than the last pixel across.
Strip::Single Strip::single(const Line& line, double u_from, double u_to, double v_end) {
  const double middle = (u_from + u_to) / 2;
  const double v = line.v(middle) - 0.5;
  if (!(u_from < u_to && v >= -1 && v < v_end)) return {kNowhere, Pair{}, Pair{}};
  const auto pixel = static_cast<int64_t>(v + 1) - 1;
  const double weight = line.weight * (u_to - u_from);
  const RealPair whole{weight, weight * line.s(middle)};
  const Pair second = fixed(whole * (v - static_cast<double>(pixel)));
  return {pixel, fixed(whole) - second, second};
}

void Strip::add_row(const Single& single, int64_t row) {
  if (single.first_pixel == kNowhere) return;
  *value(single.first_pixel, row) += single.first;
  *value(single.first_pixel + 1, row) += single.second;
}

void Strip::add_column(const Single& single, int64_t column) {
  if (single.first_pixel == kNowhere) return;
  Pair* at = value(column, single.first_pixel);
  at[0] += single.first;
  at[1] += single.second;
}

/// The columns between two places, counted from the left margin, and the one after them will have
/// values.
void Strip::mark_values(double low, double high) {
  const auto first = static_cast<size_t>(std::max(low, 0.0));
  const auto last = static_cast<size_t>(std::clamp(high + 1, 0.0, width_ + 1));
  for (size_t x = first; x <= last; ++x) has_values_[x] = true;
}

/// Row by row; the first and the last one may be partial.
void Strip::step_steep(const Line& line, double top, double bottom) {
  const auto last = static_cast<int64_t>(bottom);
  auto row = static_cast<int64_t>(top);
  if (static_cast<double>(row) < top) {
    const double to = std::min(bottom, static_cast<double>(row + 1));
    add_row(single(line, top, to, width_), row);
    ++row;
  }
  if (row < last) {
    const double first = static_cast<double>(row) + 0.5;
    RealPair weights{line.weight, line.weight * line.s(first)};
    const RealPair step{0, line.weight * line.s_slope};
    double v = line.v(first) + 0.5;  // from the margin's middle
    const double end = width_ + 1;
    const double v_last = v + line.v_slope * static_cast<double>(last - row - 1);
    mark_values(std::min(v, v_last), std::max(v, v_last));
    Pair* in_margin = &values_[static_cast<size_t>(row + 1)];
    for (; row < last; ++row, ++in_margin, v += line.v_slope, weights += step) {
      if (!(v >= 0 && v < end)) continue;
      const auto column = static_cast<int32_t>(v);
      const Pair second = fixed(weights * (v - static_cast<double>(column)));
      Pair* at = in_margin + static_cast<size_t>(column) * stride_;
      at[0] += fixed(weights) - second;
      at[stride_] += second;
    }
  }
  if (static_cast<double>(last) < bottom && last >= static_cast<int64_t>(top)) {
    const double from = std::max(top, static_cast<double>(last));
    if (row == last) add_row(single(line, from, bottom, width_), last);
  }
}

void Strip::add_steep(const Line& line) {
  const double top = std::max(line.u_low, 0.0);
  const double bottom = std::min(line.u_high, height_);
  if (top >= bottom) return;
  const double run_rows = std::min(bottom - top, 1 / std::abs(line.v_slope));
  if (!(run_rows >= kMinRunRows)) {
    double from = top;
    double until = bottom;
    if (line.v_slope != 0) {
      // Rows whose v lies in [-1, width_ + 1).
      const double a = line.u0 + (-2 - line.v0) / line.v_slope;
      const double b = line.u0 + (width_ + 2 - line.v0) / line.v_slope;
      from = std::max(top, std::min(a, b));
      until = std::min(bottom, std::max(a, b));
      if (!(from < until)) return;
      // Only the line's own ends are partial rows.
      if (from > top) from = static_cast<double>(static_cast<int64_t>(from));
      if (until < bottom) until = static_cast<double>(static_cast<int64_t>(until)) + 1;
      from = std::max(from, top);
      until = std::min(until, bottom);
    }
    step_steep(line, from, until);
    return;
  }
  const auto full_end = static_cast<int64_t>(bottom);
  auto full_begin = static_cast<int64_t>(top);
  if (static_cast<double>(full_begin) < top) ++full_begin;
  if (full_begin > full_end) {  // the raster's edge leaves less than a row
    add_row(single(line, top, bottom, width_), full_end);
    return;
  }
  add_row(single(line, top, static_cast<double>(full_begin), width_), full_begin - 1);
  add_row(single(line, static_cast<double>(full_end), bottom, width_), full_end);
  if (full_begin < full_end) add_full_rows(line, full_begin, full_end);
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

/// Rows [row_begin, row_end), which the line crosses from edge to edge, cut into runs between two
/// columns of pixels.
void Strip::add_full_rows(const Line& line, int64_t row_begin, int64_t row_end) {
  const double first = static_cast<double>(row_begin) + 0.5;
  const double v_first = line.v(first) - 0.5;
  const double s_first = line.s(first);
  const double slope = line.v_slope;
  const double columns_to_rows = slope == 0 ? HUGE_VAL : 1 / slope;
  const int64_t row_count = row_end - row_begin;

  // Rows [i, end) of these whose v lies in [-1, width_).
  int64_t i = 0;
  int64_t end = row_count;
  const double v_last = v_first + slope * static_cast<double>(row_count - 1);
  if (!(std::min(v_first, v_last) >= -1 && std::max(v_first, v_last) < width_)) {
    const double row_limit = static_cast<double>(row_count);
    const double enter = ((slope > 0 ? -1 : width_) - v_first) * columns_to_rows;
    const double leave = ((slope > 0 ? width_ : -1) - v_first) * columns_to_rows;
    if (slope == 0 || !(enter < row_limit && leave > 0))
      end = 0;
    else {
      i = static_cast<int64_t>(std::ceil(std::max(enter, 0.0)));
      end = static_cast<int64_t>(std::ceil(std::min(leave, row_limit)));
    }
  }

  while (i < end) {
    const double v = v_first + slope * static_cast<double>(i);
    // Rounding may put a first or last row a hair outside: into the margin.
    const auto column = static_cast<int64_t>(std::clamp(v + 1, 0.0, width_)) - 1;
    const auto column_v = static_cast<double>(column);
    // Rows until the line reaches the next column.
    const double distance = ((slope >= 0 ? column_v + 1 : column_v) - v_first) * columns_to_rows;
    int64_t next = end;
    if (distance < static_cast<double>(end)) {
      next = static_cast<int64_t>(distance);
      if (slope < 0 || static_cast<double>(next) < distance) ++next;
      next = std::min(std::max(next, i + 1), end);
    }

    const auto rows = static_cast<uint64_t>(next - i);
    const Runs runs =
        make_runs(line.weight, line.v_slope, line.s_slope, std::clamp(v - column_v, 0.0, 1.0),
                  s_first + line.s_slope * static_cast<double>(i), rows);
    Pair* left = difference(column, row_begin + i);
    Pair* right = difference(column + 1, row_begin + i);
    begin_run(left, runs.left);
    begin_run(right, runs.right);
    end_run(left + rows, runs.left_end);
    end_run(right + rows, runs.right_end);
    i = next;
  }
}

void Strip::add_flat(const Line& line) {
  const double left = std::max(line.u_low, 0.0);
  const double right = std::min(line.u_high, width_);
  if (!(left < right)) return;
  const auto last = static_cast<int32_t>(right);
  auto column = static_cast<int32_t>(left);
  if (static_cast<double>(column) < left) {
    const double to = std::min(right, static_cast<double>(column + 1));
    add_column(single(line, left, to, height_), column);
    ++column;
  }
  if (column < last) {
    const double first = static_cast<double>(column) + 0.5;
    RealPair weights{line.weight, line.weight * line.s(first)};
    const RealPair step{0, line.weight * line.s_slope};
    double v = line.v(first) + 0.5;  // from the row above
    const double end = height_ + 1;
    mark_values(column + 1, last);
    Pair* top = &values_[(static_cast<size_t>(column) + 1) * stride_];
    for (; column < last; ++column, top += stride_, v += line.v_slope, weights += step) {
      if (!(v >= 0 && v < end)) continue;
      const auto row = static_cast<int32_t>(v);
      const Pair second = fixed(weights * (v - static_cast<double>(row)));
      top[row] += fixed(weights) - second;
      top[row + 1] += second;
    }
  }
  if (column == last && static_cast<double>(last) < right) {
    add_column(single(line, std::max(left, static_cast<double>(last)), right, height_), last);
  }
}

/// Prefix sums down a column, as far as they have come: three of the third differences, and those
/// of ramps.
struct Strip::Prefix {
  Pair second{};
  Pair first{};
  Pair value{};
  Pair ramp_step{};
  Pair ramp{};
};

namespace {

constexpr uint32_t kQuad = 4;  // columns that are resolved side by side

using Floats = float __attribute__((vector_size(16)));
using Doubles = double __attribute__((vector_size(32)));

Floats to_floats(double a, double b, double c, double d) {
  return __builtin_convertvector(Doubles{a, b, c, d}, Floats);
}

/// Counts values of a quad that stay the same from row to row together: a column of one line would
/// otherwise wait for its own counter.
class RunCounter {
 public:
  explicit RunCounter(layout::LogHistogram& histogram) : histogram_(histogram) {}
  RunCounter(const RunCounter&) = delete;
  RunCounter& operator=(const RunCounter&) = delete;
  ~RunCounter() { flush(); }
  void add(Floats values) {
    const auto differs = std::bit_cast<Pair>(values != values_);
    if ((differs[0] | differs[1]) != 0) {
      flush();
      values_ = values;
      count_ = 0;
    }
    ++count_;
  }

 private:
  void flush() {
    for (uint32_t x = 0; x < kQuad; ++x) {
      if (values_[x] > 0) histogram_.add(values_[x], count_);
    }
  }
  layout::LogHistogram& histogram_;
  Floats values_{};
  uint64_t count_ = 0;
};

}  // namespace

/// `rows` pixels of `columns` neighbouring columns, at most a quad, from `at` on. Leaves the cells
/// empty.
template <bool kHasRamps, bool kHasOthers>
void Strip::resolve_rows(size_t cell, Prefix* prefixes, uint32_t columns, uint32_t rows,
                         double unit, size_t at, layout::Density& raster,
                         layout::LogHistogram& histogram) {
  RunCounter counter(histogram);
  float* n_at = &raster.n[at];
  float* q_at = &raster.q[at];
  std::array<Prefix, kQuad> state{};
  std::copy_n(prefixes, kQuad, state.begin());
  std::array<RealPair, kQuad> values{};
  Ramp* ramps = &ramps_[cell];
  Pair* steps = &differences_[cell];
  Pair* singles = &values_[cell];
  for (uint32_t y = 0; y < rows; ++y) {
    for (uint32_t x = 0; x < kQuad; ++x) {
      Pair sum{};
      const size_t here = x * stride_ + y;
      if constexpr (kHasRamps) {
        constexpr Pair kOnlyQ{0, ~uint64_t{0}};
        state[x].ramp_step += Pair{ramps[here].n, ramps[here].q};
        state[x].ramp = (state[x].ramp & kOnlyQ) + state[x].ramp_step;
        ramps[here] = {};
        sum = state[x].ramp;
      }
      if constexpr (kHasOthers) {
        state[x].second += steps[here];
        state[x].first += state[x].second;
        state[x].value += state[x].first;
        sum += state[x].value + singles[here];
        steps[here] = Pair{};
        singles[here] = Pair{};
      }
      values[x] = to_real(sum) * unit;
    }
    Floats n = to_floats(values[0][0], values[1][0], values[2][0], values[3][0]);
    Floats q = to_floats(values[0][1], values[1][1], values[2][1], values[3][1]);
    // Slopes are rounded, so a value may miss zero by some units.
    n = n > 0 ? n : Floats{};
    q = q > 0 ? q : Floats{};
    q = q < n ? q : n;
    if (columns == kQuad) {
      std::memcpy(n_at, &n, sizeof n);
      std::memcpy(q_at, &q, sizeof q);
    } else {
      for (uint32_t x = 0; x < kQuad; ++x) {
        if (x >= columns) {
          n[x] = 0;
          continue;
        }
        n_at[x] = n[x];
        q_at[x] = q[x];
      }
    }
    counter.add(n);
    n_at += raster.width;
    q_at += raster.width;
  }
  std::copy_n(state.begin(), kQuad, prefixes);
}

void Strip::resolve(double unit, layout::Density& raster, layout::LogHistogram& histogram) {
  const auto columns = static_cast<uint32_t>(width_);
  const auto first_column = static_cast<uint32_t>(origin_x_);
  std::array<Prefix, kWidth> prefixes{};
  for (uint32_t x = 0; x < columns; ++x) {
    const Pair above = differences_[(size_t{x} + 1) * stride_];  // the row above the raster
    prefixes[x] = {above, above, above, Pair{}, Pair{}};
  }
  // Blocks of rows keep what is written in the nearest cache.
  for (uint32_t top = 0; top < raster.height; top += kBlockRows) {
    const uint32_t rows = std::min(kBlockRows, raster.height - top);
    for (uint32_t x = 0; x < columns; x += kQuad) {
      const size_t at = raster.index(first_column + x, top);
      const size_t cell = (size_t{x} + 1) * stride_ + 1 + top;
      const auto rows_of = [&](auto has_ramps, auto has_others) {
        resolve_rows<has_ramps(), has_others()>(cell, &prefixes[x], std::min(kQuad, columns - x),
                                                rows, unit, at, raster, histogram);
      };
      const std::true_type yes;
      const std::false_type no;
      const auto any = [x](const std::array<bool, kWidth + 2>& in_use) {
        return std::any_of(&in_use[x + 1], &in_use[x + 1] + kQuad, [](bool used) { return used; });
      };
      if (any(has_differences_) || any(has_values_)) {
        any(has_ramps_) ? rows_of(yes, yes) : rows_of(no, yes);
      } else {
        any(has_ramps_) ? rows_of(yes, no) : rows_of(no, no);
      }
    }
  }
  // What lies outside the raster.
  const auto empty = [&](auto& cells, std::array<bool, kWidth + 2>& in_use) {
    for (size_t x = 0; x < in_use.size(); ++x) {
      if (!in_use[x]) continue;
      const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(x * stride_);
      const auto end = begin + static_cast<std::ptrdiff_t>(stride_);
      const std::decay_t<decltype(*begin)> nothing{};
      *begin = nothing;
      const bool is_margin = x == 0 || x > columns;
      std::fill(is_margin ? begin : begin + 1 + raster.height, end, nothing);
      in_use[x] = false;
    }
  };
  empty(ramps_, has_ramps_);
  empty(differences_, has_differences_);
  empty(values_, has_values_);
}

}  // namespace pathline::render
