// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cube/place.hpp"

namespace pathline::cube {

/// Types of values that are one number.
enum class ValueType : uint8_t {
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kDouble,  ///< Also what Cube calls FLOAT, MINDOUBLE and MAXDOUBLE.
};

/// Of a `dtype`; none if its values are more than a number (RATE, TAU_ATOMIC, HISTOGRAM(8)).
std::optional<ValueType> value_type(std::string_view dtype);
size_t size_of(ValueType type);

/// Content of `N.index`: which rows the metric has values of, ascending. A row is the position of a
/// cnode in an enumeration of the call tree.
struct Index {
  bool swapped = false;  ///< The numbers of index and data are not in this machine's byte order.
  std::vector<uint32_t> rows;
};

/// errors  kCorrupt for what is no index, has rows out of order or range (`row_count`), or another
///         size than its rows take; kUnsupported for versions and forms other than a list of rows.
base::Result<Index> read_index(std::span<const uint8_t> bytes, uint32_t row_count,
                               const Place& place);

/// Values of `N.data`, rows raw or each packed by zlib.
class Rows {
 public:
  /// errors  kCorrupt for what is no data of so many rows of so many values, or a table of streams
  ///         that lie outside.
  static base::Result<Rows> open(std::span<const uint8_t> bytes, const Index& index, ValueType type,
                                 uint32_t location_count, const Place& place);
  Rows(Rows&&) noexcept;
  Rows& operator=(Rows&&) noexcept;
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows();

  /// Row `i` of the index into `values`, one per location.
  /// errors  kCorrupt for a stream that does not unpack to its row, and for what is no finite
  /// number.
  base::Status decode(size_t i, std::span<double> values);

 private:
  struct Impl;
  explicit Rows(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pathline::cube
