// SPDX-License-Identifier: BSD-3-Clause
#include "base/natural_order.hpp"

#include <cstddef>

namespace pathline::base {

bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  size_t i = 0;
  size_t k = 0;
  while (i < a.size() && k < b.size()) {
    if (!digit(a[i]) || !digit(b[k])) {
      if (a[i] != b[k]) return a[i] < b[k];
      ++i, ++k;
      continue;
    }
    // Numbers by length without leading zeros, then digit by digit: they may be of any length.
    while (i < a.size() && a[i] == '0') ++i;
    while (k < b.size() && b[k] == '0') ++k;
    const size_t a_begin = i;
    const size_t b_begin = k;
    while (i < a.size() && digit(a[i])) ++i;
    while (k < b.size() && digit(b[k])) ++k;
    const std::string_view a_number = a.substr(a_begin, i - a_begin);
    const std::string_view b_number = b.substr(b_begin, k - b_begin);
    if (a_number.size() != b_number.size()) return a_number.size() < b_number.size();
    if (a_number != b_number) return a_number < b_number;
  }
  if (a.size() - i != b.size() - k) return a.size() - i < b.size() - k;
  return a < b;  // "01" and "1"
}

}  // namespace pathline::base
