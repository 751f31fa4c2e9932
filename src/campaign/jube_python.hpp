// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace pathline::campaign {

/// The text of what a Python expression comes to, as str() has it: "2**3" is "8", "4/2" is "2.0",
/// `",".join(str(2**i) for i in range(3))` is "1,2,4". No Python runs: numbers, texts, lists,
/// operators, conditions, comprehensions and the functions that JUBE's files use on them are read
/// here, in bounded time and memory, so that opening a file of somebody else starts nothing.
///
/// errors  kUnsupported with a message that says what of Python that is, or what has no value.
base::Result<std::string> python_value(std::string_view expression);

/// Whether Python takes the value of an expression for true; "true" and "FALSE" are as well.
/// errors  as python_value().
base::Result<bool> python_is_true(std::string_view expression);

/// A number as Python writes it: 2.0, 0.1, 1e+20.
std::string python_text(double value);

}  // namespace pathline::campaign
