// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace pathline::bundle {

/// Values at equal distances, weighted with a Gaussian of `sigma` distances, cut off at three of
/// them; beyond either end there is nothing.
///
/// cost  O(values x sigma).
std::vector<double> gaussian_blur(const std::vector<double>& values, double sigma);

}  // namespace pathline::bundle
