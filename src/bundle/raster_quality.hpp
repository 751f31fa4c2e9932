// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layout/density.hpp"

namespace pathline::bundle {

/// Pixels that a picture of bundles, and straight lines of the same messages, cover: n above 0.3 of
/// the lightest message.
struct InkCount {
  size_t bundled = 0;
  size_t straight = 0;

  double ratio() const;  ///< 1 when the straight lines cover none.
  InkCount& operator+=(const InkCount& other);
};

InkCount count_ink(const layout::Density& bundled, const layout::Density& straight);

/// Their ratio.
double ink_ratio(const layout::Density& bundled, const layout::Density& straight);

/// Whether the picture shows the program's phases and no others: the correlation (Pearson) of the
/// two pictures' ink per pixel column, both blurred by a Gaussian of 2 px. 1 when neither changes
/// along the time.
double phase_fidelity(const layout::Density& bundled, const layout::Density& straight);

/// The same for ink per pixel column as such.
double phase_fidelity(const std::vector<double>& bundled, const std::vector<double>& straight);

/// Sum of |n - n'| over blocks of `block_px` x `block_px` pixels, as a share of the sum of n'.
double difference(const layout::Density& raster, const layout::Density& reference,
                  uint32_t block_px);

}  // namespace pathline::bundle
