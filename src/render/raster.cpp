// SPDX-License-Identifier: BSD-3-Clause
#include "render/raster.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace pathline::render {
namespace {

// Fixed-point budget: a pixel never holds more than all lines together, and the sign bit and one
// bit for rounding stay free.
constexpr int kTotalBits = 61;
// fixed() holds 51 bits, and coefficients of a run are at most three weights.
constexpr int kWeightBits = 48;
constexpr size_t kMaxParts = 8;
constexpr size_t kMinLinesPerPart = 65536;

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
// taken back behind its last row; a single row is four.

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

void add_single(Pair* cell, Pair value) {
  const Pair triple = value + value + value;
  cell[0] += value;
  cell[1] -= triple;
  cell[2] += triple;
  cell[3] -= value;
}

/// A single row, and a run that begins in the next.
void begin_run_after_single(Pair* cell, Pair value, const Run& run) {
  const Pair triple = value + value + value;
  cell[0] += value;
  cell[1] += run.a - triple;
  cell[2] += run.b - run.a - run.a + triple;
  cell[3] += run.a - run.b + run.c - value;
}

/// The end of a run (whose continuation `run` is), and a single row in its place.
void end_run_before_single(Pair* cell, Pair value, const Run& run) {
  const Pair triple = value + value + value;
  cell[0] -= run.a - value;
  cell[1] -= run.b - run.a - run.a + triple;
  cell[2] -= run.a - run.b + run.c - triple;
  cell[3] -= value;
}

/// A line along its major axis u; v is the other axis. s runs from 0 to 1 along the line.
struct Line {
  double u_low, u_high;
  double u0, v0;   // where s = 0
  double v_slope;  // at most 1 either way
  double s_slope;
  double weight;  // in units

  double v(double u) const { return v0 + v_slope * (u - u0); }
  double s(double u) const { return s_slope * (u - u0); }
};

/// Part of a row or column: `share` of it in the second of the two pixels.
struct Single {
  int64_t first_pixel;
  Pair first;
  Pair second;
};

/// The differences of one part of the lines. One column of margin on either side and rows below
/// and above take what falls just outside, so that the inner loops need not ask.
class Differences {
 public:
  Differences(uint32_t width, uint32_t height)
      : width_(width),
        height_(height),
        stride_(stride_of(height)),
        cells_(stride_ * (static_cast<size_t>(width) + 2)) {}

  void add(double x1, double y1, double x2, double y2, double weight);

  /// From the row above the raster on.
  const Pair* column(uint32_t x) const { return &cells_[(x + size_t{1}) * stride_]; }

  static size_t stride_of(uint32_t height) { return static_cast<size_t>(height) + 7; }

 private:
  Pair* cell(int64_t x, int64_t y) {
    return &cells_[static_cast<size_t>(x + 1) * stride_ + static_cast<size_t>(y + 1)];
  }

  void add_steep(const Line& line);
  void add_flat(const Line& line);
  void add_pixels(const Single& single, int64_t row);
  void add_full_rows(const Line& line, int64_t row_begin, int64_t row_end, const Single& head,
                     const Single& tail);

