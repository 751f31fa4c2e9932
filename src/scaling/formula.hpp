// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scaling/model.hpp"

namespace pathline::scaling {

enum class Notation : uint8_t {
  kText,    ///< "1.5 + 0.02 * p^(3/2) * log2(p)^2"
  kPython,  ///< "1.5 + 0.02 * p**(3/2) * math.log2(p)**2"
  kLatex,   ///< "1.5 + 0.02 \cdot p^{3/2} \cdot \log_2^{2} p"
};

/// A constant of 0 beside terms is left out. In Python the parameters are called as python_names()
/// says, in LaTeX names of several letters are set upright; LaTeX needs math mode.
///
/// digits  significant ones of the coefficients, more of whole numbers below a million; 17 give
///         every bit back.
std::string formula(const Model& model, std::span<const std::string> parameters, Notation notation,
                    int digits = 4);

/// The fastest growing term without its coefficient, "p^(3/2) * log2(p)"; "1" for a constant and
/// for what falls towards one. All parameters grow by the same factor; terms that then grow alike
/// are joined: "p + n".
std::string leading_order(const Model& model, std::span<const std::string> parameters,
                          Notation notation = Notation::kText);

/// The terms, without coefficients, that no other outgrows in every parameter: what counts when
/// each parameter grows as it likes. None for a constant.
std::vector<std::string> maximal_terms(const Model& model, std::span<const std::string> parameters);

/// `names` as different identifiers of Python, as near to them as that goes: "n-x" is n_x, "class"
/// is class_, and a second "n_x" is n_x_2.
std::vector<std::string> python_names(std::span<const std::string> names);

/// `text` for the text mode of LaTeX.
std::string latex_escaped(std::string_view text);

}  // namespace pathline::scaling
