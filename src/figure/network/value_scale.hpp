// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "figure/network/network.hpp"
#include "layout/legend.hpp"
#include "layout/theme.hpp"

namespace pathline::figure {

/// From values to colours. Linear from 0, or logarithmic when most values are far below the
/// largest, for a linear scale would show them all alike. Where more than half of the values
/// coincide, colours are for the others: each as many shades as there are of them (by quantile),
/// and a tenth of the colours for those that coincide.
struct ValueScale {
  /// A place of the scale by quantile.
  struct Knot {
    double value = 0;
    double share = 0;  ///< Of the colours.
  };

  double low = 0;
  double high = 1;
  bool logarithmic = false;
  std::vector<Knot> knots;  ///< By quantile, rising strictly in both; empty: not so.
  uint64_t count = 0;       ///< Values.
  uint64_t alike = 0;       ///< Of those, as coincide; 0 unless by quantile.
  double alike_value = 0;   ///< Their median.

  /// values  in any order; those of 0 and below are not looked at.
  static ValueScale of(std::vector<double> values);
  [[nodiscard]] double share(double value) const;
  [[nodiscard]] layout::Color color(const layout::Theme& theme, double value) const;
  [[nodiscard]] std::vector<layout::BarTick> ticks(RouteMetric metric, LoadUnit unit) const;
  static constexpr double kRampBegin = 0.12;  ///< The smallest value must differ from none.

 private:
  [[nodiscard]] double plain_share(double value) const;
  void spread(const std::vector<double>& values);
};

}  // namespace pathline::figure
