// SPDX-License-Identifier: BSD-3-Clause
#include "app/findings_growth.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/campaign.hpp"
#include "app/campaign_models.hpp"
#include "app/model_report.hpp"
#include "app/open_run.hpp"
#include "app/run_json.hpp"
#include "base/text.hpp"
#include "campaign/folder.hpp"
#include "campaign/state.hpp"
#include "scaling/formula.hpp"
#include "scaling/search/search.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFewestValues = 3;
constexpr double kLeastModelledPercent = 0.1;
// The time without what was found.
constexpr const char* kRest = "<rest>";

uint64_t events_of(const fs::path& run) {
  const auto json = run_json(run);
  const auto events = json.find("events");
  const bool is_known = events != json.end() && events->is_number_unsigned();
  return is_known ? events->get<uint64_t>() : 0;
}

/// Runs like `own`, those of each point one after the other, first a run of each point.
std::vector<const RecordedRun*> by_round(const RecordedRuns& recorded, const std::string& root) {
  std::map<std::vector<double>, size_t> rounds;
  std::vector<std::pair<size_t, const RecordedRun*>> runs;
  for (const RecordedRun& run : recorded.runs) {
    if (run.root == root) runs.emplace_back(rounds[run.coordinates]++, &run);
  }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const RecordedRun*> found;
  for (const auto& [round, run] : runs) found.push_back(run);
  return found;
}

bool has_sizes(const std::vector<const RecordedRun*>& runs, size_t parameters) {
  for (size_t i = 0; i < parameters; ++i) {
    std::set<double> values;
    for (const RecordedRun* run : runs) values.insert(run->coordinates[i]);
    if (values.size() < kFewestValues) return false;
  }
  return parameters > 0;
}

/// As many of the runs as may be judged, at least one for each point; none where these are too
/// many.
std::vector<const RecordedRun*> within_bound(const std::vector<const RecordedRun*>& runs,
                                             uint64_t& events) {
  std::set<std::vector<double>> points;
  for (const RecordedRun* run : runs) points.insert(run->coordinates);
  std::vector<const RecordedRun*> chosen;
  events = 0;
  for (const RecordedRun* run : runs) {
    const bool is_first = chosen.size() < points.size();
    const uint64_t more = events_of(run->folder);
    if (!is_first && events + more > kMostModelledEvents) break;
    events += more;
    chosen.push_back(run);
  }
  return events > kMostModelledEvents ? std::vector<const RecordedRun*>() : chosen;
}

/// Seconds to gain by call path, and the others.
base::Result<std::map<std::string, double>> judged(const fs::path& run, base::ThreadPool& pool,
                                                   base::Progress& progress) {
  std::vector<std::string> notes;
  auto input = open_input(run, {}, pool, progress, notes);
  if (!input) return input.error();
  const auto* trace = std::get_if<trace::Trace>(&input.value());
  if (trace == nullptr) {
    return base::Error{base::ErrorCode::kUnsupported, run.string() + " has no events"};
  }
  const auto report =
      find_findings(*trace, run.string(), {.min_percent = kLeastModelledPercent}, pool, progress);
  if (!report) return report.error();
  std::map<std::string, double> seconds;
  double rest = report.value().end_s - report.value().begin_s;
  for (const FindingRow& row : report.value().findings) {
    if (row.call_path.empty()) continue;
    seconds[row.call_path] += row.recoverable_s;
    rest -= row.recoverable_s;
  }
  seconds[kRest] = std::max(0.0, rest);
  return seconds;
}

/// Values of all runs; what was not found in one is 0 there.
base::Result<scaling::Experiment> measured(const std::vector<std::string>& parameters,
                                           const std::vector<const RecordedRun*>& runs,
                                           base::ThreadPool& pool, base::Progress& progress) {
  std::vector<std::map<std::string, double>> values;
  std::set<std::string> call_paths;
  for (const RecordedRun* run : runs) {
    auto of_run = judged(run->folder, pool, progress);
    if (!of_run) return of_run.error();
    for (const auto& [call_path, seconds] : of_run.value()) call_paths.insert(call_path);
    values.push_back(std::move(of_run).value());
  }
  scaling::ExperimentBuilder builder(parameters);
  const uint32_t metric = builder.metric("findings");
  builder.set_unit(metric, "sec");
  for (const std::string& call_path : call_paths) {
    for (size_t i = 0; i < runs.size(); ++i) {
      const auto value = values[i].find(call_path);
      builder.add(builder.call_path(call_path), metric, builder.point(runs[i]->coordinates),
                  value == values[i].end() ? 0 : value->second);
    }
  }
  return std::move(builder).finish();
}