  double width_;
  double height_;
  size_t stride_;
  std::vector<Pair> cells_;
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

void Differences::add(double x1, double y1, double x2, double y2, double weight) {
  double dx = x2 - x1;
  double dy = y2 - y1;
  const double length = std::max(std::abs(dx), std::abs(dy));
  if (length < 1) {
    if (length == 0) {
      dy = 1;
    } else {
      dx /= length;
      dy /= length;
    }
    x1 = (x1 + x2 - dx) / 2;
    y1 = (y1 + y2 - dy) / 2;
    x2 = x1 + dx;
    y2 = y1 + dy;
  }
  if (std::abs(dy) >= std::abs(dx)) {
    add_steep({std::min(y1, y2), std::max(y1, y2), y1, x1, dx / dy, 1 / dy, weight});
  } else {
    add_flat({std::min(x1, x2), std::max(x1, x2), x1, y1, dy / dx, 1 / dx, weight});
  }
}

void Differences::add_pixels(const Single& single, int64_t row) {
  if (single.first_pixel == kNowhere) return;
  add_single(cell(single.first_pixel, row), single.first);
  add_single(cell(single.first_pixel + 1, row), single.second);
}

void Differences::add_steep(const Line& line) {
  const double top = std::max(line.u_low, 0.0);
  const double bottom = std::min(line.u_high, height_);
  if (top >= bottom) return;
  const auto full_end = static_cast<int64_t>(bottom);
  auto full_begin = static_cast<int64_t>(top);
  if (static_cast<double>(full_begin) < top) ++full_begin;
  if (full_begin > full_end) {  // the raster's edge leaves less than a row
    add_pixels(single(line, top, bottom, width_), full_end);
    return;
  }
  const Single head = single(line, top, static_cast<double>(full_begin), width_);
  const Single tail = single(line, static_cast<double>(full_end), bottom, width_);
  if (full_begin < full_end) {
    add_full_rows(line, full_begin, full_end, head, tail);
  } else {
    add_pixels(head, full_begin - 1);
    add_pixels(tail, full_end);
  }
}

/// Rows [row_begin, row_end), which the line crosses from edge to edge, cut into runs between two
/// columns of pixels; with the partial rows above and below, which nearly always share cells
/// with the first and the last run.
void Differences::add_full_rows(const Line& line, int64_t row_begin, int64_t row_end,
                                const Single& head, const Single& tail) {
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

  bool head_is_in = false;
  bool tail_is_in = false;
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
    Pair* left = cell(column, row_begin + i);
    Pair* right = left + stride_;
    if (i == 0 && head.first_pixel == column) {
      begin_run_after_single(left - 1, head.first, runs.left);
      begin_run_after_single(right - 1, head.second, runs.right);
      head_is_in = true;
    } else {
      begin_run(left, runs.left);
      begin_run(right, runs.right);
    }
    if (next == row_count && tail.first_pixel == column) {
      end_run_before_single(left + rows, tail.first, runs.left_end);
      end_run_before_single(right + rows, tail.second, runs.right_end);
      tail_is_in = true;
    } else {
      end_run(left + rows, runs.left_end);
      end_run(right + rows, runs.right_end);
    }
    i = next;
  }
  if (!head_is_in) add_pixels(head, row_begin - 1);
  if (!tail_is_in) add_pixels(tail, row_end);
}

void Differences::add_flat(const Line& line) {
  const double right = std::min(line.u_high, width_);
  for (double from = std::max(line.u_low, 0.0); from < right;) {
    const auto column = static_cast<int64_t>(from);
    const double to = std::min(right, static_cast<double>(column + 1));
    const Single pixels = single(line, from, to, height_);
    if (pixels.first_pixel != kNowhere) {
      add_single(cell(column, pixels.first_pixel), pixels.first);
      add_single(cell(column, pixels.first_pixel + 1), pixels.second);
    }
    from = to;
  }
}

bool usable(const layout::Segments& lines, size_t i) {
  // A sum of doubles is finite exactly if all the floats in it are.
  const double sum = double{lines.x1[i]} + lines.y1[i] + lines.x2[i] + lines.y2[i];
  if (lines.weight.empty()) return std::isfinite(sum);
  return std::isfinite(sum + lines.weight[i]) && lines.weight[i] >= 0;
}

/// Power of two by which weights are multiplied. A function of the multiset of weights: of their
/// largest, and of a sum in integers, so that order does not matter.
int weight_exponent(const layout::Segments& lines, DensityRaster& raster) {
  const auto count = static_cast<uint64_t>(lines.size());
  if (lines.weight.empty()) {
    raster.min_weight = count == 0 ? 0 : 1;
    return std::min(kWeightBits, kTotalBits - static_cast<int>(std::bit_width(count)));
  }
  float largest = 0;
  float smallest = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const float weight = lines.weight[i];
    if (!(weight > 0) || !usable(lines, i)) continue;
    largest = std::max(largest, weight);
    smallest = smallest == 0 ? weight : std::min(smallest, weight);
  }
  raster.min_weight = smallest;
  if (largest == 0) return 0;
  const int exponent = kWeightBits - 1 - std::ilogb(largest);
  // Sum of the upper bits only: it cannot overflow and is too small by less than one each.
  constexpr int kDropped = 20;
  uint64_t upper_sum = count;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (usable(lines, i)) {
      upper_sum += static_cast<uint64_t>(std::ldexp(double{lines.weight[i]}, exponent)) >> kDropped;
    }
  }
  const int total_bits = static_cast<int>(std::bit_width(upper_sum)) + kDropped;
  return exponent - std::max(0, total_bits - kTotalBits);
}

