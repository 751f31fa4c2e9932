// SPDX-License-Identifier: BSD-3-Clause
#include "render/raster.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <mutex>
#include <type_traits>
#include <vector>

#include "render/chords.hpp"

namespace pathline::render {
namespace {

// Fixed-point budget: a pixel never holds more than all lines together, and the sign bit and one
// bit for rounding stay free.
constexpr int kTotalBits = 61;
// fixed() holds 51 bits, and coefficients of a run are at most three weights.
constexpr int kWeightBits = 48;
constexpr uint32_t kStripWidth = 16;
constexpr uint32_t kBlockRows = 64;
// Rows that a chord must stay between two columns to be entered as a run.
constexpr double kMinRunRows = 6;

/// A value for n (first) and one for q (second); one SSE2 register. Integers are unsigned because
/// intermediate sums wrap around; the resolved values do not.
using Pair = uint64_t __attribute__((vector_size(16)));
using RealPair = double __attribute__((vector_size(16)));

/// Nearest integers of values below 2^51: adding 1.5 x 2^52 leaves them in the low bits.
Pair fixed(RealPair values) {
  constexpr double kShift = 0x1.8p52;
  constexpr RealPair kShifts{kShift, kShift};
  return std::bit_cast<Pair>(values + kShifts) - std::bit_cast<Pair>(kShifts);
}

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

/// A chord along its major axis u; v is the other axis.
struct Line {
  double u_low, u_high;
  double u0, v0, s0;  // where it begins
  double v_slope;     // at most 1 either way
  double s_slope;
  double weight;  // in units

  double v(double u) const { return v0 + v_slope * (u - u0); }
  double s(double u) const { return s0 + s_slope * (u - u0); }
};

/// Part of a row or column: `share` of it in the second of the two pixels.
struct Single {
  int64_t first_pixel;
  Pair first;
  Pair second;
};

/// Some columns of the raster while they are drawn. One column of margin on either side and rows
/// below and above take what falls just outside, so that the inner loops need not ask.
class Strip {
 public:
  explicit Strip(uint32_t height)
      : height_(height),
        stride_(static_cast<size_t>(height) + 7),
        differences_(stride_ * (kStripWidth + 2)),
        values_(stride_ * (kStripWidth + 2)) {}

  void begin(uint32_t first_column, uint32_t width) {
    origin_x_ = first_column;
    width_ = width;
  }

  /// weight  in units.
  void add(const Chord& chord, double weight);

  /// Writes the columns into the raster and empties the strip.
  void resolve(double unit, layout::Density& raster, layout::LogHistogram& histogram);

 private:
  struct Prefix;
  class RunCounter;

  Pair* difference(int64_t x, int64_t y) {
    has_differences_[static_cast<size_t>(x + 1)] = true;
    return &differences_[static_cast<size_t>(x + 1) * stride_ + static_cast<size_t>(y + 1)];
  }
  Pair* value(int64_t x, int64_t y) {
    has_values_[static_cast<size_t>(x + 1)] = true;
    return &values_[static_cast<size_t>(x + 1) * stride_ + static_cast<size_t>(y + 1)];
  }

  template <bool kHasSteps, bool kHasValues>
  void resolve_rows(Pair* steps, Pair* values, Prefix& prefix, uint32_t rows, double unit,
                    size_t at, layout::Density& raster, layout::LogHistogram& histogram);

  void add_on_pixels(const Chord& chord, double weight, int64_t column, int64_t top,
                     int64_t bottom);
  void add_steep(const Line& line);
  void add_flat(const Line& line);
  void step_steep(const Line& line, double top, double bottom);
  void add_pixels(const Single& single, int64_t row);
  void add_full_rows(const Line& line, int64_t row_begin, int64_t row_end);

