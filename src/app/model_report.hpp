// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/model_input.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "scaling/expectation.hpp"
#include "scaling/ranking.hpp"
#include "scaling/search/search.hpp"

namespace pathline::app {

/// What a user calls them.
inline constexpr std::array<std::pair<std::string_view, scaling::Aggregate>, 4> kAggregates = {{
    {"mean", scaling::Aggregate::kMean},
    {"median", scaling::Aggregate::kMedian},
    {"min", scaling::Aggregate::kMin},
    {"max", scaling::Aggregate::kMax},
}};
inline constexpr std::array<std::pair<std::string_view, scaling::LocationRule>, 3> kLocationRules =
    {{
        {"weak", scaling::LocationRule::kWeak},
        {"weak-threaded", scaling::LocationRule::kWeakThreaded},
        {"strong", scaling::LocationRule::kStrong},
    }};
inline constexpr std::array<std::pair<std::string_view, scaling::RankBy>, 2> kRankings = {{
    {"value", scaling::RankBy::kValue},
    {"growth", scaling::RankBy::kGrowth},
}};

/// What is asked of measurements.
struct ModelQuestion {
  scaling::SearchOptions search;  ///< At least one target; the first ranks.
  scaling::LocationRule locations = scaling::LocationRule::kWeak;  ///< That profiles were read by.
  scaling::RankBy rank_by = scaling::RankBy::kValue;
  /// Metric "time" before others, as people ask for it first; else metrics keep their order.
  bool time_first = true;
  size_t top = 0;  ///< Only so many of each metric, and what is worse than expected; 0: all.
  /// What nothing should outgrow, scaling::parse_expectation(); "" for nothing.
  std::string expected;
  /// Kernels below this share of what is predicted for their metric, 0 to 1, may grow as they like.
  double expected_share = 0;
};

/// How the parts of a program grow.
struct ModelReport {
  std::string data;  ///< What the user calls the measurements.
  scaling::Experiment experiment;
  std::vector<bool> adds_up;                 ///< Per metric: whether a share of it means anything.
  std::vector<std::vector<double>> targets;  ///< The first is what ranks.
  std::vector<double> least;                 ///< Per parameter, measured.
  std::vector<double> largest;               ///< Per parameter, measured.
  scaling::Aggregate aggregate = scaling::Aggregate::kMean;  ///< What of repetitions is modelled.
  std::vector<scaling::Fit> fits;
  std::vector<scaling::Ranked> rows;  ///< Those to show.
  std::string expected;               ///< As the user wrote it; "" for nothing.
  std::vector<bool> worse;            ///< Per fit, than expected.
  /// Per fit: rivals that would be judged otherwise.
  std::vector<uint32_t> rivals_disagree;
  size_t worse_count = 0;
  /// How the models were made: name and word.
  std::vector<std::pair<std::string_view, std::string_view>> settings;

  [[nodiscard]] const std::string& call_path(const scaling::Ranked& row) const {
    return experiment.call_paths[experiment.kernels[fits[row.fit].kernel].call_path];
  }
  [[nodiscard]] const std::string& unit(const scaling::Ranked& row) const {
    return experiment.units[experiment.kernels[fits[row.fit].kernel].metric];
  }
  [[nodiscard]] const std::string& metric(const scaling::Ranked& row) const {
    return experiment.metrics[experiment.kernels[fits[row.fit].kernel].metric];
  }
  /// At the largest measured point.
  [[nodiscard]] double measured(const scaling::Ranked& row) const;
  /// Fewest measurements at a point.
  [[nodiscard]] size_t repetitions(const scaling::Ranked& row) const;
  /// Whether every measurement is 0.
  [[nodiscard]] bool is_zero(const scaling::Ranked& row) const;
  /// Whether parts of the metric's sum mean anything.
  [[nodiscard]] bool has_share(const scaling::Ranked& row) const;
  /// "worse-than-expected", "constant-by-noise", ...
  [[nodiscard]] std::vector<std::string_view> flags(const scaling::Ranked& row) const;
  /// "p = 1024, n = 100".
  [[nodiscard]] std::string point_text(const std::vector<double>& point) const;
};

/// data    what errors call the measurements.
/// strict  whether each of them must be modelled.
/// errors  kCorrupt when there is nothing to model, or something cannot be and `strict`.
base::Status check_kernels(const scaling::Experiment& experiment, const std::string& data,
                           bool strict);

/// A point to predict at: parameters that `values` does not name stay at their largest measured
/// value.
/// errors  kNotFound for a parameter that does not exist.
base::Result<std::vector<double>> target_at(
    const std::vector<std::pair<std::string, double>>& values,
    const scaling::Experiment& experiment);

/// Where to predict if nobody says: 16 times the largest value of the first parameter, if there is
/// such a number.
std::vector<double> usual_target(const scaling::Experiment& experiment);

/// Models every kernel, ranks each metric for itself and judges what outgrows the expectation.
///
/// data    what the user calls the measurements.
/// errors  those of scaling::parse_expectation(); kInvalidArgument where a model is beyond what a
///         number can hold at a target.
/// cost    that of scaling::fit_all().
base::Result<ModelReport> model_report(std::string data, ModelInput input,
                                       const ModelQuestion& question, base::ThreadPool& pool);

/// One JSON object: the measurements, how they were modelled, and each model with its rivals;
/// doc/scaling.md explains what stands in it. What cannot be told is null.
std::string to_json(const ModelReport& report);

}  // namespace pathline::app
