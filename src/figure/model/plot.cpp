// SPDX-License-Identifier: BSD-3-Clause
#include "figure/model/plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "layout/text.hpp"

namespace pathline::figure {
namespace {

/// Largest over smallest value from which an axis is logarithmic.
constexpr double kLogarithmicFrom = 8;

std::vector<double> others_of(std::span<const double> point, size_t first) {
  return {point.begin() + std::ptrdiff_t(std::min(first, point.size())), point.end()};
}

/// At most `count` of them, evenly, with the first and the last.
std::vector<double> thinned(const std::vector<double>& values, size_t count) {
  if (values.size() <= count) return values;
  std::vector<double> chosen;
  for (size_t i = 0; i < count; ++i) {
    chosen.push_back(values[(i * (values.size() - 1) + (count - 1) / 2) / (count - 1)]);
  }
  return chosen;
}

/// The values of the third and further parameters with most points, of several the largest.
std::vector<double> commonest_rest(const scaling::Experiment& experiment) {
  std::map<std::vector<double>, size_t> count;
  for (size_t p = 0; p < experiment.point_count(); ++p) {
    ++count[others_of(experiment.point(p), 2)];
  }
  const auto most = std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) {
    return a.second <= b.second;
  });
  return most == count.end() ? std::vector<double>{} : most->first;
}

void add_marks(ModelCurve& curve, const scaling::Experiment& experiment, uint32_t kernel,
               scaling::Aggregate how) {
  for (size_t p = 0; p < experiment.point_count(); ++p) {
    const auto point = experiment.point(p);
    if (!std::equal(point.begin() + 1, point.end(), curve.at.begin() + 1)) continue;
    curve.marks.push_back(
        {point[0], aggregated(experiment, kernel, p, how), experiment.samples_of(kernel, p)});
    curve.measured.add(point[0]);
  }
}

/// Pixels of `values` along the curve, for x from `from` to `to`; those that are not finite are
/// left out.
std::vector<layout::Point> points_of(const ModelCurve& curve, const std::vector<double>& values,
                                     const ModelScale& x, const ModelScale& y, double from,
                                     double to) {
  std::vector<layout::Point> points;
  for (size_t i = 0; i < curve.x.size(); ++i) {
    if (curve.x[i] < from || curve.x[i] > to || !std::isfinite(values[i])) continue;
    points.push_back({x.px(curve.x[i]), y.px(values[i])});
  }
  return points;
}

/// Round values of an axis, ascending.
std::vector<double> round_values(const ModelScale& scale, double begin, double end) {
  const auto count =
      static_cast<size_t>(std::max(2.0, std::abs(scale.px_end - scale.px_begin) / 70));
  const layout::Ticks ticks = scale.logarithmic ? ValueText("").log_ticks(begin, end, count)
                                                : layout::count_ticks(begin, end, count);
  std::vector<double> values;
  for (const layout::Tick& tick : ticks.major) {
    values.push_back(base::rounded(tick.value, 9));
  }
  return values;
}

/// Measured values, and from there on to the target what continues them; with many of them, or
/// where they would be close together, round ones.
std::vector<double> x_tick_values(std::span<const ModelCurve> curves,
                                  std::span<const double> target, const ModelScale& scale) {
  constexpr size_t kMostMeasured = 24;
  std::vector<double> values;
  for (const ModelCurve& curve : curves) {
    for (const ModelMark& mark : curve.marks) values.push_back(mark.x);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const size_t count = values.size();
  if (count == 0 || count > kMostMeasured) return round_values(scale, scale.begin, scale.end);
  if (target.empty() || target[0] <= values.back()) return values;
  const double last = values.back();
  const double ratio = count < 3 ? 0 : last / values[count - 2];
  const bool is_geometric = count >= 3 && scale.logarithmic && ratio > 1.2 &&
                            std::abs(values[count - 2] / values[count - 3] / ratio - 1) < 1e-6;
  if (!is_geometric) {
    const std::vector<double> more = round_values(scale, last, target[0]);
    values.insert(values.end(), more.begin(), more.end());
    return values;
  }
  for (double value = last * ratio; value < target[0]; value *= ratio) values.push_back(value);
  return values;
}

/// log(high / low), also where the quotient is no number.
double log_ratio(double high, double low) {
  const double ratio = high / low;
  return ratio > 0 && std::isfinite(ratio) ? std::log(ratio) : std::log(high) - std::log(low);
}

/// An axis cannot end at 0 or beyond all numbers if it is logarithmic.
double positive(double value) {
  return std::clamp(value, std::numeric_limits<double>::denorm_min(), 1e307);
}

/// Calls body(from, to, is_measured) for the pieces of a curve.
template <class Body>
void for_each_piece(const ModelCurve& curve, const Body& body) {
  if (curve.x.empty()) return;
  const double first = curve.x.front();
  const double last = curve.x.back();
  if (curve.measured.empty()) {
    body(first, last, false);
    return;
  }
  const double begin = curve.measured.low;
  const double end = curve.measured.high;
  if (first < begin) body(first, begin, false);
  if (begin < end) body(begin, end, true);
  if (end < last) body(end, last, false);
}

}  // namespace

