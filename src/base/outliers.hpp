// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace pathline::base {

/// Which values stand out of the others, up or down: by more than a twentieth of their median, by
/// more than 3.5 of their robust standard deviations (1.4826 times the median distance from the
/// median: Iglewicz & Hoaglin, How to Detect and Handle Outliers, 1993), and by more than `least`.
/// Of fewer than three nobody can tell.
std::vector<bool> stand_out(std::span<const double> values, double least);

}  // namespace pathline::base
