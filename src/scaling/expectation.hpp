// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "scaling/model.hpp"

namespace pathline::scaling {

/// Reads what somebody expects a program to grow like: "log2(p)", "p^(1/2) * log2(p)^2 + n", "1",
/// "sqrt(p)", "O(n * p^-1)": what formula() writes as text, coefficients being optional.
///
/// errors  kInvalidArgument saying which letters are not understood; exponents that are too
///         large or finer than twelfths; a function that falls below 0.
base::Result<Model> parse_expectation(std::string_view text,
                                      std::span<const std::string> parameters);

/// Whether `model` grows faster than `expectation`, coefficients aside: when all parameters grow
/// by the same factor, or when one grows alone and the others stay at `x`.
bool outgrows(const Model& model, const Model& expectation, std::span<const double> x);

}  // namespace pathline::scaling