double ModelScale::px(double value) const {
  const double share =
      logarithmic ? (value > 0 ? log_ratio(value, begin) / log_ratio(end, begin) : -HUGE_VAL)
                  : (value - begin) / (end - begin);
  return px_begin + std::clamp(share, -1.0, 2.0) * (px_end - px_begin);
}

double ModelScale::value(double px) const {
  const double share = (px - px_begin) / (px_end - px_begin);
  return logarithmic ? positive(begin * std::exp(share * log_ratio(end, begin)))
                     : begin + share * (end - begin);
}

double ratio_of(double high, double low) {
  return std::min(high / low, std::numeric_limits<double>::max());
}

void ValueRange::add(double value) {
  if (!std::isfinite(value)) return;
  value = std::clamp(value, -1e306, 1e306);  // A little more, and differences are infinite.
  low = std::min(low, value);
  high = std::max(high, value);
}

double aggregated(const scaling::Experiment& experiment, uint32_t kernel, size_t point,
                  scaling::Aggregate how) {
  return scaling::aggregate(experiment.samples_of(kernel, point), how);
}

size_t largest_point(const scaling::Experiment& experiment) {
  const size_t arity = experiment.parameters.size();
  std::vector<double> largest(arity, 0);
  for (size_t i = 0; i < experiment.coordinates.size(); ++i) {
    largest[i % arity] = std::max(largest[i % arity], std::abs(experiment.coordinates[i]));
  }
  size_t best = 0;
  double best_sum = -HUGE_VAL;
  for (size_t p = 0; p < experiment.point_count(); ++p) {
    double sum = 0;
    for (size_t i = 0; i < arity; ++i) {
      if (largest[i] > 0) sum += experiment.point(p)[i] / largest[i];
    }
    if (sum < best_sum) continue;
    best = p;
    best_sum = sum;
  }
  return best;
}

std::vector<ModelCurve> model_curves(const scaling::Experiment& experiment, uint32_t kernel,
                                     const ModelOptions& options, size_t max_count) {
  const layout::Theme& theme = layout::theme(options.theme);
  std::vector<ModelCurve> curves;
  const auto add = [&](std::vector<double> at, layout::Color color) {
    ModelCurve curve{.at = std::move(at), .color = color};
    add_marks(curve, experiment, kernel, options.aggregate);
    curve.is_measured = !curve.marks.empty();
    curves.push_back(std::move(curve));
  };
  if (experiment.parameters.size() == 1) {
    add({0}, theme.series_color(0));
    return curves;
  }
  const std::vector<double> rest = commonest_rest(experiment);
  std::vector<double> seconds;
  for (size_t p = 0; p < experiment.point_count(); ++p) {
    if (others_of(experiment.point(p), 2) == rest) seconds.push_back(experiment.point(p)[1]);
  }
  std::sort(seconds.begin(), seconds.end());
  seconds.erase(std::unique(seconds.begin(), seconds.end()), seconds.end());
  seconds = thinned(seconds, max_count);
  for (const double second : seconds) {
    std::vector<double> at{0, second};
    at.insert(at.end(), rest.begin(), rest.end());
    add(std::move(at), theme.series_color(curves.size()));
  }
  const auto& target = options.target;
  const bool is_on_curve = std::any_of(curves.begin(), curves.end(), [&](const ModelCurve& curve) {
    return target.empty() || std::equal(target.begin() + 1, target.end(), curve.at.begin() + 1);
  });
  if (!is_on_curve) add(target, theme.text);
  return curves;
}

