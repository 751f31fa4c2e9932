// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/data_table.hpp"
#include "base/result.hpp"

// Columns of what a command shows as rows.
namespace pathline::app {

inline base::Error no_such_by(std::string_view by, std::string_view choices) {
  return {base::ErrorCode::kInvalidArgument, fmt::format("by {}: there is only {}", by, choices)};
}

/// One value per row.
template <class Rows, class Get>
auto each(const Rows& rows, Get get) {
  std::vector<std::decay_t<decltype(get(*rows.begin()))>> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(get(row));
  return values;
}

template <class Rows, class Get>
DataColumn numbers(std::string name, const Rows& rows, Get get) {
  return own_column(std::move(name), each(rows, get));
}
template <class Rows, class Get>
DataColumn texts(std::string name, const Rows& rows, Get get) {
  const std::vector<std::string> all = each(rows, get);
  return text_column(std::move(name), all);
}
template <class Value, class Rows, class Get>
DataColumn optionals(std::string name, const Rows& rows, Get get) {
  std::vector<std::optional<Value>> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(get(row));
  return optional_column(std::move(name), values);
}

}  // namespace pathline::app
