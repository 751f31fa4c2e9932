// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "scaling/model.hpp"

namespace pathline::scaling {

/// The exponent pairs that terms are made of: the 42 that Extra-P 4 tries, in the order of their
/// growth, then the mirror images of those with a power, for what falls with the parameter.
inline constexpr size_t kGrowingPairCount = 42;
inline constexpr size_t kPairCount = 82;
std::span<const Exponents, kPairCount> exponent_pairs();

/// How much more often than others a pair is believed to be met before anything was measured: the
/// powers that surfaces, volumes and trees have (1/4, 1/3, 1/2, 2/3, 1, 3/2, 2, 3, the logarithm
/// and its square, sqrt(p) log p, p log p) three times as often.
double pair_weight(Exponents exponents);

}  // namespace pathline::scaling
