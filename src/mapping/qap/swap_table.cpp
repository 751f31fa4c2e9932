// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/qap/swap_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace pathline::mapping {
namespace {

/// Lanes of one row that are worked on at once. Sums that mean nothing (of filling lanes) may wrap.
template <class Number>
struct Lanes {
  static constexpr uint32_t kCount = LaneMatrix<Number>::kLanes;
  using Wrapping =
      typename std::conditional_t<std::is_integral_v<Number>, std::make_unsigned<Number>,
                                  std::type_identity<Number>>::type;
  typedef Number Vector __attribute__((vector_size(32)));
  typedef Wrapping WrappingVector __attribute__((vector_size(32)));
};

/// What a swap changes, and by what.
template <class Number>
struct Update {
  uint32_t size;
  bool symmetric;
  const LaneMatrix<Number>* differences;
  LaneMatrix<Number>* products;
  LaneMatrix<Number>* added;
};

template <class Number>
struct Question {
  uint32_t size;
  const LaneMatrix<Number>* added;
  const LaneMatrix<Number>* tabu_until;
  Number now;
  Number aspired;
};

/// row[c] += x[c] * y for all lanes of a row.
template <class Number>
[[gnu::always_inline]] inline void add_multiple(Number* row, const Number* x, Number y,
                                                uint32_t stride) {
  using Vector = typename Lanes<Number>::WrappingVector;
  const Vector factor = Vector{} + static_cast<typename Lanes<Number>::Wrapping>(y);
  for (uint32_t c = 0; c < stride; c += Lanes<Number>::kCount) {
    Vector sum;
    Vector value;
    __builtin_memcpy(&sum, row + c, sizeof(sum));
    __builtin_memcpy(&value, x + c, sizeof(value));
    sum += value * factor;
    __builtin_memcpy(row + c, &sum, sizeof(sum));
  }
}

/// row[c] -= (x[i] - x[c]) * (y[i] - y[c]) for the lanes from column i on.
template <class Number>
[[gnu::always_inline]] inline void subtract_products(Number* row, const Number* x, const Number* y,
                                                     uint32_t i, uint32_t stride) {
  using Wrapping = typename Lanes<Number>::Wrapping;
  using Vector = typename Lanes<Number>::WrappingVector;
  const Vector x_here = Vector{} + static_cast<Wrapping>(x[i]);
  const Vector y_here = Vector{} + static_cast<Wrapping>(y[i]);
  constexpr uint32_t kCount = Lanes<Number>::kCount;
  for (uint32_t c = (i + 1) / kCount * kCount; c < stride; c += kCount) {
    Vector sum;
    Vector x_there;
    Vector y_there;
    __builtin_memcpy(&sum, row + c, sizeof(sum));
    __builtin_memcpy(&x_there, x + c, sizeof(x_there));
    __builtin_memcpy(&y_there, y + c, sizeof(y_there));
    sum -= (x_here - x_there) * (y_here - y_there);
    __builtin_memcpy(row + c, &sum, sizeof(sum));
  }
}

template <class Number>
[[gnu::always_inline]] inline void update_anywhere(const Update<Number>& update) {
  const uint32_t stride = update.added->stride();
  const LaneMatrix<Number>& differences = *update.differences;
  for (uint32_t pair = 0; pair < (update.symmetric ? 1U : 2U); ++pair) {
    const Number* x = differences.row(2 * pair);
    const Number* y = differences.row(2 * pair + 1);
    for (uint32_t j = 0; j < update.size; ++j) {
      if (y[j] != 0) add_multiple(update.products->row(j), x, y[j], stride);
      subtract_products(update.added->row(j), x, y, j, stride);
    }
  }
}

/// Finds the row, then the column in it: the row of each lane's least value is enough to keep.
template <class Number>
[[gnu::always_inline]] inline typename SwapTable<Number>::Swap best_anywhere(
    const Question<Number>& question) {
  using Vector = typename Lanes<Number>::Vector;
  constexpr uint32_t kCount = Lanes<Number>::kCount;
  constexpr Number kNone = std::numeric_limits<Number>::max();
  const Vector none = Vector{} + kNone;
  const Vector now = Vector{} + question.now;
  const Vector aspired = Vector{} + question.aspired;
  const Vector never = Vector{} + SwapTable<Number>::kNever;
  const uint32_t stride = question.added->stride();
  Vector least = none;
  Vector row_of_least = Vector{};
  for (uint32_t i = 0; i + 1 < question.size; ++i) {
    const Number* added = question.added->row(i);
    const Number* tabu_until = question.tabu_until->row(i);
    Vector least_in_row = none;
    for (uint32_t c = (i + 1) / kCount * kCount; c < stride; c += kCount) {
      Vector value;
      Vector until;
      __builtin_memcpy(&value, added + c, sizeof(value));
      __builtin_memcpy(&until, tabu_until + c, sizeof(until));
      const auto allowed = (until <= now) | ((value < aspired) & (until < never));
      const Vector candidate = allowed ? value : none;
      least_in_row = candidate < least_in_row ? candidate : least_in_row;
    }
    const Vector row = Vector{} + static_cast<Number>(i);
    const auto less = least_in_row < least;
    row_of_least = less ? row : row_of_least;
    least = less ? least_in_row : least;
  }
  Number value = kNone;
  Number row = 0;
  for (uint32_t lane = 0; lane < kCount; ++lane) {
    if (least[lane] < value || (least[lane] == value && row_of_least[lane] < row)) {
      value = least[lane];
      row = row_of_least[lane];
    }
  }
  if (value == kNone) return {};
  const auto i = static_cast<uint32_t>(row);
  const Number* added = question.added->row(i);
  const Number* tabu_until = question.tabu_until->row(i);
  for (uint32_t j = i + 1; j < question.size; ++j) {
    const bool allowed = tabu_until[j] <= question.now ||
                         (added[j] < question.aspired && tabu_until[j] < SwapTable<Number>::kNever);
    if (allowed && added[j] == value) return {i, j, value};
  }
  return {};
}

// The same operations on whole numbers whatever the machine makes of them, so the same results.
#if defined(__x86_64__)

template <class Number>
[[gnu::target("avx2")]] void update_with_avx2(const Update<Number>& update) {
  update_anywhere(update);
}
template <class Number>
[[gnu::target("avx2")]] typename SwapTable<Number>::Swap best_with_avx2(
    const Question<Number>& question) {
  return best_anywhere(question);
}
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }

