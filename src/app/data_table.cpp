// SPDX-License-Identifier: BSD-3-Clause
#include "app/data_table.hpp"

#include <algorithm>
#include <limits>

#include "base/text.hpp"

namespace pathline::app {

size_t width_of(DataType type) {
  switch (type) {
    case DataType::kInt8:
    case DataType::kUint8: return 1;
    case DataType::kInt32:
    case DataType::kUint32: return 4;
    case DataType::kUint64:
    case DataType::kInt64:
    case DataType::kDouble: break;
  }
  return 8;
}

const DataColumn* DataTable::find(std::string_view name) const {
  const auto at = std::find_if(columns.begin(), columns.end(),
                               [&](const DataColumn& column) { return column.name == name; });
  return at == columns.end() ? nullptr : &*at;
}

int32_t Dictionary::code(std::string_view text) {
  const auto [at, is_new] =
      codes_.emplace(base::printable(text), static_cast<int32_t>(names_->size()));
  if (is_new) names_->push_back(at->first);
  return at->second;
}

DataColumn text_column(std::string name, const std::vector<std::string>& texts) {
  Dictionary dictionary;
  std::vector<int32_t> codes;
  codes.reserve(texts.size());
  for (const std::string& text : texts) codes.push_back(dictionary.code(text));
  DataColumn column = own_column(std::move(name), std::move(codes));
  column.names = dictionary.names();
  return column;
}

DataColumn optional_column(std::string name, const std::vector<std::optional<uint64_t>>& values) {
  const bool all = std::all_of(values.begin(), values.end(),
                               [](const auto& value) { return value.has_value(); });
  if (all) {
    std::vector<uint64_t> numbers;
    numbers.reserve(values.size());
    for (const auto& value : values) numbers.push_back(*value);
    return own_column(std::move(name), std::move(numbers));
  }
  std::vector<std::optional<double>> numbers;
  numbers.reserve(values.size());
  for (const auto& value : values) {
    numbers.push_back(value ? std::optional(static_cast<double>(*value)) : std::nullopt);
  }
  return optional_column(std::move(name), numbers);
}

DataColumn optional_column(std::string name, const std::vector<std::optional<double>>& values) {
  std::vector<double> numbers;
  numbers.reserve(values.size());
  for (const auto& value : values) {
    numbers.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return own_column(std::move(name), std::move(numbers));
}

}  // namespace pathline::app