bool is_of_growth(const scaling::Fit& fit) {
  return !fit.model.terms.empty() && !fit.flags.has(scaling::Flag::kConstantByNoise) &&
         !fit.flags.has(scaling::Flag::kNegativePrediction) &&
         !fit.flags.has(scaling::Flag::kDecreasing);
}

void add_models(const scaling::Experiment& experiment, double min_percent, FindingsReport& report,
                base::ThreadPool& pool) {
  const std::vector<double> target = usual_target(experiment);
  const auto fits = scaling::fit_all(experiment, {.targets = {target}}, pool);
  const auto call_path = [&](const scaling::Fit& fit) {
    return experiment.call_paths[experiment.kernels[fit.kernel].call_path];
  };
  double whole = 0;
  for (const scaling::Fit& fit : fits) whole += std::max(0.0, fit.predictions[0].value);
  if (!(whole > 0)) return;
  const double here_s = report.end_s - report.begin_s;
  for (size_t i = 0; i < target.size(); ++i) {
    report.growth_at.emplace_back(experiment.parameters[i], target[i]);
  }
  for (const scaling::Fit& fit : fits) {
    if (call_path(fit) == kRest || !is_of_growth(fit)) continue;
    FindingGrowth growth{.call_path = call_path(fit),
                         .grows_as = scaling::leading_order(fit.model, experiment.parameters)};
    for (const FindingRow& row : report.findings) {
      if (row.call_path == growth.call_path) growth.here_pct += 100 * row.recoverable_s / here_s;
    }
    const scaling::Prediction& there = fit.predictions[0];
    const auto percent = [&, others = whole - there.value](double seconds) {
      return 100 * seconds / (others + seconds);
    };
    growth.there_pct = percent(there.value);
    growth.there_low_pct = percent(std::max(0.0, there.low));
    growth.there_high_pct = percent(there.high);
    // A poor model has a wide range.
    if (growth.there_pct < min_percent || !(growth.there_low_pct > growth.here_pct)) continue;
    for (FindingRow& row : report.findings) {
      if (row.call_path == growth.call_path) row.grows = growth;
    }
    report.growing.push_back(std::move(growth));
  }
  std::stable_sort(report.growing.begin(), report.growing.end(),
                   [](const auto& a, const auto& b) { return a.there_pct > b.there_pct; });
}

}  // namespace

fs::path campaign_of_run(const std::string& input) {
  constexpr int kDeepest = 3;  // campaign/run of a step/run/traces.otf2
  std::error_code ignored;
  fs::path folder = fs::weakly_canonical(input, ignored);
  for (int i = 0; i < kDeepest && folder.has_relative_path(); ++i) {
    folder = folder.parent_path();
    if (fs::exists(folder / campaign::kStateFile, ignored)) return folder;
  }
  return {};
}

void add_growth(const std::string& input, double min_percent, FindingsReport& report,
                base::ThreadPool& pool, base::Progress& progress) {
  const fs::path campaign = campaign_of_run(input);
  if (campaign.empty()) return;
  std::error_code ignored;
  const auto refuse = [&](const std::string& reason) {
    report.warnings.push_back("what of it will grow is not known: " + reason);
  };
  const auto recorded = recorded_runs(fs::relative(campaign, ignored));
  if (!recorded) return refuse(recorded.error().message);
  const fs::path here = fs::weakly_canonical(input, ignored);
  const auto own = std::find_if(recorded.value().runs.begin(), recorded.value().runs.end(),
                                [&](const RecordedRun& run) {
                                  const fs::path folder = fs::weakly_canonical(run.folder, ignored);
                                  return folder == here || folder == here.parent_path();
                                });
  if (own == recorded.value().runs.end()) return;
  const std::vector<std::string>& parameters = recorded.value().parameters;
  const auto alike = by_round(recorded.value(), own->root);
  if (!has_sizes(alike, parameters.size())) return;
  uint64_t events = 0;
  const auto runs = within_bound(alike, events);
  if (runs.empty()) {
    return refuse(fmt::format(
        "the runs of its campaign have {} events, too many to be judged in passing; "
        "'pathline model {} --metric findings' does",
        base::human_count(events), campaign::shell_word(fs::relative(campaign, ignored).string())));
  }
  const auto experiment = measured(parameters, runs, pool, progress);
  if (!experiment) return refuse(experiment.error().message);
  add_models(experiment.value(), min_percent, report, pool);
}

}  // namespace pathline::app