  double origin_x_ = 0;
  double width_ = 0;
  double height_;
  size_t stride_;
  std::vector<Pair> differences_;
  std::vector<Pair> values_;
  std::array<bool, kStripWidth + 2> has_differences_{};  // per column, with the margins
  std::array<bool, kStripWidth + 2> has_values_{};
};

/// No pixel has this number: nothing to add.
constexpr int64_t kNowhere = INT64_MIN;

/// The line between u_from and u_to, which lie in one row (column), across that row.
/// v_end  one more than the last pixel across.
Single single(const Line& line, double u_from, double u_to, double v_end) {
  const double middle = (u_from + u_to) / 2;
  const double v = line.v(middle) - 0.5;
  if (!(u_from < u_to && v >= -1 && v < v_end)) return {kNowhere, Pair{}, Pair{}};
  const auto pixel = static_cast<int64_t>(v + 1) - 1;
  const double weight = line.weight * (u_to - u_from);
  const RealPair whole{weight, weight * line.s(middle)};
  const Pair second = fixed(whole * (v - static_cast<double>(pixel)));
  return {pixel, fixed(whole) - second, second};
}

/// What a run of rows puts into its left and its right column: from its first row on, and as
/// continued behind its last one.
struct Runs {
  Run left, right;
  Run left_end, right_end;
};

/// `share` (of the right column) and `s` are those of the first row. n is w share, q is
/// w share s; b and c hold their first and second differences.
Runs make_runs(const Line& line, double share, double s, uint64_t rows) {
  const double w = line.weight;
  const double w_share_step = w * line.v_slope;
  const double ws_step = w * line.s_slope;
  const RealPair whole{w, w * s};
  const Run both{fixed(whole), fixed(RealPair{0, ws_step}), Pair{}};
  const double q_step = share * ws_step + w_share_step * (s + line.s_slope);
  const Run right{fixed(whole * share), fixed(RealPair{w_share_step, q_step}),
                  fixed(RealPair{0, 2 * line.v_slope * ws_step})};
  const Run both_end{both.a + Pair{0, both.b[1] * rows}, both.b, both.c};
  const Run right_end = right.after(rows);
  return {both.minus(right), right, both_end.minus(right_end), right_end};
}

/// Whether a coordinate is that of a pixel's centre or edge; `whole` receives its floor.
bool is_at(double value, double offset, int64_t& whole) {
  whole = static_cast<int64_t>(value);
  return static_cast<double>(whole) + offset == value;
}

void Strip::add(const Chord& chord, double weight) {
  const double x1 = chord.x1 - origin_x_;
  if (chord.x1 == chord.x2) {
    int64_t column = 0;
    int64_t top = 0;
    int64_t bottom = 0;
    if (is_at(x1, 0.5, column) && is_at(std::min(chord.y1, chord.y2), 0, top) &&
        is_at(std::max(chord.y1, chord.y2), 0, bottom)) {
      if (column < static_cast<int64_t>(width_)) add_on_pixels(chord, weight, column, top, bottom);
      return;
    }
  }
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

/// A vertical line that covers whole pixels of one column.
void Strip::add_on_pixels(const Chord& chord, double weight, int64_t column, int64_t top,
                          int64_t bottom) {
  top = std::max<int64_t>(top, 0);
  bottom = std::min(bottom, static_cast<int64_t>(height_));
  if (top >= bottom) return;
  const auto rows = static_cast<uint64_t>(bottom - top);
  const double s_slope = (chord.s2 - chord.s1) / (chord.y2 - chord.y1);
  const double s = chord.s1 + s_slope * (static_cast<double>(top) + 0.5 - chord.y1);
  const Pair first = fixed(RealPair{weight, weight * s});
  const Pair step = fixed(RealPair{0, weight * s_slope});
  Pair* begin = difference(column, top);
  begin_run(begin, {first, step, Pair{}});
  end_run(begin + rows, {first + Pair{0, step[1] * rows}, step, Pair{}});
}

void Strip::add_pixels(const Single& single, int64_t row) {
  if (single.first_pixel == kNowhere) return;
  *value(single.first_pixel, row) += single.first;
  *value(single.first_pixel + 1, row) += single.second;
}

/// Row by row; the first and the last one may be partial.
void Strip::step_steep(const Line& line, double top, double bottom) {
  for (double from = top; from < bottom;) {
    const auto row = static_cast<int64_t>(from);
    const double to = std::min(bottom, static_cast<double>(row + 1));
    add_pixels(single(line, from, to, width_), row);
    from = to;
  }
}

void Strip::add_steep(const Line& line) {
  const double top = std::max(line.u_low, 0.0);
  const double bottom = std::min(line.u_high, height_);
  if (top >= bottom) return;
  const auto full_end = static_cast<int64_t>(bottom);
  const double run_rows = std::min(bottom - top, 1 / std::abs(line.v_slope));
  if (!(run_rows >= kMinRunRows)) {
    // Rows whose v lies in [-1, width_), a row more on either side.
    double from = top;
    double until = bottom;
    if (line.v_slope != 0) {
      const double a = line.u0 + (-1 - line.v0) / line.v_slope;
      const double b = line.u0 + (width_ + 1 - line.v0) / line.v_slope;
      from = std::max(top, std::min(a, b));
      until = std::min(bottom, std::max(a, b));
    }
    step_steep(line, from, until);
    return;
  }
  auto full_begin = static_cast<int64_t>(top);
  if (static_cast<double>(full_begin) < top) ++full_begin;
  if (full_begin > full_end) {  // the raster's edge leaves less than a row
    add_pixels(single(line, top, bottom, width_), full_end);
    return;
  }
  add_pixels(single(line, top, static_cast<double>(full_begin), width_), full_begin - 1);
  add_pixels(single(line, static_cast<double>(full_end), bottom, width_), full_end);
  if (full_begin < full_end) add_full_rows(line, full_begin, full_end);
}

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
    const Runs runs = make_runs(line, std::clamp(v - column_v, 0.0, 1.0),
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
  const double right = std::min(line.u_high, width_);
  for (double from = std::max(line.u_low, 0.0); from < right;) {
    const auto column = static_cast<int64_t>(from);
    const double to = std::min(right, static_cast<double>(column + 1));
    const Single pixels = single(line, from, to, height_);
    if (pixels.first_pixel != kNowhere) {
      Pair* at = value(column, pixels.first_pixel);
      at[0] += pixels.first;
      at[1] += pixels.second;
    }
    from = to;
  }
}

/// Three prefix sums down a column, as far as they have come.
struct Strip::Prefix {
  Pair second{};
  Pair first{};
  Pair value{};
};

/// Counts equal neighbours together: a column of one line would otherwise wait for its own counter.
class Strip::RunCounter {
 public:
  explicit RunCounter(layout::LogHistogram& histogram) : histogram_(histogram) {}
  RunCounter(const RunCounter&) = delete;
  RunCounter& operator=(const RunCounter&) = delete;
  ~RunCounter() { flush(); }
  void add(float value) {
    if (value != value_) {
      flush();
      value_ = value;
      count_ = 0;
    }
    ++count_;
  }

 private:
  void flush() {
    if (value_ > 0) histogram_.add(value_, count_);
  }
  layout::LogHistogram& histogram_;
  float value_ = 0;
  uint64_t count_ = 0;
};

/// `rows` pixels of one column from `at` on. Leaves the cells empty.
template <bool kHasSteps, bool kHasValues>
void Strip::resolve_rows(Pair* steps, Pair* values, Prefix& prefix, uint32_t rows, double unit,
                         size_t at, layout::Density& raster, layout::LogHistogram& histogram) {
  Prefix state = prefix;
  RunCounter counter(histogram);
  float* n_at = &raster.n[at];
  float* q_at = &raster.q[at];
  for (uint32_t y = 0; y < rows; ++y) {
    Pair sum{};
    if constexpr (kHasSteps) {
      state.second += steps[y];
      state.first += state.second;
      state.value += state.first;
      steps[y] = Pair{};
      sum = state.value;
    }
    if constexpr (kHasValues) {
      sum += values[y];
      values[y] = Pair{};
    }
    // Slopes are rounded, so a value may miss zero by some units.
    const auto exact = [&](int part) {
      return static_cast<float>(static_cast<double>(static_cast<int64_t>(sum[part])) * unit);
    };
    const float n = std::max(0.0F, exact(0));
    *n_at = n;
    *q_at = std::min(std::max(exact(1), 0.0F), n);
    counter.add(n);
    n_at += raster.width;
    q_at += raster.width;
  }
  prefix = state;
}

void Strip::resolve(double unit, layout::Density& raster, layout::LogHistogram& histogram) {
  const auto columns = static_cast<uint32_t>(width_);
  const auto first_column = static_cast<uint32_t>(origin_x_);
  std::array<Prefix, kStripWidth> prefixes{};
  for (uint32_t x = 0; x < columns; ++x) {
    const Pair above = differences_[(size_t{x} + 1) * stride_];  // the row above the raster
    prefixes[x] = {above, above, above};
  }
  // Blocks of rows keep what is written in the nearest cache.
  for (uint32_t top = 0; top < raster.height; top += kBlockRows) {
    const uint32_t rows = std::min(kBlockRows, raster.height - top);
    for (uint32_t x = 0; x < columns; ++x) {
      const size_t at = raster.index(first_column + x, top);
      const size_t column = (size_t{x} + 1) * stride_ + 1 + top;
      Pair* steps = &differences_[column];
      Pair* values = &values_[column];
      const auto rows_of = [&](auto has_steps, auto has_values) {
        resolve_rows<has_steps(), has_values()>(steps, values, prefixes[x], rows, unit, at, raster,
                                                histogram);
      };
      const std::true_type yes;
      const std::false_type no;
      if (has_differences_[x + 1]) {
        has_values_[x + 1] ? rows_of(yes, yes) : rows_of(yes, no);
      } else {
        has_values_[x + 1] ? rows_of(no, yes) : rows_of(no, no);
      }
    }
  }
  // What lies outside the raster.
  const auto empty = [&](std::vector<Pair>& cells, std::array<bool, kStripWidth + 2>& in_use) {
    for (size_t x = 0; x < in_use.size(); ++x) {
      if (!in_use[x]) continue;
      const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(x * stride_);
      const auto end = begin + static_cast<std::ptrdiff_t>(stride_);
      *begin = Pair{};
      const bool is_margin = x == 0 || x > columns;
      std::fill(is_margin ? begin : begin + 1 + raster.height, end, Pair{});
      in_use[x] = false;
    }
  };
  empty(differences_, has_differences_);
  empty(values_, has_values_);
}

// Lines come first, then the pieces of curves, in one numbering.

bool usable(const layout::Segments& segments, size_t i) {
  // Zero times what is not finite is not a number.
  if (i < segments.size()) {
    const float zero =
        0 * segments.x1[i] + 0 * segments.y1[i] + 0 * segments.x2[i] + 0 * segments.y2[i];
    if (segments.weight.empty()) return zero == 0;
    return zero + 0 * segments.weight[i] == 0 && segments.weight[i] >= 0;
  }
  const layout::Curves& curves = segments.curves;
  i -= segments.size();
  const float zero = 0 * curves.x1[i] + 0 * curves.y1[i] + 0 * curves.cx[i] + 0 * curves.cy[i] +
                     0 * curves.x2[i] + 0 * curves.y2[i] + 0 * curves.s1[i] + 0 * curves.s2[i] +
                     0 * curves.weight[i];
  return zero == 0 && curves.weight[i] >= 0;
}

double weight_of(const layout::Segments& segments, size_t i) {
  if (i >= segments.size()) return double{segments.curves.weight[i - segments.size()]};
  return segments.weight.empty() ? 1.0 : double{segments.weight[i]};
}

/// Power of two by which weights are multiplied. A function of the multiset of weights: of their
/// largest, and of a sum in integers, so that order does not matter.
int weight_exponent(const layout::Segments& segments, layout::Density& raster) {
  const size_t count = segments.size() + segments.curves.size();
  if (segments.weight.empty() && segments.curves.size() == 0) {
    raster.min_weight = count == 0 ? 0 : 1;
    return std::min(kWeightBits, kTotalBits - static_cast<int>(std::bit_width(count)));
  }
  double largest = 0;
  double smallest = 0;
  for (size_t i = 0; i < count; ++i) {
    const double weight = weight_of(segments, i);
    if (!(weight > 0) || !usable(segments, i)) continue;
    largest = std::max(largest, weight);
    smallest = smallest == 0 ? weight : std::min(smallest, weight);
  }
  raster.min_weight = smallest;
  if (largest == 0) return 0;
  const int exponent = kWeightBits - 1 - std::ilogb(largest);
  // Sum of the upper bits only: it cannot overflow and is too small by less than one each.
  constexpr int kDropped = 20;
  const double scale = std::ldexp(1.0, exponent - kDropped);
  uint64_t upper_sum = count;
  for (size_t i = 0; i < count; ++i) {
    if (usable(segments, i)) upper_sum += static_cast<uint64_t>(weight_of(segments, i) * scale);
  }
  const int total_bits = static_cast<int>(std::bit_width(upper_sum)) + kDropped;
  return exponent - std::max(0, total_bits - kTotalBits);
}

/// Strips that something may touch; none when it is outside or not drawn.
struct StripRange {
  uint16_t begin = 0;
  uint16_t end = 0;
};

/// The ends of something on each axis, and what lengthening and coverage add.
class StripFinder {
 public:
  StripFinder(double origin_x, double origin_y, const layout::Density& raster)
      : left_(static_cast<float>(origin_x) - kReach),
        right_(static_cast<float>(origin_x + raster.width) + kReach),
        top_(static_cast<float>(origin_y) - kReach),
        bottom_(static_cast<float>(origin_y + raster.height) + kReach),
        origin_(static_cast<float>(origin_x)),
        last_(static_cast<float>(raster.width) - 1) {}

  StripRange of(float x_low, float x_high, float y_low, float y_high) const {
    if (!(x_high >= left_ && x_low <= right_ && y_high >= top_ && y_low <= bottom_)) return {};
    const auto strip = [&](float x) {
      const float inside = std::min(std::max(x, 0.0F), last_);
      return static_cast<uint32_t>(static_cast<int32_t>(inside)) / kStripWidth;
    };
    return {static_cast<uint16_t>(strip(x_low - origin_ - kReach)),
            static_cast<uint16_t>(strip(x_high - origin_ + kReach) + 1)};
  }

 private:
  static constexpr float kReach = 2;
  float left_, right_, top_, bottom_;
  float origin_, last_;
};

/// What each strip has to draw, in the order of the numbering.
struct Buckets {
  std::vector<uint64_t> begin;  // per strip, and one more
  base::Column<uint32_t> items;
};

Buckets bucket(const layout::Segments& segments, double origin_x, double origin_y,
               layout::Density& raster) {
  const uint32_t strip_count = (raster.width + kStripWidth - 1) / kStripWidth;
  const size_t lines = segments.size();
  const size_t count = lines + segments.curves.size();
  const layout::Curves& curves = segments.curves;
  Buckets result;
  result.begin.resize(strip_count + 2);
  base::Column<StripRange> ranges(count);
  const StripFinder strips(origin_x, origin_y, raster);
  const auto enter = [&](size_t i, StripRange range) {
    ranges[i] = range;
    for (uint32_t strip = range.begin; strip < range.end; ++strip) ++result.begin[strip + 2];
  };
  for (size_t i = 0; i < lines; ++i) {
    if (!usable(segments, i)) {
      ++raster.rejected_count;
      ranges[i] = {};
      continue;
    }
    const float x1 = segments.x1[i];
    const float x2 = segments.x2[i];
    const float y1 = segments.y1[i];
    const float y2 = segments.y2[i];
    enter(i, strips.of(std::min(x1, x2), std::max(x1, x2), std::min(y1, y2), std::max(y1, y2)));
  }
  for (size_t i = lines; i < count; ++i) {
    const size_t k = i - lines;
    if (!usable(segments, i)) {
      ++raster.rejected_count;
      ranges[i] = {};
      continue;
    }
    const auto [x_low, x_high] = std::minmax({curves.x1[k], curves.cx[k], curves.x2[k]});
    const auto [y_low, y_high] = std::minmax({curves.y1[k], curves.cy[k], curves.y2[k]});
    enter(i, strips.of(x_low, x_high, y_low, y_high));
  }
  for (size_t strip = 2; strip < result.begin.size(); ++strip) {
    result.begin[strip] += result.begin[strip - 1];
  }
  result.items.resize(result.begin.back());
  for (size_t i = 0; i < count; ++i) {
    for (uint32_t strip = ranges[i].begin; strip < ranges[i].end; ++strip) {
      result.items[result.begin[strip + 1]++] = static_cast<uint32_t>(i);
    }
  }
  return result;
}

}  // namespace

layout::Density rasterize(const layout::Segments& segments, base::ThreadPool& pool) {
  const size_t lines = segments.size();
  const layout::Curves& curves = segments.curves;
  assert(segments.y1.size() == lines && segments.x2.size() == lines && segments.y2.size() == lines);
  assert(segments.weight.empty() || segments.weight.size() == lines);

  const double origin_x = std::floor(segments.clip.x);
  const double origin_y = std::floor(segments.clip.y);
  const double width = std::ceil(segments.clip.right()) - origin_x;
  const double height = std::ceil(segments.clip.bottom()) - origin_y;
  layout::Density raster;
  if (!(width >= 1 && height >= 1 && width <= kMaxRasterSide && height <= kMaxRasterSide)) {
    return raster;
  }
  raster.width = static_cast<uint32_t>(width);
  raster.height = static_cast<uint32_t>(height);
  const size_t pixel_count = static_cast<size_t>(raster.width) * raster.height;
  raster.n.resize(pixel_count);
  raster.q.resize(pixel_count);

  const int exponent = weight_exponent(segments, raster);
  const double unit = std::ldexp(1.0, -exponent);
  const double scale = std::ldexp(1.0, exponent);
  const Buckets buckets = bucket(segments, origin_x, origin_y, raster);
  raster.line_count = lines + curves.size() - raster.rejected_count;

  const auto draw = [&](size_t i, Strip& strip) {
    const double weight = weight_of(segments, i) * scale;
    if (i < lines) {
      strip.add(lengthened({segments.x1[i] - origin_x, segments.y1[i] - origin_y,
                            segments.x2[i] - origin_x, segments.y2[i] - origin_y, 0, 1}),
                weight);
      return;
    }
    const size_t k = i - lines;
    for_each_chord({{curves.x1[k] - origin_x, curves.y1[k] - origin_y},
                    {curves.cx[k] - origin_x, curves.cy[k] - origin_y},
                    {curves.x2[k] - origin_x, curves.y2[k] - origin_y}},
                   curves.s1[k], curves.s2[k],
                   [&](const Chord& chord) { strip.add(chord, weight); });
  };
  // Pieces of work as large as a thread's share: a strip's memory is made once for each.
  const uint32_t strip_count = (raster.width + kStripWidth - 1) / kStripWidth;
  const uint32_t part_count = std::min(strip_count, pool.thread_count() == 1 ? 1U : 16U);
  std::mutex mutex;
  pool.for_each(part_count, [&](size_t part) {
    Strip strip(raster.height);
    layout::LogHistogram histogram;
    for (size_t k = strip_count * part / part_count; k < strip_count * (part + 1) / part_count;
         ++k) {
      const auto first = static_cast<uint32_t>(k) * kStripWidth;
      strip.begin(first, std::min(kStripWidth, raster.width - first));
      for (uint64_t item = buckets.begin[k]; item < buckets.begin[k + 1]; ++item) {
        draw(buckets.items[item], strip);
      }
      strip.resolve(unit, raster, histogram);
    }
    const std::lock_guard lock(mutex);
    raster.histogram.add(histogram);
  });
  return raster;
}

}  // namespace pathline::render
