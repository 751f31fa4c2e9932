// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "scaling/model.hpp"

namespace pathline::scaling {

enum class Notation : uint8_t {
  kText,    ///< "1.5 + 0.02 * p^(3/2) * log2(p)^2"
  kPython,  ///< "1.5 + 0.02 * p**(3/2) * math.log2(p)**2"
  kLatex,   ///< "1.5 + 0.02 \cdot p^{3/2} \cdot \log_2^{2} p"
};

/// digits  significant ones of the coefficients; 17 give every bit back.
std::string formula(const Model& model, std::span<const std::string> parameters, Notation notation,
                    int digits = 4);

/// The fastest growing term without its coefficient, "p^(3/2) * log2(p)"; "1" for a constant.
std::string leading_order(const Model& model, std::span<const std::string> parameters);

}  // namespace pathline::scaling