#else

template <class Number>
void update_with_avx2(const Update<Number>&) {}
template <class Number>
typename SwapTable<Number>::Swap best_with_avx2(const Question<Number>&) {
  return {};
}
bool has_avx2() { return false; }

#endif

}  // namespace

template <class Number>
bool SwapTable<Number>::fits(const Qap& qap) {
  double largest_a = 0;
  double largest_b = 0;
  double largest_sum = 0;
  for (uint32_t i = 0; i < qap.size; ++i) {
    double sum = 0;
    for (uint32_t k = 0; k < qap.size; ++k) {
      const double out = std::abs(static_cast<double>(qap.a[size_t{i} * qap.size + k]));
      const double in = std::abs(static_cast<double>(qap.a[size_t{k} * qap.size + i]));
      sum += out + in;
      largest_a = std::max(largest_a, out);
      largest_b =
          std::max(largest_b, std::abs(static_cast<double>(qap.b[size_t{i} * qap.size + k])));
    }
    largest_sum = std::max(largest_sum, sum);
  }
  // Four entries of M, the products of a pair and those of an update, and their differences.
  const double largest = 8 * (largest_sum + 8 * largest_a) * largest_b;
  return largest < std::ldexp(1.0, std::min(std::numeric_limits<Number>::digits, 62) - 1);
}

template <class Number>
SwapTable<Number>::SwapTable(const Qap& qap, std::span<const uint32_t> place_of_item)
    : size_(qap.size),
      symmetric_(qap.symmetric()),
      place_of_item_(place_of_item.begin(), place_of_item.end()),
      a_(size_, size_),
      b_(size_, size_),
      products_(size_, size_),
      added_(size_, size_),
      diagonals_(4, size_),
      differences_(4, size_) {
  if (!symmetric_) {
    a_across_ = LaneMatrix<Number>(size_, size_);
    b_across_ = LaneMatrix<Number>(size_, size_);
  }
  for (uint32_t i = 0; i < size_; ++i) {
    for (uint32_t k = 0; k < size_; ++k) {
      const auto a = static_cast<Number>(qap.a[size_t{i} * size_ + k]);
      const auto b =
          static_cast<Number>(qap.b[size_t{place_of_item_[i]} * size_ + place_of_item_[k]]);
      a_.row(i)[k] = a;
      b_.row(i)[k] = b;
      if (symmetric_) continue;
      a_across_.row(k)[i] = a;
      b_across_.row(k)[i] = b;
    }
  }
  set_products();
  for (uint32_t i = 0; i < size_; ++i) {
    diagonals_.row(0)[i] = products_.row(i)[i];
    diagonals_.row(1)[i] = a_.row(i)[i];
    diagonals_.row(2)[i] = b_.row(i)[i];
  }
  for (uint32_t i = 0; i < size_; ++i) set_pairs_of(i);
}

