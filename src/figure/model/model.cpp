// SPDX-License-Identifier: BSD-3-Clause
#include "figure/model/model.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"
#include "figure/model/plot.hpp"
#include "figure/model/views.hpp"
#include "figure/network/view.hpp"
#include "layout/text.hpp"
#include "scaling/call_path.hpp"

namespace pathline::figure {
namespace {

/// Width of lines and areas, and of marks.
constexpr double kWideSwatchPx = 26;
constexpr double kNarrowSwatchPx = 13;
constexpr double kSwatchGapPx = 6;
constexpr double kEntryGapPx = 20;
constexpr double kFactRowPx = 18;

base::Error invalid(std::string message, std::string advice = "") {
  return {base::ErrorCode::kInvalidArgument, std::move(message), std::move(advice)};
}

/// The first parameter runs along x.
base::Status check_logarithmic(const scaling::Experiment& experiment, const ModelOptions& options) {
  if (options.axes != ModelAxes::kLog || options.kind == ModelKind::kBars) return {};
  double least = options.target.empty() ? HUGE_VAL : options.target[0];
  for (size_t p = 0; p < experiment.point_count(); ++p) {
    least = std::min(least, experiment.point(p)[0]);
  }
  if (least > 0) return {};
  return invalid(fmt::format("a logarithmic axis cannot show {} = {}",
                             base::printable(experiment.parameters[0]), least));
}

base::Status check(const scaling::Experiment& experiment, std::span<const scaling::Fit> fits,
                   const ModelOptions& options) {
  if (fits.empty()) return invalid("there is nothing to draw: no kernel has a model");
  const uint32_t metric = experiment.kernels[fits[0].kernel].metric;
  for (const scaling::Fit& fit : fits) {
    const uint32_t other = experiment.kernels[fit.kernel].metric;
    if (other != metric && options.kind != ModelKind::kKernel) {
      return invalid(fmt::format("a picture of many kernels is of one metric, not of {} and {}",
                                 base::printable(experiment.metrics[metric]),
                                 base::printable(experiment.metrics[other])));
    }
  }
  if (auto status = check_logarithmic(experiment, options); !status) return status;
  if (options.target.empty()) {
    if (options.kind != ModelKind::kBars) return {};
    return invalid("bars show predictions, and no point to predict at was given");
  }
  if (options.target.size() != experiment.parameters.size()) {
    return invalid(fmt::format("the point to predict at has {} values, but there are {} parameters",
                               options.target.size(), experiment.parameters.size()));
  }
  return {};
}

double swatch_px(ModelSwatch swatch) {
  switch (swatch) {
    case ModelSwatch::kBox:
    case ModelSwatch::kCircle:
    case ModelSwatch::kStroke:
    case ModelSwatch::kDiamond: return kNarrowSwatchPx;
    case ModelSwatch::kBand:
    case ModelSwatch::kLine:
    case ModelSwatch::kDashes:
    case ModelSwatch::kWhisker: break;
  }
  return kWideSwatchPx;
}

void add_swatch(const ModelEntry& entry, double x, double y, const layout::Theme& theme,
                layout::Boxes& boxes, layout::Polylines& lines) {
  const double width = swatch_px(entry.swatch);
  const double end = x + width;
  const double middle = x + width / 2;
  switch (entry.swatch) {
    case ModelSwatch::kBox: boxes.add({x, std::round(y - 6), 12, 12}, entry.color); break;
    case ModelSwatch::kBand: boxes.add({x, std::round(y - 5), width, 10}, entry.color); break;
    case ModelSwatch::kLine: lines.add_rule({x, y}, {end, y}, entry.color, 2); break;
    case ModelSwatch::kDashes:
      lines.lines.push_back({.points = {{x, std::round(y)}, {end, std::round(y)}},
                             .stroke = entry.color,
                             .width_px = 2,
                             .dash_px = {6, 4}});
      break;
    case ModelSwatch::kCircle:
      lines.lines.push_back(circle({middle, y}, 4, entry.color, theme.background, 1));
      break;
    case ModelSwatch::kStroke:
      lines.add_rule({middle - 6, y}, {middle + 6, y}, entry.color, 1);
      break;
    case ModelSwatch::kDiamond:
      lines.lines.push_back(diamond({middle, y}, 6, entry.color, theme.background));
      break;
    case ModelSwatch::kWhisker:
      lines.add_rule({x, y}, {end, y}, entry.color, 1);
      lines.add_rule({x, y - 4}, {x, y + 4}, entry.color, 1);
      lines.add_rule({end, y - 4}, {end, y + 4}, entry.color, 1);
      break;
  }
}

}  // namespace

std::string call_path_of(const scaling::Experiment& experiment, const scaling::Fit& fit) {
  const uint32_t path = experiment.kernels[fit.kernel].call_path;
  return base::printable(experiment.call_paths[path]);
}

std::string fitted_call_path(const std::string& path, double width_px, double size_px,
                             layout::Weight weight) {
  std::string shortest = path;
  for (std::string& text : scaling::shorter_call_paths(path)) {
    if (layout::text_width_px(text, size_px, weight) <= width_px) return std::move(text);
    shortest = std::move(text);
  }
  return layout::fit_text_middle(shortest, width_px, size_px, weight);
}

std::string metric_of(const scaling::Experiment& experiment, const scaling::Fit& fit) {
  return base::printable(experiment.metrics[experiment.kernels[fit.kernel].metric]);
}

std::string point_text(const scaling::Experiment& experiment, std::span<const double> point) {
  std::string text;
  for (size_t i = 0; i < point.size(); ++i) {
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", base::printable(experiment.parameters[i]),
                        number_text(point[i]));
  }
  return text;
}

