// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>

namespace pathline::base {

/// Goes through something that has an operator[] which returns values, for algorithms and ranged
/// for. Must not outlive it.
template <class Rows>
class RowIterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = typename Rows::value_type;
  using difference_type = std::ptrdiff_t;
  using pointer = const value_type*;
  using reference = value_type;

  RowIterator() = default;
  RowIterator(const Rows& of, size_t row) : of_(&of), row_(row) {}
  value_type operator*() const { return (*of_)[row_]; }
  value_type operator[](difference_type i) const { return *(*this + i); }
  RowIterator& operator++() { return *this += 1; }
  RowIterator& operator--() { return *this -= 1; }
  RowIterator operator++(int) { return {*of_, row_++}; }
  RowIterator operator--(int) { return {*of_, row_--}; }
  RowIterator& operator+=(difference_type i) {
    row_ += static_cast<size_t>(i);
    return *this;
  }
  RowIterator& operator-=(difference_type i) { return *this += -i; }
  friend RowIterator operator+(RowIterator a, difference_type i) { return a += i; }
  friend RowIterator operator+(difference_type i, RowIterator a) { return a += i; }
  friend RowIterator operator-(RowIterator a, difference_type i) { return a -= i; }
  friend difference_type operator-(RowIterator a, RowIterator b) {
    return static_cast<difference_type>(a.row_ - b.row_);
  }
  friend bool operator==(RowIterator a, RowIterator b) { return a.row_ == b.row_; }
  friend auto operator<=>(RowIterator a, RowIterator b) { return a.row_ <=> b.row_; }

 private:
  const Rows* of_ = nullptr;
  size_t row_ = 0;
};

}  // namespace pathline::base
