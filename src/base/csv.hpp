// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace pathline::base {

/// Takes one field of a CSV line, without its quotes, and the comma behind it.
inline std::string take_csv_field(std::string_view& rest) {
  std::string field;
  bool quoted = false;
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '"' && quoted && rest.starts_with('"')) {
      field += c;
      rest.remove_prefix(1);
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      return field;
    } else {
      field += c;
    }
  }
  return field;
}

}  // namespace pathline::base
