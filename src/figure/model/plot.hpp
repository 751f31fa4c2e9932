// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "figure/model/model.hpp"
#include "figure/model/text.hpp"
#include "layout/scene.hpp"
#include "layout/theme.hpp"

namespace pathline::figure {

/// Straight or logarithmic map from values to pixels.
struct ModelScale {
  bool logarithmic = false;
  double begin = 0;
  double end = 1;
  double px_begin = 0;
  double px_end = 1;

  /// What is far off stays near by, as there is no pixel for it: a line cut off at the edge of the
  /// plot looks the same.
  [[nodiscard]] double px(double value) const;
  [[nodiscard]] double value(double px) const;
};

/// Values that an axis must show.
struct ValueRange {
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  void add(double value);
  [[nodiscard]] bool empty() const { return low > high; }
  /// Positive, and largest over smallest at least `factor`.
  [[nodiscard]] bool spans(double factor) const { return low > 0 && high / low >= factor; }
};

/// high / low of positive values; the largest number where they are too far apart for one.
double ratio_of(double high, double low);

/// What was measured at a point.
struct ModelMark {
  double x = 0;      ///< Of the first parameter.
  double value = 0;  ///< Aggregated.
  std::span<const double> samples;
};

/// A model along its first parameter, the others being held.
struct ModelCurve {
  std::vector<double> at;  ///< A value per parameter; the first one is overwritten.
  std::vector<ModelMark> marks;
  ValueRange measured;  ///< Of x.
  layout::Color color;
  bool is_measured = true;                  ///< Otherwise only the target has these values.
  std::vector<double> x, value, low, high;  ///< Ascending x; equal lengths.
};

double aggregated(const scaling::Experiment& experiment, uint32_t kernel, size_t point,
                  scaling::Aggregate how);

/// Index of the point where all parameters together are largest.
size_t largest_point(const scaling::Experiment& experiment);

/// The curves of a picture of one kernel, without what is along them: values of the second
/// parameter, at most `max_count` and one more for a target that is on none of them.
std::vector<ModelCurve> model_curves(const scaling::Experiment& experiment, uint32_t kernel,
                                     const ModelOptions& options, size_t max_count);

/// x of marks and target.
ValueRange x_range(std::span<const ModelCurve> curves, std::span<const double> target);

/// An axis from `px_begin` to `px_end` with room of `pad_px` at both ends.
ModelScale make_x_scale(const ValueRange& range, ModelAxes axes, double px_begin, double px_end,
                        double pad_px);

/// Where a curve is computed: every `step_px`, and where measurements begin and end.
std::vector<double> x_along(const ModelCurve& curve, const ValueRange& range,
                            const ModelScale& scale, double step_px);

/// Fills in the values of the curves, and where `predictions` are as many as x, their range.
void evaluate_curve(ModelCurve& curve, const scaling::Model& model,
                    std::span<const scaling::Prediction> predictions);

/// Values of marks, curves and prediction; ranges of predictions up to where they would squeeze
/// all else.
ValueRange y_range(std::span<const ModelCurve> curves,
                   const std::optional<scaling::Prediction>& prediction, bool logarithmic);

/// px_begin  of the bottom.
ModelScale make_y_scale(ValueRange range, bool logarithmic, double px_begin, double px_end);

/// Ticks at measured values and the target; round ones where that would be too many. The target
/// has a label in any case, others if they do not touch it or what is left of them.
layout::Ticks x_ticks(std::span<const ModelCurve> curves, std::span<const double> target,
                      const ModelScale& scale);

/// Ticks in the values of `scale` as ticks of the straight scale that goes with them.
layout::Ticks on_straight(layout::Ticks ticks, const ModelScale& scale);
layout::LinearScale straight(const ModelScale& scale);

/// The range as an area, paler outside of what was measured.
void add_model_band(layout::Polylines& lines, const ModelCurve& curve, const ModelScale& x,
                    const ModelScale& y, const layout::Rect& plot, double opacity);
/// The curve, dashed outside of what was measured.
void add_model_line(layout::Polylines& lines, const ModelCurve& curve, const ModelScale& x,
                    const ModelScale& y, const layout::Rect& plot, double width_px);

layout::Polyline diamond(layout::Point middle, double radius_px, layout::Color fill,
                         layout::Color rim);

}  // namespace pathline::figure
