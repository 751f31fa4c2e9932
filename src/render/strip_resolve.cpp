// SPDX-License-Identifier: BSD-3-Clause
//
// From sums in fixed point to the pixels of a strip.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "render/strip.hpp"

namespace pathline::render {
namespace {

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

}  // namespace

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
    for (int x = 0; x < 4; ++x) {
      if (values_[x] > 0) histogram_.add(values_[x], count_);
    }
  }
  layout::LogHistogram& histogram_;
  Floats values_{};
  uint64_t count_ = 0;
};

}  // namespace

/// `rows` rows from `top` on of `columns` neighbouring columns from `x` on, at most a quad. Leaves
/// the cells empty.
template <bool kHasRamps, bool kHasOthers>
void Strip::resolve_rows(uint32_t x, Prefix* prefixes, uint32_t columns, uint32_t top,
                         uint32_t rows, double unit, layout::Density& raster,
                         layout::LogHistogram& histogram) {
  RunCounter counter(histogram);
  const size_t at = raster.index(static_cast<uint32_t>(origin_x_) + x, top);
  float* n_at = &raster.n[at];
  float* q_at = &raster.q[at];
  std::array<Prefix, kQuad> state{};
  std::copy_n(prefixes, kQuad, state.begin());
  std::array<RealPair, kQuad> values{};
  Ramp* ramps = cell(ramps_, x, top);
  Pair* steps = cell(differences_, x, top);
  Pair* singles = cell(values_, x, top);
  for (uint32_t y = 0; y < rows; ++y) {
    for (uint32_t k = 0; k < kQuad; ++k) {
      Pair sum{};
      const size_t here = k * stride_ + y;
      if constexpr (kHasRamps) {
        constexpr Pair kOnlyQ{0, ~uint64_t{0}};
        state[k].ramp_step += Pair{ramps[here].n, ramps[here].q};
        state[k].ramp = (state[k].ramp & kOnlyQ) + state[k].ramp_step;
        ramps[here] = {};
        sum = state[k].ramp;
      }
      if constexpr (kHasOthers) {
        state[k].second += steps[here];
        state[k].first += state[k].second;
        state[k].value += state[k].first;
        sum += state[k].value + singles[here];
        steps[here] = Pair{};
        singles[here] = Pair{};
      }
      values[k] = to_real(sum) * unit;
    }
    Floats n = to_floats(values[0][0], values[1][0], values[2][0], values[3][0]);
    Floats q = to_floats(values[0][1], values[1][1], values[2][1], values[3][1]);
    // Slopes are rounded, so a value may miss zero by some units.
    constexpr float kMost = std::numeric_limits<float>::max();
    constexpr Floats kFinite{kMost, kMost, kMost, kMost};
    n = n > 0 ? (n < kFinite ? n : kFinite) : Floats{};
    q = q > 0 ? q : Floats{};
    q = q < n ? q : n;
    if (columns == kQuad) {
      std::memcpy(n_at, &n, sizeof n);
      std::memcpy(q_at, &q, sizeof q);
    } else {
      for (uint32_t k = 0; k < kQuad; ++k) {
        if (k >= columns) {
          n[k] = 0;
          continue;
        }
        n_at[k] = n[k];
        q_at[k] = q[k];
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
  std::array<Prefix, kWidth> prefixes{};
  // Blocks of rows keep what is written in the nearest cache.
  for (uint32_t top = 0; top < raster.height; top += kBlockRows) {
    const uint32_t rows = std::min(kBlockRows, raster.height - top);
    for (uint32_t x = 0; x < columns; x += kQuad) {
      const auto rows_of = [&](auto has_ramps, auto has_others) {
        resolve_rows<has_ramps(), has_others()>(x, &prefixes[x], std::min(kQuad, columns - x), top,
                                                rows, unit, raster, histogram);
      };
      const std::true_type yes;
      const std::false_type no;
      const bool has_ramps = (ramp_quads_ >> x / kQuad & 1) != 0;
      const bool has_others =
          (marks_.blocks[top / kBlockRows] >> x / kQuad & 1) != 0 || is_within_run(&prefixes[x]);
      if (has_others) {
        has_ramps ? rows_of(yes, yes) : rows_of(no, yes);
      } else {
        has_ramps ? rows_of(yes, no) : rows_of(no, no);
      }
    }
  }
  empty_outside(ramps_, ramp_quads_, false);
  empty_outside(differences_, marks_.all, marks_.in_margin);
  empty_outside(values_, marks_.all, marks_.in_margin);
  ramp_quads_ = marks_.all = 0;
  marks_.in_margin = false;
  std::fill(marks_.blocks.begin(), marks_.blocks.end(), 0);
}

/// Whether a column of a quad is within a run; behind their ends sums are zero again.
bool Strip::is_within_run(const Prefix* prefixes) {
  Pair any{};
  for (const Prefix* at = prefixes; at < prefixes + kQuad; ++at) {
    any |= at->second | at->first | at->value;
  }
  return (any[0] | any[1]) != 0;
}

/// Empties what is not the raster's.
template <class Cell>
void Strip::empty_outside(std::vector<Cell>& cells, uint64_t quads, bool is_margin_used) {
  const Cell nothing{};
  const auto columns = static_cast<int64_t>(width_);
  const auto rows = static_cast<int64_t>(height_);
  const auto rows_below = static_cast<int64_t>(stride_) - kMargin - rows;
  for (int64_t x = 0; x < columns; ++x) {
    if ((quads >> x / kQuad & 1) == 0) continue;
    std::fill_n(cell(cells, x, -kMargin), kMargin, nothing);
    std::fill_n(cell(cells, x, rows), rows_below, nothing);
  }
  if (is_margin_used) {
    const auto margin = cells.begin() + static_cast<std::ptrdiff_t>((columns + kMargin) *
                                                                    static_cast<int64_t>(stride_));
    std::fill(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(kMargin * stride_),
              nothing);
    std::fill(margin, cells.end(), nothing);
  }
}

}  // namespace pathline::render
