// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/qap/qap.hpp"

namespace pathline::mapping {

/// A matrix whose rows begin at multiples of 32 bytes and are filled up to such a multiple.
template <class Number>
class LaneMatrix {
 public:
  static constexpr uint32_t kLanes = 32 / sizeof(Number);

  LaneMatrix() = default;
  LaneMatrix(uint32_t rows, uint32_t columns, Number value = 0)
      : blocks_(size_t{rows} * ((columns + kLanes - 1) / kLanes), filled(value)),
        stride_((columns + kLanes - 1) / kLanes * kLanes) {}
  [[nodiscard]] uint32_t stride() const { return stride_; }
  [[nodiscard]] Number* row(uint32_t i) {
    return reinterpret_cast<Number*>(blocks_.data()) + size_t{i} * stride_;
  }
  [[nodiscard]] const Number* row(uint32_t i) const {
    return reinterpret_cast<const Number*>(blocks_.data()) + size_t{i} * stride_;
  }

 private:
  struct alignas(32) Block {
    Number lanes[kLanes];
  };
  static Block filled(Number value) {
    Block block;
    for (Number& lane : block.lanes) lane = value;
    return block;
  }
  std::vector<Block> blocks_;
  uint32_t stride_ = 0;
};

/// What each swap of two items would add to the cost of a solution, kept up to date while swaps are
/// carried out.
///
/// Number is int32_t, double (whole numbers below 2^53) or int64_t; see fits(). The results are
/// the same with each.
///
/// With M[i][j] = sum over k of a[i][k] * b[p[j]][p[k]] + a[k][i] * b[p[k]][p[j]], a swap of i and
/// j adds M[i][j] + M[j][i] - M[i][i] - M[j][j] and a few products of what i and j exchange. A swap
/// changes M by two outer products, and the table for pairs of other items by their differences
/// (Taillard 1991): no pair costs more than O(1).
template <class Number>
class SwapTable {
 public:
  struct Swap {
    uint32_t i = 0;
    uint32_t j = 0;
    Number added = 0;
    [[nodiscard]] bool valid() const { return i != j; }
  };

  /// True if no number that comes up is too large.
  static bool fits(const Qap& qap);
  /// cost  O(size^3).
  SwapTable(const Qap& qap, std::span<const uint32_t> place_of_item);

  [[nodiscard]] uint32_t size() const { return size_; }
  [[nodiscard]] const Permutation& place_of_item() const { return place_of_item_; }
  /// What swapping the items i < j adds to the cost.
  [[nodiscard]] Number added(uint32_t i, uint32_t j) const { return added_.row(i)[j]; }
  /// Carries out a swap of two different items. O(size^2).
  void swap(uint32_t r, uint32_t s);
  /// The swap that adds least of those with tabu_until.row(i)[j] <= now for i < j, and of those
  /// below kNever that add less than `aspired`; the first of equals. O(size^2).
  [[nodiscard]] Swap best(const LaneMatrix<Number>& tabu_until, Number now, Number aspired) const;

  static constexpr Number kNever = static_cast<Number>(INT32_MAX - 1000);

 private:
  void set_products();
  void swap_places(uint32_t r, uint32_t s);
  void set_differences(uint32_t r, uint32_t s);
  void set_pairs_of(uint32_t r);

  uint32_t size_;
  bool symmetric_;
  Permutation place_of_item_;
  LaneMatrix<Number> a_;
  LaneMatrix<Number> a_across_;  // Transposed; empty when symmetric, as b_across_.
  LaneMatrix<Number> b_;         // Between the places of items i and j.
  LaneMatrix<Number> b_across_;
  LaneMatrix<Number> products_;   // M transposed: row j, column i.
  LaneMatrix<Number> added_;      // Above the diagonal; what is below means nothing.
  LaneMatrix<Number> diagonals_;  // Of M, a and b; a row for sums in between.
  // Of the last swap of r and s: a[i][r] - a[i][s] and b[i][r] - b[i][s], and the same of columns.
  LaneMatrix<Number> differences_;
};

extern template class SwapTable<int32_t>;
extern template class SwapTable<int64_t>;
extern template class SwapTable<double>;

}  // namespace pathline::mapping
