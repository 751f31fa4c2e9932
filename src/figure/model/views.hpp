// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "figure/model/model.hpp"
#include "figure/model/text.hpp"
#include "layout/scene.hpp"

namespace pathline::figure {

// The kinds of figure::model(), which has checked what they get.

base::Result<layout::Scene> model_kernel(const scaling::Experiment& experiment,
                                         const scaling::Fit& fit, const ModelOptions& options,
                                         const SearchAgain& again);
base::Result<layout::Scene> model_sheet(const scaling::Experiment& experiment,
                                        std::span<const scaling::Fit> fits,
                                        const ModelOptions& options, const SearchAgain& again);
base::Result<layout::Scene> model_bars(const scaling::Experiment& experiment,
                                       std::span<const scaling::Fit> fits,
                                       const ModelOptions& options);

std::string call_path_of(const scaling::Experiment& experiment, const scaling::Fit& fit);
std::string metric_of(const scaling::Experiment& experiment, const scaling::Fit& fit);
/// The call path in at most `width_px`: what is least telling goes first.
std::string fitted_call_path(const std::string& path, double width_px, double size_px,
                             layout::Weight weight = layout::Weight::kRegular);
/// "p = 65,536, n = 100".
std::string point_text(const scaling::Experiment& experiment, std::span<const double> point);
/// "mean of the repetitions, sum over locations"
std::string value_text(const scaling::Experiment& experiment, scaling::Aggregate how);
std::optional<scaling::Prediction> prediction_of(const scaling::Fit& fit,
                                                 const ModelOptions& options);
/// "34 %", "3.4 %", "less than 0.1 %", "more than 99.9 %".
std::string percent_text(double share);

/// How an entry of a legend looks.
enum class ModelSwatch : uint8_t {
  kBox,
  kBand,
  kLine,
  kDashes,
  kCircle,
  kStroke,
  kDiamond,
  kWhisker
};
struct ModelEntry {
  ModelSwatch swatch;
  layout::Color color;
  std::string text;
};

/// Entries from left to right, in as many rows as they need.
/// returns  the height used; scene may be nullptr to learn that.
double add_model_legend(layout::Scene* scene, const layout::Theme& theme,
                        std::span<const ModelEntry> entries, const layout::Rect& area);

/// Facts with dots between them, in at most `row_limit` rows; the last one is cut.
/// returns  the height used.
double add_facts(layout::Scene& scene, const layout::Theme& theme, std::span<const RichText> facts,
                 const layout::Rect& area, size_t row_limit, layout::Color color);

/// A triangle with an exclamation mark, 13 px wide.
void add_warning_sign(layout::Scene& scene, const layout::Theme& theme, layout::Point left_middle);

}  // namespace pathline::figure
