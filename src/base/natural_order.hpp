// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace pathline::base {

/// The order of names in which numbers count as numbers: n9 before n10. A strict total order.
bool natural_less(std::string_view a, std::string_view b);

/// For std::map and std::sort.
struct NaturalLess {
  bool operator()(std::string_view a, std::string_view b) const { return natural_less(a, b); }
};

}  // namespace pathline::base
