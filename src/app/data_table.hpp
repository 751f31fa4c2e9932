// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pathline::app {

enum class DataType : uint8_t { kInt8, kInt32, kUint8, kUint32, kUint64, kInt64, kDouble };

/// Bytes of one value.
size_t width_of(DataType type);

/// One column: `DataTable::rows` values of `type` in memory, one after the other, to be read only.
struct DataColumn {
  std::string name;  ///< That of the CSV; "_s" are seconds.
  DataType type = DataType::kDouble;
  const void* values = nullptr;
  /// Keeps `values` alive: memory of the column's own, or the run that they are part of.
  std::shared_ptr<const void> owner;
  /// Of a column of text: what the values stand for, each once; a value is an index into them.
  std::shared_ptr<const std::vector<std::string>> names;
};

/// A result in columns of the same length, for those who calculate with it: other languages, files
/// of columns, a server. Where a number is not known the column is of doubles with NaN in its
/// place, where a text is not known it is "".
struct DataTable {
  size_t rows = 0;
  std::vector<DataColumn> columns;

  /// nullptr if there is none of this name.
  [[nodiscard]] const DataColumn* find(std::string_view name) const;
};

/// Each text once, as base::printable() has it, numbered as they come.
class Dictionary {
 public:
  int32_t code(std::string_view text);
  [[nodiscard]] std::shared_ptr<const std::vector<std::string>> names() const { return names_; }

 private:
  std::shared_ptr<std::vector<std::string>> names_ = std::make_shared<std::vector<std::string>>();
  std::unordered_map<std::string, int32_t> codes_;
};

// Makers of columns. Vectors are moved from, not copied.
template <class T>
constexpr DataType data_type();
template <>
constexpr DataType data_type<int8_t>() {
  return DataType::kInt8;
}
template <>
constexpr DataType data_type<int32_t>() {
  return DataType::kInt32;
}
template <>
constexpr DataType data_type<uint8_t>() {
  return DataType::kUint8;
}
template <>
constexpr DataType data_type<uint32_t>() {
  return DataType::kUint32;
}
template <>
constexpr DataType data_type<uint64_t>() {
  return DataType::kUint64;
}
template <>
constexpr DataType data_type<int64_t>() {
  return DataType::kInt64;
}
template <>
constexpr DataType data_type<double>() {
  return DataType::kDouble;
}

/// values  a std::vector or base::Column.
template <class Values>
DataColumn own_column(std::string name, Values values) {
  auto owner = std::make_shared<const Values>(std::move(values));
  return {.name = std::move(name),
          .type = data_type<typename Values::value_type>(),
          .values = owner->data(),
          .owner = owner};
}

DataColumn text_column(std::string name, const std::vector<std::string>& texts);
/// Of integers if all are known, else of doubles.
DataColumn optional_column(std::string name, const std::vector<std::optional<uint64_t>>& values);
/// Absent ones become NaN.
DataColumn optional_column(std::string name, const std::vector<std::optional<double>>& values);

}  // namespace pathline::app
