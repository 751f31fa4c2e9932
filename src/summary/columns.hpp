// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/result.hpp"
#include "summary/column_file.hpp"

namespace pathline::summary {

/// A number that may be negative, so that those near 0 have few bits.
inline uint64_t folded(uint64_t value) {
  return value << 1U ^ (value >> 63U == 0 ? 0 : UINT64_MAX);
}
inline uint64_t unfolded(uint64_t value) { return value >> 1U ^ (value % 2 == 0 ? 0 : UINT64_MAX); }

/// Takes columns and remembers the first that could not be had.
class Columns {
 public:
  explicit Columns(const ColumnReader& file) : file_(file) {}

  template <class T>
  std::vector<T> numbers(std::string_view name) {
    if (!status_) return {};
    auto column = file_.column<T>(name);
    if (column) return std::move(column).value();
    status_ = column.error();
    return {};
  }
  std::vector<std::string> texts(std::string_view name) {
    if (!status_) return {};
    auto column = file_.texts(name);
    if (column) return std::move(column).value();
    status_ = column.error();
    return {};
  }
  /// Of one that is read beside others; those that could not be had are nullopt.
  template <class T>
  std::optional<ColumnReader::Cursor<T>> cursor(std::string_view name) {
    if (!status_) return {};
    auto cursor = file_.cursor<T>(name);
    if (cursor) return std::move(cursor).value();
    status_ = cursor.error();
    return {};
  }
  /// How many numbers a column has, which are not read.
  template <class T>
  uint64_t rows(std::string_view name) {
    const auto column = cursor<T>(name);
    return column ? column->rows() : 0;
  }
  /// Remembers what a cursor found.
  void take(const base::Status& status) {
    if (status_ && !status) status_ = status;
  }
  /// What the columns of a table say has to fit together.
  template <class... Args>
  void require(bool holds, std::string_view table, fmt::format_string<Args...> fact,
               Args&&... args) {
    if (!status_ || holds) return;
    status_ = file_.damaged(
        fmt::format("table {}: {}", table, fmt::format(fact, std::forward<Args>(args)...)));
  }
  [[nodiscard]] const base::Status& status() const { return status_; }
  [[nodiscard]] bool has(std::string_view name) const { return file_.has(name); }

 private:
  const ColumnReader& file_;
  base::Status status_;
};

}  // namespace pathline::summary