/// Adds up the differences of all parts in columns [begin, end) and turns them into values.
void resolve(const std::vector<std::optional<Differences>>& parts, uint32_t begin, uint32_t end,
             DensityRaster& raster) {
  std::vector<Pair> sum(Differences::stride_of(raster.height));
  for (uint32_t x = begin; x < end; ++x) {
    const Pair* column = parts[0]->column(x);
    if (parts.size() > 1) {
      std::copy_n(column, sum.size(), sum.begin());
      for (size_t part = 1; part < parts.size(); ++part) {
        const Pair* other = parts[part]->column(x);
        for (size_t y = 0; y < sum.size(); ++y) sum[y] += other[y];
      }
      column = sum.data();
    }
    Pair second{};
    Pair first{};
    Pair value{};
    int64_t* n = &raster.n[raster.index(x, 0)];
    int64_t* q = &raster.q[raster.index(x, 0)];
    for (uint32_t y = 0; y <= raster.height; ++y) {
      second += column[y];
      first += second;
      value += first;
      if (y == 0) continue;  // the row above the raster
      // Slopes are rounded, so a value may miss zero by some units.
      n[y - 1] = std::max<int64_t>(0, static_cast<int64_t>(value[0]));
      q[y - 1] = std::clamp<int64_t>(static_cast<int64_t>(value[1]), 0, n[y - 1]);
    }
  }
}

}  // namespace

DensityRaster rasterize(const layout::Segments& segments, base::ThreadPool& pool) {
  const size_t count = segments.size();
  assert(segments.y1.size() == count && segments.x2.size() == count && segments.y2.size() == count);
  assert(segments.weight.empty() || segments.weight.size() == count);

  const double origin_x = std::floor(segments.clip.x);
  const double origin_y = std::floor(segments.clip.y);
  const double width = std::ceil(segments.clip.right()) - origin_x;
  const double height = std::ceil(segments.clip.bottom()) - origin_y;
  DensityRaster raster;
  if (!(width >= 1 && height >= 1 && width <= kMaxRasterSide && height <= kMaxRasterSide)) {
    return raster;
  }
  raster.width = static_cast<uint32_t>(width);
  raster.height = static_cast<uint32_t>(height);

  const int exponent = weight_exponent(segments, raster);
  raster.unit = std::ldexp(1.0, -exponent);
  const double scale = std::ldexp(1.0, exponent);

  const size_t part_count = std::clamp<size_t>(
      std::min<size_t>(pool.thread_count(), count / kMinLinesPerPart), 1, kMaxParts);
  std::vector<std::optional<Differences>> parts(part_count);
  std::vector<uint64_t> rejected_counts(part_count);
  pool.for_each(part_count, [&](size_t part) {
    Differences& differences = parts[part].emplace(raster.width, raster.height);
    uint64_t rejected_count = 0;
    const size_t end = count * (part + 1) / part_count;
    for (size_t i = count * part / part_count; i < end; ++i) {
      if (!usable(segments, i)) {
        ++rejected_count;
        continue;
      }
      const double weight = segments.weight.empty() ? 1.0 : double{segments.weight[i]};
      differences.add(segments.x1[i] - origin_x, segments.y1[i] - origin_y,
                      segments.x2[i] - origin_x, segments.y2[i] - origin_y, weight * scale);
    }
    rejected_counts[part] = rejected_count;
  });
  raster.rejected_count =
      std::accumulate(rejected_counts.begin(), rejected_counts.end(), uint64_t{0});
  raster.line_count = count - raster.rejected_count;

  const size_t pixel_count = static_cast<size_t>(raster.width) * raster.height;
  raster.n.resize(pixel_count);
  raster.q.resize(pixel_count);
  constexpr uint32_t kColumnsPerBlock = 64;
  const uint32_t block_count = (raster.width + kColumnsPerBlock - 1) / kColumnsPerBlock;
  pool.for_each(block_count, [&](size_t block) {
    const auto begin = static_cast<uint32_t>(block) * kColumnsPerBlock;
    resolve(parts, begin, std::min(begin + kColumnsPerBlock, raster.width), raster);
  });
  return raster;
}

}  // namespace pathline::render
