// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "base/result.hpp"
#include "layout/scene.hpp"
#include "layout/theme.hpp"

namespace pathline::figure {

/// A run, and what was predicted for it.
struct OutcomePoint {
  std::string panel;   ///< Runs of one panel are compared by their ranks: "1024x1024".
  std::string series;  ///< Joined by a line: "block".
  double ranks = 1;
  double measured_s = 0;
  double predicted_s = 0;  ///< 0: it was refused.
  double low_s = 0;
  double high_s = 0;
};

struct OutcomeOptions {
  double width_px = 1280;
  double height_px = 720;
  double scale = 1;  ///< As in figure::Options.
  layout::ThemeName theme = layout::ThemeName::kLight;
  std::string title;
  std::string subtitle;
};

/// Predictions beside what came about. On the left every run as a circle, what was predicted to the
/// right and what was measured upwards, with its interval, so that a perfect model has them all on
/// the diagonal. Beside it a panel for each grid, as many as find room: time of a step against
/// ranks, predicted as a line with its interval and measured as circles.
///
/// errors  kInvalidArgument for no runs, and for a picture too small.
/// cost    O(points log points)
base::Result<layout::Scene> outcomes(std::span<const OutcomePoint> points,
                                     const OutcomeOptions& options);

}  // namespace pathline::figure
