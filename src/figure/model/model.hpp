// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "layout/scene.hpp"
#include "layout/theme.hpp"
#include "scaling/experiment.hpp"
#include "scaling/search/search.hpp"

namespace pathline::figure {

enum class ModelKind : uint8_t {
  kKernel,  ///< One kernel: measurements, curve, range.
  kSheet,   ///< Many kernels as small multiples.
  kBars     ///< Predicted values in falling order.
};

enum class ModelAxes : uint8_t {
  kAuto,  ///< Logarithmic where values are positive and span a factor of 8, bars of 100.
  kLog,   ///< In sheets and bars only where values are positive.
  kLinear
};

struct ModelOptions {
  double width_px = 1280;
  double height_px = 720;
  double scale = 1;  ///< As in figure::Options.
  layout::ThemeName theme = layout::ThemeName::kLight;
  std::string title;  ///< Usually the name of the data.
  ModelKind kind = ModelKind::kKernel;
  ModelAxes axes = ModelAxes::kAuto;
  /// Where to predict, one value per parameter; empty: nowhere.
  std::vector<double> target;
  scaling::Aggregate aggregate = scaling::Aggregate::kMean;  ///< What the fits were made of.
  std::string unit;     ///< Of the values: "sec", "bytes", ...; "" when nobody knows.
  bool adds_up = true;  ///< Whether the values of kernels are parts of a whole.
  size_t top = 0;       ///< kSheet, kBars: at most so many kernels; 0: as many as find room.
};

/// Searches the models of some kernels again, with other points to predict at.
using SearchAgain = std::function<std::vector<scaling::Fit>(
    std::span<const uint32_t> kernels, std::vector<std::vector<double>> targets)>;

/// A picture of scaling models.
///
/// kKernel: the first fit. Repetitions as small marks, what was modelled as larger ones, the model
/// as a curve that is dashed outside of what was measured, and the range it is believed to be in as
/// a band. With several parameters the first one runs to the right and up to six values of the
/// second have a curve each; further ones are held at the values with most measurements.
/// kSheet: a panel for each kernel with the same axis of the first parameter and values of its own;
/// other parameters are held at the values of the target, or else the largest measured.
/// kBars: predicted values at the target with their range, below them what was measured at the
/// largest scale; the total is that of all fits with positive predictions.
///
/// fits    of one metric, in the order wanted; all that there are, also when few are shown. When
///         there is a target, it is the first of their predictions.
/// again   is called once for what is drawn as curves; their bands come from it.
/// errors  kInvalidArgument for no fits, fits of several metrics, bars without a target,
///         logarithmic axes for values that are not positive, and a picture too small.
/// cost    a search of the kernels drawn, and O(fits).
base::Result<layout::Scene> model(const scaling::Experiment& experiment,
                                  std::span<const scaling::Fit> fits, const ModelOptions& options,
                                  const SearchAgain& again);

}  // namespace pathline::figure