ValueRange x_range(std::span<const ModelCurve> curves, std::span<const double> target) {
  ValueRange range;
  for (const ModelCurve& curve : curves) {
    for (const ModelMark& mark : curve.marks) range.add(mark.x);
  }
  if (!target.empty()) range.add(target[0]);
  return range;
}

ModelScale make_x_scale(const ValueRange& range, ModelAxes axes, double px_begin, double px_end,
                        double pad_px) {
  ModelScale scale{.logarithmic = axes == ModelAxes::kLog ||
                                  (axes == ModelAxes::kAuto && range.spans(kLogarithmicFrom)),
                   .begin = range.low,
                   .end = range.high,
                   .px_begin = px_begin + pad_px,
                   .px_end = px_end - pad_px};
  if (range.low == range.high) {
    const double room = range.low == 0 ? 1 : std::abs(range.low) / 2;
    scale.begin = scale.logarithmic ? positive(range.low / 2) : range.low - room;
    scale.end = scale.logarithmic ? range.low * 2 : range.low + room;
  }
  const double begin = scale.value(px_begin);
  const double end = scale.value(px_end);
  scale.begin = begin;
  scale.end = end;
  scale.px_begin = px_begin;
  scale.px_end = px_end;
  return scale;
}

std::vector<double> x_along(const ModelCurve& curve, const ValueRange& range,
                            const ModelScale& scale, double step_px) {
  // With a single value of x the curve runs all along the axis.
  const bool is_point = range.low == range.high;
  const double first = is_point ? scale.begin : range.low;
  const double end = is_point ? scale.end : range.high;
  std::vector<double> xs{first, end};
  if (!curve.measured.empty()) {
    xs.push_back(curve.measured.low);
    xs.push_back(curve.measured.high);
  }
  const double last = scale.px(end);
  for (double px = std::ceil(scale.px(first)); px < last; px += step_px) {
    xs.push_back(std::clamp(scale.value(px), first, end));
  }
  std::sort(xs.begin(), xs.end());
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  return xs;
}

void evaluate_curve(ModelCurve& curve, const scaling::Model& model,
                    std::span<const scaling::Prediction> predictions) {
  const bool has_range = predictions.size() == curve.x.size();
  for (size_t i = 0; i < curve.x.size(); ++i) {
    curve.at[0] = curve.x[i];
    const double value = scaling::evaluate(model, curve.at);
    curve.value.push_back(value);
    const double low = has_range ? predictions[i].low : value;
    const double high = has_range ? predictions[i].high : value;
    curve.low.push_back(std::isfinite(low) ? std::min(low, value) : value);
    curve.high.push_back(std::isfinite(high) ? std::max(high, value) : value);
  }
}

ValueRange y_range(std::span<const ModelCurve> curves,
                   const std::optional<scaling::Prediction>& prediction, bool logarithmic) {
  ValueRange range;
  ValueRange wide;
  for (const ModelCurve& curve : curves) {
    for (const ModelMark& mark : curve.marks) {
      range.add(mark.value);
      for (const double sample : mark.samples) range.add(sample);
    }
    for (const double value : curve.value) {
      if (!logarithmic || value > 0) range.add(value);
    }
    for (const double value : curve.low) wide.add(value);
    for (const double value : curve.high) wide.add(value);
  }
  if (prediction) {
    if (!logarithmic || prediction->value > 0) range.add(prediction->value);
    wide.add(prediction->low);
    wide.add(prediction->high);
  }
  if (range.empty()) range.add(0);
  if (wide.empty()) return range;
  if (logarithmic) {
    const double room = std::max(2.0, std::cbrt(ratio_of(range.high, range.low)));
    if (wide.low > 0) range.low = std::min(range.low, std::max(wide.low, range.low / room));
    range.high = std::max(range.high, std::min(wide.high, range.high * room));
  } else {
    const double room = 0.6 * std::max(range.high - std::min(range.low, 0.0), 0.0);
    range.low = std::min(range.low, std::max(wide.low, range.low - room));
    range.high = std::max(range.high, std::min(wide.high, range.high + room));
  }
  return range;
}

