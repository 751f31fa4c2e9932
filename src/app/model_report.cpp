// SPDX-License-Identifier: BSD-3-Clause
#include "app/model_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::app {
namespace {

using base::Error;
using base::ErrorCode;
using scaling::Flag;
using scaling::Ranked;

constexpr std::array<std::pair<Flag, std::string_view>, 10> kFlagNames = {{
    {Flag::kConstantByNoise, "constant-by-noise"},
    {Flag::kNegativePrediction, "negative-prediction"},
    {Flag::kDecreasing, "decreasing"},
    {Flag::kAmbiguous, "ambiguous"},
    {Flag::kNegativeValues, "negative-values"},
    {Flag::kFewPoints, "few-points"},
    {Flag::kNoRepetitions, "no-repetitions"},
    {Flag::kNotSeparable, "not-separable"},
    {Flag::kPoorFit, "poor-fit"},
    {Flag::kNoLogarithms, "no-logarithms"},
}};

template <typename Table, typename Value>
std::string_view word_of(const Table& table, Value value) {
  const auto at = std::find_if(table.begin(), table.end(),
                               [&](const auto& known) { return known.second == value; });
  return at == table.end() ? "" : at->first;
}

std::vector<double> least_measured(const scaling::Experiment& experiment) {
  std::vector<double> least = scaling::largest_measured(experiment);
  for (size_t p = 0; p < experiment.point_count(); ++p) {
    for (size_t i = 0; i < least.size(); ++i) {
      least[i] = std::min(least[i], experiment.point(p)[i]);
    }
  }
  return least;
}

/// All that is known before the search.
ModelReport begun(std::string data, ModelInput input, const ModelQuestion& question) {
  ModelReport report;
  report.data = std::move(data);
  report.experiment = std::move(input.experiment);
  for (const std::string& metric : report.experiment.metrics) {
    const auto& parts = input.not_additive;
    report.adds_up.push_back(std::find(parts.begin(), parts.end(), metric) == parts.end());
  }
  report.targets = question.search.targets;
  report.least = least_measured(report.experiment);
  report.largest = scaling::largest_measured(report.experiment);
  report.aggregate = question.search.aggregate;
  report.expected = question.expected;
  report.settings.emplace_back("aggregate", word_of(kAggregates, report.aggregate));
  if (input.from_profiles) {
    report.settings.emplace_back("scaling", word_of(kLocationRules, question.locations));
  }
  report.settings.emplace_back("rank_by", word_of(kRankings, question.rank_by));
  return report;
}

base::Status check_predictions(const ModelReport& report) {
  for (const scaling::Fit& fit : report.fits) {
    for (size_t t = 0; t < report.targets.size(); ++t) {
      if (std::isfinite(fit.predictions[t].value)) continue;
      const uint32_t path = report.experiment.kernels[fit.kernel].call_path;
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("at {} the model of {} is no finite number",
                               report.point_text(report.targets[t]),
                               base::printable(report.experiment.call_paths[path])),
                   "Give --at a point nearer to what was measured."};
    }
  }
  return {};
}

/// least  share of the prediction for its metric, 0 to 1, from which on a kernel counts.
void judge(ModelReport& report, const scaling::Model& expectation, double least) {
  const std::vector<double>& x = report.largest;
  std::vector<double> share(report.fits.size(), 0);
  for (const Ranked& row : report.rows) {
    // What has no share, as a maximum, counts whole.
    const bool known = report.has_share(row) && std::isfinite(row.share);
    share[row.fit] = known ? row.share : 1;
  }
  for (size_t i = 0; i < report.fits.size(); ++i) {
    if (share[i] < least) continue;
    const scaling::Fit& fit = report.fits[i];
    const bool worse = scaling::outgrows(fit.model, expectation, x);
    report.worse[i] = worse;
    report.worse_count += worse ? 1 : 0;
    report.rivals_disagree[i] = static_cast<uint32_t>(
        std::count_if(fit.rivals.begin(), fit.rivals.end(), [&](const scaling::Rival& rival) {
          return scaling::outgrows(rival.model, expectation, x) != worse;
        }));
  }
}

}  // namespace

double ModelReport::measured(const Ranked& row) const {
  // The values of all parameters need not be largest at one point.
  size_t best = 0;
  double best_sum = -HUGE_VAL;
  for (size_t p = 0; p < experiment.point_count(); ++p) {
    double sum = 0;
    for (size_t i = 0; i < largest.size(); ++i) {
      if (largest[i] > 0) sum += experiment.point(p)[i] / largest[i];
    }
    if (sum < best_sum) continue;
    best = p;
    best_sum = sum;
  }
  return scaling::aggregate(experiment.samples_of(fits[row.fit].kernel, best), aggregate);
}

