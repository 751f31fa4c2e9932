// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "base/column.hpp"

namespace pathline::base {

/// Sorts rows by their 64-bit key, equal keys keeping their order. Digits in which all keys agree
/// cost one pass of counting and no move, so keys of a small range are cheap.
///
/// key   callable Row -> uint64_t.
/// cost  O(rows * digits that differ), one more column of the same size while it runs.
template <class Row, class Key>
void radix_sort(Column<Row>& rows, Key key) {
  constexpr int kBits = 11;
  constexpr size_t kBuckets = size_t{1} << kBits;
  uint64_t all_or = 0;
  uint64_t all_and = UINT64_MAX;
  bool sorted = true;
  uint64_t previous = 0;
  for (const Row& row : rows) {
    const uint64_t k = key(row);
    all_or |= k;
    all_and &= k;
    sorted = sorted && previous <= k;
    previous = k;
  }
  if (sorted) return;
  const uint64_t differing = all_or ^ all_and;
  Column<Row> other(rows.size());
  for (int shift = 0; shift < 64; shift += kBits) {
    if (((differing >> shift) & (kBuckets - 1)) == 0) continue;
    std::array<size_t, kBuckets> start{};
    for (const Row& row : rows) ++start[(key(row) >> shift) & (kBuckets - 1)];
    size_t sum = 0;
    for (size_t& bucket : start) sum += std::exchange(bucket, sum);
    for (const Row& row : rows) other[start[(key(row) >> shift) & (kBuckets - 1)]++] = row;
    std::swap(rows, other);
  }
}

}  // namespace pathline::base
