// SPDX-License-Identifier: BSD-3-Clause
#include "app/campaign_models.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/campaign.hpp"
#include "app/judged_metrics.hpp"
#include "base/text.hpp"
#include "campaign/value.hpp"
#include "input/input.hpp"
#include "profile/profile.hpp"
#include "scaling/read/from_profiles.hpp"

namespace pathline::app {
namespace {

using base::Error;
using base::ErrorCode;
using campaign::number_of;

constexpr const char* kResults = "results";

/// A run with a profile.
struct Measured {
  int64_t run = 0;
  std::string folder;
  uint32_t point = 0;
};

class CampaignReader {
 public:
  CampaignReader(const ModelRequest& request, OpenCampaign& campaign, base::ThreadPool& pool,
                 base::Progress& progress)
      : request_(request),
        state_(*campaign.state),
        study_(campaign.planned->study),
        plan_(campaign.planned->plan),
        extractor_(*campaign.planned->extractor),
        may_write_(campaign.may_write),
        pool_(pool),
        progress_(progress) {}

  base::Result<ModelInput> read() {
    choose_parameters();
    if (numbers_.empty()) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("no parameter of {} has several values that are numbers above 0",
                               request_.data),
                   "Models say how something grows with a number."};
    }
    std::vector<std::string> names;
    for (const uint32_t parameter : numbers_) names.push_back(plan_.names[parameter]);
    builder_.emplace(names);
    if (auto status = add_profiles(names); !status) return status.error();
    if (auto status = add_results(); !status) return status.error();
    if (!any_) {
      return Error{ErrorCode::kNotFound,
                   fmt::format("no run of the campaign in {} is done, or nothing was read out of "
                               "them",
                               state_.folder().string()),
                   "A step with 'record = true' has profiles; [results] are modelled as well."};
    }
    ModelInput input;
    input.experiment = std::move(*builder_).finish();
    input.experiment.value_is = value_is_;
    input.from_profiles = any_profile_;
    input.not_additive.assign(not_additive_.begin(), not_additive_.end());
    return input;
  }

  base::Result<RecordedRuns> runs() {
    choose_parameters();
    RecordedRuns recorded;
    for (const uint32_t parameter : numbers_) recorded.parameters.push_back(plan_.names[parameter]);
    auto found = series(recorded.parameters);
    if (!found) return found.error();
    for (const auto& [root, measured] : found.value()) {
      for (const Measured& run : measured) {
        recorded.runs.push_back(
            {state_.folder() / run.folder / campaign::kRecordedRun, coordinates(run.point), root});
      }
    }
    return recorded;
  }

 private:
  void choose_parameters() {
    const auto is_numeric = [&](uint32_t parameter) {
      return std::all_of(plan_.points.begin(), plan_.points.end(), [&](const auto& point) {
        const auto number = number_of(point[parameter]);
        return number && *number > 0;
      });
    };
    uint32_t parameter = 0;
    for (const campaign::ParameterSet& set : study_.sets) {
      const uint32_t begin = parameter;
      parameter += static_cast<uint32_t>(set.parameters.size());
      if (set.size() < 2) continue;  // It does not vary, or follows from others.
      bool found = false;
      for (uint32_t i = begin; i < parameter && !found; ++i) {
        found = plan_.varies[i] && is_numeric(i);
        if (found) numbers_.push_back(i);
      }
      if (!found && plan_.varies[begin]) texts_.push_back(begin);
    }
  }

  [[nodiscard]] std::vector<double> coordinates(uint32_t point) const {
    std::vector<double> values;
    for (const uint32_t parameter : numbers_) {
      values.push_back(*number_of(plan_.points[point][parameter]));
    }
    return values;
  }

  /// "solver=cg->", "" where only numbers vary.
  [[nodiscard]] std::string root_of(uint32_t point, const std::string& step) const {
    std::string root = step.empty() ? "" : step + "->";
    for (const uint32_t parameter : texts_) {
      root += fmt::format("{}={}->", plan_.names[parameter], plan_.points[point][parameter]);
    }
    return root;
  }

  /// One for each combination of what is no number.
  base::Result<std::map<std::string, std::vector<Measured>>> series(
      const std::vector<std::string>& names) {
    auto runs = state_.runs();
    if (!runs) return runs.error();
    std::unordered_map<std::string_view, const campaign::Run*> by_key;
    for (const campaign::Run& run : runs.value()) {
      if (run.state == campaign::RunState::kDone) by_key[run.key] = &run;
    }
    const auto recorded = std::count_if(study_.steps.begin(), study_.steps.end(),
                                        [](const campaign::Step& step) { return step.record; });
    std::map<std::string, std::vector<Measured>> series;
    for (const campaign::Package& package : plan_.packages) {
      const campaign::Step& step = study_.steps[package.step];
      const auto run = by_key.find(package.key);
      if (!step.record || run == by_key.end()) continue;
      if (!is_counted(request_, names, coordinates(package.point))) continue;
      series[root_of(package.point, recorded > 1 ? step.name : "")].push_back(
          {run->second->id, run->second->folder, package.point});
    }
    return series;
  }

  base::Status add_profiles(const std::vector<std::string>& names) {
    auto found = series(names);
    if (!found) return found.error();
    for (const auto& [root, measured] : found.value()) {
      progress_.begin("reading profiles", "profiles", 2 * measured.size());
      auto experiment = scaling::from_profiles(
          names, measured.size(),
          [&, &of = measured](size_t i, const auto& take) { return visit(of[i], take); },
          request_.profiles);
      if (!experiment) return experiment.error();
      add(root, experiment.value());
      value_is_ = experiment.value().value_is;
      any_profile_ = true;
    }
    return {};
  }

