// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "scaling/expectation.hpp"
#include "scaling/ranking.hpp"

namespace pathline::cli {

/// What `pathline model` found, ready to be written.
struct ModelReport {
  std::string data;  ///< What the user calls the measurements.
  scaling::Experiment experiment;
  std::vector<bool> adds_up;                 ///< Per metric: whether a share of it means anything.
  std::vector<std::vector<double>> targets;  ///< The first is what ranks.
  std::vector<double> largest;               ///< Per parameter, measured.
  scaling::Aggregate aggregate = scaling::Aggregate::kMean;  ///< What of repetitions is modelled.
  std::vector<scaling::Fit> fits;
  std::vector<scaling::Ranked> rows;  ///< Those to show.
  std::string expected;               ///< As the user wrote it; "" for nothing.
  std::vector<bool> worse;            ///< Per fit, than expected.
  /// Per fit: rivals that would be judged otherwise.
  std::vector<uint32_t> rivals_disagree;
  size_t worse_count = 0;
  nlohmann::ordered_json settings;  ///< Options that say how the models were made.

  [[nodiscard]] const std::string& call_path(const scaling::Ranked& row) const {
    return experiment.call_paths[experiment.kernels[fits[row.fit].kernel].call_path];
  }
  [[nodiscard]] const std::string& unit(const scaling::Ranked& row) const {
    return experiment.units[experiment.kernels[fits[row.fit].kernel].metric];
  }
  /// At the largest measured point.
  [[nodiscard]] double measured(const scaling::Ranked& row) const;
  [[nodiscard]] const std::string& metric(const scaling::Ranked& row) const {
    return experiment.metrics[experiment.kernels[fits[row.fit].kernel].metric];
  }
};

/// "p = 1024, n = 100".
std::string point_text(const ModelReport& report, const std::vector<double>& point);

/// "constant-by-noise", ... and "worse-than-expected".
std::vector<std::string_view> flags_of(const ModelReport& report, const scaling::Ranked& row);

/// Whether parts of the metric's sum mean anything.
bool has_share(const ModelReport& report, const scaling::Ranked& row);

nlohmann::ordered_json to_json(const ModelReport& report);

/// A table for people, or CSV, as `options` say.
base::Status print_rows(const CommonOptions& options, const ModelReport& report);

/// What print_rows() does for people.
base::Status print_table(const CommonOptions& options, const ModelReport& report);

/// A tabular environment that needs no package.
std::string to_latex(const ModelReport& report);

/// A module with a function per kernel and a dictionary of them.
std::string to_python(const ModelReport& report);

}  // namespace pathline::cli
