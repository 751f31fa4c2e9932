// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/format.h>

#include "app/picture.hpp"
#include "base/text.hpp"
#include "figure/model/outcomes.hpp"

namespace pathline::app {
namespace {

/// "block", with what else tells runs of the machine apart.
std::string series_of(const store::AppRun& run, bool with_nodes) {
  std::string name = run.mapping;
  if (with_nodes) name += fmt::format(", {} per node", run.ranks_per_node);
  if (run.bind != "compact") name += ", " + run.bind;
  return name;
}

}  // namespace

base::Result<layout::Scene> make_prediction_scene(const std::vector<RunOutcome>& outcomes,
                                                  const store::Machine& machine,
                                                  const figure::Options& options) {
  // A run that does not fill its nodes has fewer ranks on each; that alone is no choice.
  uint32_t most = 0;
  for (const RunOutcome& outcome : outcomes) most = std::max(most, outcome.run.ranks_per_node);
  std::vector<std::string> applications;
  for (const RunOutcome& outcome : outcomes) applications.push_back(outcome.run.application);
  std::sort(applications.begin(), applications.end());
  applications.erase(std::unique(applications.begin(), applications.end()), applications.end());
  std::vector<figure::OutcomePoint> points;
  std::vector<const RunOutcome*> predicted;
  for (const RunOutcome& outcome : outcomes) {
    const store::AppRun& run = outcome.run;
    figure::OutcomePoint point{
        .panel = grid_text(run.grid),
        .series = series_of(run, run.ranks_per_node != std::min(most, rank_count(run.ranks))),
        .ranks = static_cast<double>(rank_count(run.ranks)),
        .measured_s = run.total_s};
    if (applications.size() > 1) point.panel = run.application + " " + point.panel;
    if (outcome.prediction && !outcome.prediction->refused) {
      point.predicted_s = outcome.prediction->total_s;
      point.low_s = outcome.prediction->low_s;
      point.high_s = outcome.prediction->high_s;
    }
    points.push_back(std::move(point));
    predicted.push_back(&outcome);
  }
  const Agreement agreement = agreement_of(predicted);
  figure::OutcomeOptions drawing{.width_px = options.width_px,
                                 .height_px = options.height_px,
                                 .scale = options.scale,
                                 .theme = options.theme,
                                 .title = {},
                                 .subtitle = {}};
  drawing.title = fmt::format(
      "{} on {}{}", applications.size() == 1 ? base::printable(applications.front()) : "Runs",
      base::printable(machine.name),
      machine.kind == store::MachineKind::kSimulated ? ", simulated" : "");
  drawing.subtitle = fmt::format(
      "{}: off by {:.1f} % in the median, {:.1f} % in nine of ten; {:.0f} % inside of their "
      "interval",
      base::counted(agreement.runs, "predicted run", "predicted runs"), agreement.median_error_pct,
      agreement.p90_error_pct, agreement.coverage_pct);
  return figure::outcomes(points, drawing);
}

}  // namespace pathline::app