  base::Status visit(const Measured& measured,
                     const std::function<base::Status(const scaling::ProfileAt&)>& take) {
    ++progress_.done;
    scaling::ProfileAt profile{
        .coordinates = coordinates(measured.point), .table = {}, .name = measured.folder};
    if (auto status = get_table(measured, profile.table); !status) return status.error();
    for (const profile::Metric& metric : profile.table.metrics) {
      if (metric.combine != profile::Combine::kSum) not_additive_.insert(metric.name);
    }
    return take(profile);
  }

  [[nodiscard]] bool is_judged() const {
    return request_.metrics.size() == 1 && is_judged_metric(request_.metrics[0]);
  }

  base::Status get_table(const Measured& measured, profile::MetricTable& table) {
    if (is_judged()) {
      // Runs are visited twice, and judging takes longer than reading; there is little to keep.
      const auto known = judged_.find(measured.run);
      if (known != judged_.end()) {
        table = known->second;
        return {};
      }
    } else {
      auto stored = state_.profile_of(measured.run);
      if (!stored) return stored.error();
      if (stored.value()) {
        table = std::move(*stored.value());
        return {};
      }
    }
    auto read = read_run(measured);
    if (!read) return read.error();
    table = std::move(read).value();
    if (is_judged()) judged_[measured.run] = table;
    return {};
  }

  /// Of a run whose profile is too large to be kept in the state, or that must be judged.
  base::Result<profile::MetricTable> read_run(const Measured& measured) {
    base::Progress unseen;
    const auto run = state_.folder() / measured.folder / campaign::kRecordedRun;
    auto input = input::open(run, {.partial = request_.partial}, pool_, unseen);
    if (!input) return input.error();
    const auto* events = std::get_if<trace::Trace>(&input.value());
    if (is_judged() && events == nullptr) {
      return Error{ErrorCode::kUnsupported,
                   fmt::format("{} has a profile and no events, of which --metric {} is made",
                               run.string(), request_.metrics[0])};
    }
    if (is_judged())
      return judged_metric(*events, run.string(), request_.metrics[0], pool_, unseen);
    if (auto* file = std::get_if<profile::ProfileFile>(&input.value())) {
      return std::move(file->table);
    }
    const auto& trace = std::get<trace::Trace>(input.value());
    return profile::metric_table(trace, profile::from_trace(trace, trace::Selection{}, pool_));
  }

  void add(const std::string& root, const scaling::Experiment& experiment) {
    for (size_t k = 0; k < experiment.kernels.size(); ++k) {
      const scaling::Kernel kernel = experiment.kernels[k];
      const uint32_t path = builder_->call_path(root + experiment.call_paths[kernel.call_path]);
      const uint32_t metric = builder_->metric(experiment.metrics[kernel.metric]);
      if (kernel.metric < experiment.units.size()) {
        builder_->set_unit(metric, experiment.units[kernel.metric]);
      }
      for (size_t p = 0; p < experiment.point_count(); ++p) {
        const uint32_t point = builder_->point(experiment.point(p));
        for (const double value : experiment.samples_of(k, p)) {
          builder_->add(path, metric, point, value);
          any_ = true;
        }
      }
    }
    for (const std::string& warning : experiment.warnings) {
      // How many values a parameter has is said of all together.
      if (warnings_.insert(warning).second && !warning.starts_with("parameter ")) {
        builder_->warn(warning);
      }
    }
  }

  base::Status add_results() {
    auto table = campaign::result_table(state_, study_, plan_, extractor_, may_write_, pool_);
    if (!table) return table.error();
    const std::vector<campaign::ResultColumn>& columns = table.value().columns;
    for (size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].kind != campaign::CellKind::kValue || !columns[c].is_number) continue;
      const uint32_t metric = builder_->metric(columns[c].name);
      if (columns[c].name.ends_with("_s")) builder_->set_unit(metric, "sec");
      not_additive_.insert(columns[c].name);
      for (const campaign::ResultRow& row : table.value().rows) {
        const auto value = number_of(row.cells[c]);
        if (!value || !is_counted(request_, builder_->parameters(), coordinates(row.point))) {
          continue;
        }
        builder_->add(builder_->call_path(root_of(row.point, "") + kResults), metric,
                      builder_->point(coordinates(row.point)), *value);
        any_ = true;
      }
    }
    return {};
  }

  const ModelRequest& request_;
  campaign::State& state_;
  const campaign::Study& study_;
  const campaign::Plan& plan_;
  const campaign::Extractor& extractor_;
  const bool may_write_;
  base::ThreadPool& pool_;
  base::Progress& progress_;
  std::vector<uint32_t> numbers_;  // Parameters of the models.
  std::vector<uint32_t> texts_;    // Parameters that stand at the root.
  std::optional<scaling::ExperimentBuilder> builder_;
  std::unordered_map<int64_t, profile::MetricTable> judged_;  // By run.
  std::set<std::string> not_additive_;
  std::set<std::string> warnings_;
  std::string value_is_;
  bool any_ = false;
  bool any_profile_ = false;
};

}  // namespace

base::Result<ModelInput> campaign_measurements(const ModelRequest& request, base::ThreadPool& pool,
                                               base::Progress& progress) {
  auto campaign = open_campaign({.input = request.data}, true);
  if (!campaign) return campaign.error();
  return CampaignReader(request, campaign.value(), pool, progress).read();
}

base::Result<RecordedRuns> recorded_runs(const std::filesystem::path& campaign) {
  auto opened = open_campaign({.input = campaign.string()}, false);
  if (!opened) return opened.error();
  const ModelRequest all;
  base::ThreadPool pool(1);
  base::Progress unseen;
  return CampaignReader(all, opened.value(), pool, unseen).runs();
}

}  // namespace pathline::app