ModelScale make_y_scale(ValueRange range, bool logarithmic, double px_begin, double px_end) {
  ModelScale scale{.logarithmic = logarithmic, .px_begin = px_begin, .px_end = px_end};
  if (logarithmic) {
    // At least a decade, so that noise does not fill the plot.
    const double lack = std::max(1.0, std::sqrt(10 * range.low / range.high));
    const double pad = std::pow(ratio_of(range.high, range.low), 0.04) * 1.04;
    scale.begin = positive(range.low / lack / pad);
    scale.end = positive(range.high * lack * pad);
    return scale;
  }
  scale.begin = std::min(0.0, range.low);
  scale.end = std::max(0.0, range.high);
  if (scale.begin == scale.end) scale.end = 1;
  const double pad = 0.06 * (scale.end - scale.begin);
  if (range.low < 0) scale.begin -= pad;
  if (range.high > 0 || range.low >= 0) scale.end += pad;
  return scale;
}

layout::Ticks x_ticks(std::span<const ModelCurve> curves, std::span<const double> target,
                      const ModelScale& scale) {
  constexpr double kLabelSize = 11;
  constexpr double kGapPx = 12;
  layout::Ticks ticks;
  std::vector<std::pair<double, double>> taken;
  // What comes first has a label, what does not find room is a short tick.
  const auto place = [&](double value) {
    const std::string label = number_text(value);
    const double half = (layout::text_width_px(label, kLabelSize) + kGapPx) / 2;
    const double px = scale.px(value);
    for (const auto& [begin, end] : taken) {
      if (px + half <= begin || px - half >= end) continue;
      ticks.minor.push_back(value);
      return;
    }
    taken.emplace_back(px - half, px + half);
    ticks.major.push_back({value, label});
  };
  if (!target.empty()) place(target[0]);
  for (const double value : x_tick_values(curves, target, scale)) {
    if (target.empty() || value != target[0]) place(value);
  }
  std::sort(ticks.major.begin(), ticks.major.end(),
            [](const layout::Tick& a, const layout::Tick& b) { return a.value < b.value; });
  return ticks;
}

layout::LinearScale straight(const ModelScale& scale) {
  return {0, 1, scale.px_begin, scale.px_end};
}

layout::Ticks on_straight(layout::Ticks ticks, const ModelScale& scale) {
  const auto share = [&](double value) {
    return (scale.px(value) - scale.px_begin) / (scale.px_end - scale.px_begin);
  };
  for (layout::Tick& tick : ticks.major) tick.value = share(tick.value);
  for (double& value : ticks.minor) value = share(value);
  return ticks;
}

void add_model_band(layout::Polylines& lines, const ModelCurve& curve, const ModelScale& x,
                    const ModelScale& y, const layout::Rect& plot, double opacity) {
  for_each_piece(curve, [&](double from, double to, bool is_measured) {
    auto band = points_of(curve, curve.high, x, y, from, to);
    const auto low = points_of(curve, curve.low, x, y, from, to);
    band.insert(band.end(), low.rbegin(), low.rend());
    if (band.size() < 4) return;
    lines.lines.push_back(
        {.points = std::move(band),
         .fill = layout::with_alpha(curve.color, is_measured ? opacity : 0.62 * opacity),
         .clip = plot});
  });
}

void add_model_line(layout::Polylines& lines, const ModelCurve& curve, const ModelScale& x,
                    const ModelScale& y, const layout::Rect& plot, double width_px) {
  for_each_piece(curve, [&](double from, double to, bool is_measured) {
    auto points = points_of(curve, curve.value, x, y, from, to);
    if (points.size() < 2) return;
    lines.lines.push_back({.points = std::move(points),
                           .stroke = curve.color,
                           .width_px = width_px,
                           .dash_px = is_measured ? std::vector<double>{}
                                                  : std::vector<double>{3 * width_px, 2 * width_px},
                           .clip = plot});
  });
}

layout::Polyline diamond(layout::Point middle, double radius_px, layout::Color fill,
                         layout::Color rim) {
  const auto [x, y] = middle;
  return {.points = {{x, y - radius_px},
                     {x + radius_px, y},
                     {x, y + radius_px},
                     {x - radius_px, y},
                     {x, y - radius_px}},
          .stroke = rim,
          .width_px = 1.5,
          .fill = fill};
}

}  // namespace pathline::figure
