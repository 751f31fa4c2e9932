// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "scaling/search/candidates.hpp"

namespace pathline::scaling {

/// The sums and products that factors of several parameters form: each structure lists its terms
/// as sets of factors (bit i is factor i). The order lets neighbours share their first columns.
struct Structure {
  double weight;
  std::array<uint8_t, Candidate::kMaxTerms> terms;  // 0 ends the list.
};

/// Those of so many factors, 1 to 4.
std::span<const Structure> structures(size_t factor_count);
/// Of all of them together.
double total_weight(std::span<const Structure> all);

/// The product of the factors in `set`, bit i being factor i.
inline PackedTerm product_of(std::span<const PackedFactor> factors, uint8_t set) {
  PackedTerm term;
  for (size_t i = 0; i < factors.size(); ++i) {
    if ((set >> i & 1) != 0) term.append(factors[i]);
  }
  return term;
}

}  // namespace pathline::scaling