std::string value_text(const scaling::Experiment& experiment, scaling::Aggregate how) {
  const char* name = how == scaling::Aggregate::kMean     ? "mean"
                     : how == scaling::Aggregate::kMedian ? "median"
                     : how == scaling::Aggregate::kMin    ? "minimum"
                                                          : "maximum";
  std::string text = fmt::format("{} of the repetitions", name);
  if (!experiment.value_is.empty()) text += ", " + base::printable(experiment.value_is);
  return text;
}

std::optional<scaling::Prediction> prediction_of(const scaling::Fit& fit,
                                                 const ModelOptions& options) {
  if (options.target.empty()) return {};
  if (!fit.predictions.empty()) return fit.predictions.front();
  const double value = scaling::evaluate(fit.model, options.target);
  return scaling::Prediction{value, value, value};
}

std::string percent_text(double share) {
  const double percent = 100 * share;
  if (std::isnan(percent)) return "?";
  if (percent > 0 && percent < 0.1) return "less than 0.1 %";
  if (percent < 100 && percent > 99.9) return "more than 99.9 %";
  const bool is_whole = percent == 0 || (percent >= 10 && percent < 99) || percent >= 100;
  return fmt::format("{:.{}f} %", percent, is_whole ? 0 : 1);
}

double add_model_legend(layout::Scene* scene, const layout::Theme& theme,
                        std::span<const ModelEntry> entries, const layout::Rect& area) {
  const double row_height = layout::legend_row_height_px(theme);
  layout::Boxes boxes;
  layout::Polylines lines;
  layout::Labels labels;
  double x = area.x;
  double y = area.y;
  for (const ModelEntry& entry : entries) {
    const double swatch = swatch_px(entry.swatch) + kSwatchGapPx;
    const double room = area.w - swatch;
    const std::string text = layout::fit_text_middle(entry.text, room, theme.small_size_px);
    const double width = swatch + layout::text_width_px(text, theme.small_size_px);
    if (x > area.x && x + width > area.right()) {
      x = area.x;
      y += row_height;
    }
    const double middle = y + row_height / 2;
    add_swatch(entry, x, middle, theme, boxes, lines);
    labels.items.push_back({.text = text,
                            .at = {x + swatch, middle},
                            .color = theme.text,
                            .size_px = theme.small_size_px,
                            .baseline = layout::Baseline::kMiddle});
    x += width + kEntryGapPx;
  }
  if (scene != nullptr) {
    scene->layers.emplace_back(std::move(boxes));
    scene->layers.emplace_back(std::move(lines));
    scene->layers.emplace_back(std::move(labels));
  }
  return entries.empty() ? 0 : y + row_height - area.y;
}

double add_facts(layout::Scene& scene, const layout::Theme& theme, std::span<const RichText> facts,
                 const layout::Rect& area, size_t row_limit, layout::Color color) {
  const RichText separator{{" \u00b7 "}};
  const double size = theme.text_size_px;
  const double gap = rich_width_px(separator, size);
  layout::Labels labels;
  double x = area.x;
  size_t row = 0;
  for (const RichText& fact : facts) {
    const double width = rich_width_px(fact, size);
    double room = area.right() - x - (x > area.x ? gap : 0);
    if (width > room && x > area.x && row + 1 < row_limit) {
      x = area.x;
      ++row;
      room = area.w;
    }
    const double y = area.y + (static_cast<double>(row) + 0.5) * kFactRowPx;
    if (x > area.x) {
      add_rich(labels, separator, {x, y}, size, color);
      x += gap;
    }
    if (width <= room) {
      add_rich(labels, fact, {x, y}, size, color);
      x += width;
      continue;
    }
    add_rich(labels, {{layout::fit_text(plain(fact), room, size)}}, {x, y}, size, color);
    break;
  }
  scene.layers.emplace_back(std::move(labels));
  return facts.empty() ? 0 : static_cast<double>(row + 1) * kFactRowPx;
}

void add_warning_sign(layout::Scene& scene, const layout::Theme& theme, layout::Point left_middle) {
  const auto [x, y] = left_middle;
  layout::Polylines lines;
  lines.lines.push_back({.points = {{x, y + 5}, {x + 6.5, y - 6.5}, {x + 13, y + 5}, {x, y + 5}},
                         .stroke = theme.highlight,
                         .fill = theme.highlight});
  lines.lines.push_back({.points = {{x + 6.5, y - 2.5}, {x + 6.5, y + 1.2}},
                         .stroke = theme.background,
                         .width_px = 1.6});
  lines.lines.push_back({.points = {{x + 6.5, y + 2.4}, {x + 6.5, y + 4}},
                         .stroke = theme.background,
                         .width_px = 1.6});
  scene.layers.emplace_back(std::move(lines));
}

base::Result<layout::Scene> model(const scaling::Experiment& experiment,
                                  std::span<const scaling::Fit> fits, const ModelOptions& options,
                                  const SearchAgain& again) {
  if (auto status = check(experiment, fits, options); !status) return status.error();
  switch (options.kind) {
    case ModelKind::kKernel: return model_kernel(experiment, fits[0], options, again);
    case ModelKind::kSheet: return model_sheet(experiment, fits, options, again);
    case ModelKind::kBars: break;
  }
  return model_bars(experiment, fits, options);
}

}  // namespace pathline::figure