/// As sums of rows, which are contiguous: M[.][j] = sum over k of a[.][k] * b[j][k] + ...
template <class Number>
void SwapTable<Number>::set_products() {
  const LaneMatrix<Number>& a_across = symmetric_ ? a_ : a_across_;
  for (uint32_t j = 0; j < size_; ++j) {
    Number* product = products_.row(j);
    for (uint32_t k = 0; k < size_; ++k) {
      const Number out = b_.row(j)[k] * (symmetric_ ? 2 : 1);
      const Number in = symmetric_ ? 0 : b_.row(k)[j];
      if (out != 0) {
        for (uint32_t i = 0; i < size_; ++i) product[i] += a_across.row(k)[i] * out;
      }
      if (in != 0) {
        for (uint32_t i = 0; i < size_; ++i) product[i] += a_.row(k)[i] * in;
      }
    }
  }
}

template <class Number>
void SwapTable<Number>::swap(uint32_t r, uint32_t s) {
  swap_places(r, s);
  set_differences(r, s);
  const Update<Number> update{size_, symmetric_, &differences_, &products_, &added_};
  if (has_avx2()) {
    update_with_avx2(update);
  } else {
    update_anywhere(update);
  }
  for (uint32_t i = 0; i < size_; ++i) diagonals_.row(0)[i] = products_.row(i)[i];
  set_pairs_of(r);
  set_pairs_of(s);
}

template <class Number>
void SwapTable<Number>::swap_places(uint32_t r, uint32_t s) {
  std::swap(place_of_item_[r], place_of_item_[s]);
  std::swap(diagonals_.row(2)[r], diagonals_.row(2)[s]);
  for (LaneMatrix<Number>* b : {&b_, &b_across_}) {
    if (b->stride() == 0) continue;
    std::swap_ranges(b->row(r), b->row(r) + size_, b->row(s));
    for (uint32_t i = 0; i < size_; ++i) std::swap(b->row(i)[r], b->row(i)[s]);
  }
  std::swap_ranges(products_.row(r), products_.row(r) + size_, products_.row(s));
}

template <class Number>
void SwapTable<Number>::set_differences(uint32_t r, uint32_t s) {
  const auto difference = [&](const LaneMatrix<Number>& matrix, uint32_t to, Number factor) {
    const Number* first = matrix.row(r);
    const Number* second = matrix.row(s);
    Number* result = differences_.row(to);
    for (uint32_t i = 0; i < size_; ++i) result[i] = (first[i] - second[i]) * factor;
  };
  if (symmetric_) {  // Rows and columns are the same and count twice.
    difference(a_, 0, 1);
    difference(b_, 1, 2);
    return;
  }
  difference(a_across_, 0, 1);
  difference(b_across_, 1, 1);
  difference(a_, 2, 1);
  difference(b_, 3, 1);
}

/// From M alone, for the pairs that subtract_products() does not get right.
template <class Number>
void SwapTable<Number>::set_pairs_of(uint32_t r) {
  const Number* a_out = a_.row(r);
  const Number* a_in = (symmetric_ ? a_ : a_across_).row(r);
  const Number* b_out = b_.row(r);
  const Number* b_in = (symmetric_ ? b_ : b_across_).row(r);
  const Number* product = products_.row(r);
  const Number* m = diagonals_.row(0);
  const Number* a = diagonals_.row(1);
  const Number* b = diagonals_.row(2);
  Number* sums = diagonals_.row(3);
  for (uint32_t j = 0; j < size_; ++j) sums[j] = products_.row(j)[r];
  for (uint32_t j = 0; j < size_; ++j) {
    Number sum = sums[j] + product[j] - m[r] - m[j];
    sum -= (a[r] - a_in[j]) * (b_in[j] - b[r]) + (a_out[j] - a[j]) * (b[j] - b_out[j]);
    sum -= (a[r] - a_out[j]) * (b_out[j] - b[r]) + (a_in[j] - a[j]) * (b[j] - b_in[j]);
    sum += (a[r] - a[j]) * (b[j] - b[r]) + (a_out[j] - a_in[j]) * (b_in[j] - b_out[j]);
    sums[j] = sum;
  }
  for (uint32_t j = 0; j < r; ++j) added_.row(j)[r] = sums[j];
  std::copy(sums + r + 1, sums + size_, added_.row(r) + r + 1);
}

template <class Number>
typename SwapTable<Number>::Swap SwapTable<Number>::best(const LaneMatrix<Number>& tabu_until,
                                                         Number now, Number aspired) const {
  const Question<Number> question{size_, &added_, &tabu_until, now, aspired};
  return has_avx2() ? best_with_avx2(question) : best_anywhere(question);
}

template class SwapTable<int32_t>;
template class SwapTable<int64_t>;
template class SwapTable<double>;

}  // namespace pathline::mapping
