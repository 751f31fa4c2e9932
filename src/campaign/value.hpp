// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pathline::campaign {

/// The number that a text is, blanks around it aside: "1.5e-3", "+4". nullopt for any other text.
std::optional<double> number_of(std::string_view text);

/// Several values as one. how  as Column::reduce. "" for none, except that their count is "0".
std::string reduced(const std::vector<std::string>& values, const std::string& how);

}  // namespace pathline::campaign