size_t ModelReport::repetitions(const Ranked& row) const {
  size_t fewest = std::numeric_limits<size_t>::max();
  for (size_t p = 0; p < experiment.point_count(); ++p) {
    fewest = std::min(fewest, experiment.samples_of(fits[row.fit].kernel, p).size());
  }
  return fewest;
}

bool ModelReport::is_zero(const Ranked& row) const {
  for (size_t p = 0; p < experiment.point_count(); ++p) {
    const auto samples = experiment.samples_of(fits[row.fit].kernel, p);
    if (std::any_of(samples.begin(), samples.end(), [](double value) { return value != 0; })) {
      return false;
    }
  }
  return true;
}

bool ModelReport::has_share(const Ranked& row) const {
  return adds_up[experiment.kernels[fits[row.fit].kernel].metric];
}

std::vector<std::string_view> ModelReport::flags(const Ranked& row) const {
  std::vector<std::string_view> names;
  if (worse[row.fit]) names.emplace_back("worse-than-expected");
  for (const auto& [flag, name] : kFlagNames) {
    if (fits[row.fit].flags.has(flag)) names.push_back(name);
  }
  return names;
}

std::string ModelReport::point_text(const std::vector<double>& point) const {
  std::vector<std::string> values;
  for (size_t i = 0; i < point.size(); ++i) {
    values.push_back(fmt::format("{} = {}", base::printable(experiment.parameters[i]), point[i]));
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

base::Status check_kernels(const scaling::Experiment& experiment, const std::string& data,
                           bool strict) {
  const auto& skipped = experiment.skipped;
  if (!experiment.kernels.empty() && (skipped.empty() || !strict)) return {};
  if (skipped.empty()) {
    return Error{ErrorCode::kCorrupt, fmt::format("{} holds no measurements", data)};
  }
  const size_t all = skipped.size() + experiment.kernels.size();
  return Error{
      ErrorCode::kCorrupt,
      fmt::format("{}: {} of {} cannot be modelled; {}{}{}: {}", data, skipped.size(),
                  base::counted(all, "kernel", "kernels"), skipped[0].call_path,
                  skipped[0].metric.empty() ? "" : ", ", skipped[0].metric, skipped[0].reason),
      experiment.kernels.empty() ? "" : "Without --strict they are left out."};
}

base::Result<std::vector<double>> target_at(
    const std::vector<std::pair<std::string, double>>& values,
    const scaling::Experiment& experiment) {
  const std::vector<std::string>& names = experiment.parameters;
  std::vector<double> target = scaling::largest_measured(experiment);
  for (const auto& [name, value] : values) {
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end()) {
      return Error{ErrorCode::kNotFound, fmt::format("there is no parameter '{}', only {}", name,
                                                     fmt::join(names, ", "))};
    }
    target[static_cast<size_t>(place - names.begin())] = value;
  }
  return target;
}

std::vector<double> usual_target(const scaling::Experiment& experiment) {
  constexpr double kFarther = 16;
  std::vector<double> target = scaling::largest_measured(experiment);
  // What is farther than a double reaches, or would be on the other side, stays where it is.
  if (const double x = kFarther * target[0]; x > 0 && std::isfinite(x)) target[0] = x;
  return target;
}

base::Result<ModelReport> model_report(std::string data, ModelInput input,
                                       const ModelQuestion& question, base::ThreadPool& pool) {
  ModelReport report = begun(std::move(data), std::move(input), question);
  std::optional<scaling::Model> expectation;
  if (!question.expected.empty()) {
    auto parsed = scaling::parse_expectation(question.expected, report.experiment.parameters);
    if (!parsed) return parsed.error();
    expectation = std::move(parsed).value();
  }
  report.fits = scaling::fit_all(report.experiment, question.search, pool);
  report.worse.resize(report.fits.size());
  report.rivals_disagree.resize(report.fits.size());
  if (auto status = check_predictions(report); !status) return status.error();
  report.rows = scaling::rank(report.experiment, report.fits, question.rank_by, 0);
  if (expectation) judge(report, *expectation, question.expected_share);
  if (question.time_first) {
    std::stable_partition(report.rows.begin(), report.rows.end(),
                          [&](const Ranked& row) { return report.metric(row) == "time"; });
  }
  if (question.top > 0) {
    // What is worse than expected is an answer, wherever it ranks.
    std::erase_if(report.rows, [&](const Ranked& row) {
      return row.rank > question.top && !report.worse[row.fit];
    });
  }
  return report;
}

}  // namespace pathline::app
