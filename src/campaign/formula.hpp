// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pathline::campaign {

/// The names in braces, in the order in which they stand, each once: "{p} * {n}" has p and n. A
/// name begins with a letter or _; other braces (of shells and of awk) are text.
std::vector<std::string> names_in(std::string_view text);

/// The text with values for names in braces.
///
/// value_of  nullopt for a name that there is none of, which stays as it is.
std::string replaced(
    std::string_view text,
    const std::function<std::optional<std::string_view>(std::string_view name)>& value_of);

/// The value of arithmetic on numbers: "4 * 32" is "128", "min(3, 8)" is "3"; whole numbers without
/// a point. Any other text is itself: names, versions ("2024-05", "1/2"), and numbers as they are
/// written ("0.10"). Operators are + - * / ^, with blanks around them unless there is a bracket.
///
/// errors  kInvalidArgument for what has no value: "1 / 0".
base::Result<std::string> calculated(const std::string& text);

}  // namespace pathline::campaign
