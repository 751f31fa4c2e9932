// SPDX-License-Identifier: BSD-3-Clause
#include "app/model_input.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "app/campaign.hpp"
#include "app/campaign_models.hpp"
#include "app/judged_metrics.hpp"
#include "app/model_series.hpp"
#include "app/open_run.hpp"
#include "base/text.hpp"
#include "input/input.hpp"
#include "profile/metric_table.hpp"
#include "scaling/read/read.hpp"
#include "trace/warnings.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

Error unknown_metric(const std::string& wanted, std::vector<std::string> known) {
  std::erase(known, "");  // Measurements need not name their metric.
  const std::string_view meant = base::nearest(wanted, known);
  return {ErrorCode::kNotFound,
          known.empty()
              ? fmt::format("there is no metric '{}' in the measurements", wanted)
              : fmt::format("there is no metric '{}', only {}", wanted, fmt::join(known, ", ")),
          meant.empty() ? "" : fmt::format("Did you mean '{}'?", meant)};
}

Error nothing_left() { return {ErrorCode::kInvalidArgument, "--at-least leaves no measurement"}; }

/// Remarks about many files, each told once.
class Remarks {
 public:
  void add(const std::string& remark, const fs::path& file) {
    auto& [first, count] = by_text_[remark];
    if (count++ == 0) first = file.string();
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const auto& [text, place] : by_text_) {
      lines.push_back(place.second == 1
                          ? fmt::format("{}: {}", place.first, text)
                          : fmt::format("{} (and {} more): {}", place.first,
                                        base::counted(place.second - 1, "file", "files"), text));
    }
    return lines;
  }

 private:
  std::map<std::string, std::pair<std::string, size_t>> by_text_;
};

/// Reads the profiles of a series.
class ProfileReader {
 public:
  ProfileReader(const ModelRequest& request, base::ThreadPool& pool, base::Progress& progress)
      : request_(request), pool_(pool), progress_(progress) {}

  base::Result<std::vector<scaling::ProfileAt>> read(const std::vector<Source>& sources) {
    // Files of profiles are read side by side, traces one after the other, each by all threads.
    std::vector<std::optional<base::Result<input::Input>>> files(sources.size());
    progress_.begin("reading profiles", "files", sources.size());
    pool_.for_each(sources.size(), [&](size_t i) {
      if (!sources[i].is_cube()) return;
      files[i] = input::open(sources[i].path, {.metrics = request_.metrics}, pool_, progress_);
      ++progress_.done;
    });
    std::vector<scaling::ProfileAt> profiles;
    for (size_t i = 0; i < sources.size(); ++i) {
      const fs::path& path = sources[i].path;
      auto table = table_of(files[i] ? std::move(*files[i]) : open(path), path);
      if (!table) return table.error();
      profiles.push_back({sources[i].coordinates, std::move(table).value(), path.string()});
    }
    return profiles;
  }

  [[nodiscard]] std::vector<std::string> warnings() const {
    std::vector<std::string> lines = remarks_.lines();
    add_summary(lines, without_data_, "without data");
    add_summary(lines, unsupported_, "whose values are no numbers");
    return lines;
  }

 private:
  static void add_summary(std::vector<std::string>& lines, const std::set<std::string>& metrics,
                          std::string_view what) {
    if (metrics.empty()) return;
    lines.push_back(fmt::format("left out {} {}: {}",
                                base::counted(metrics.size(), "metric", "metrics"), what,
                                fmt::join(metrics, ", ")));
  }

  base::Result<input::Input> open(const fs::path& path) {
    std::vector<std::string> notes;
    auto input = open_input(path, {.partial = request_.partial, .metrics = request_.metrics}, pool_,
                            progress_, notes);
    for (const std::string& note : notes) remarks_.add(note, path);
    return input;
  }

  base::Result<profile::MetricTable> table_of(base::Result<input::Input> input,
                                              const fs::path& path) {
    if (!input) return input.error();
    if (const auto* trace = std::get_if<trace::Trace>(&input.value()))
      return of_trace(*trace, path);
    if (const auto* summary = std::get_if<summary::RunSummary>(&input.value())) {
      const auto& metrics = request_.metrics;
      if (std::any_of(metrics.begin(), metrics.end(), is_judged_metric)) {
        std::vector<std::string> notes;
        const auto events =
            open_events(path, *summary, {.partial = request_.partial}, pool_, progress_, notes);
        for (const std::string& note : notes) remarks_.add(note, path);
        if (!events) return events.error();
        return of_trace(events.value(), path);
      }
      return profile::metric_table(summary->run, summary->profile);
    }
    return of_file(std::get<profile::ProfileFile>(std::move(input).value()), path);
  }

  profile::MetricTable of_file(profile::ProfileFile file, const fs::path& path) {
    for (const std::string& warning : file.warnings) remarks_.add(warning, path);
    for (const std::string& metric : file.without_data) {
      if (wanted(metric)) without_data_.insert(metric);
    }
    for (const std::string& metric : file.unsupported) {
      if (wanted(metric)) unsupported_.insert(metric);
    }
    return std::move(file.table);
  }

  base::Result<profile::MetricTable> of_trace(const trace::Trace& trace, const fs::path& path) {
    for (const std::string& warning : trace::missing(trace)) remarks_.add(warning, path);
    const auto& metrics = request_.metrics;
    if (std::any_of(metrics.begin(), metrics.end(), is_judged_metric)) {
      if (metrics.size() == 1) {
        return judged_metric(trace, path.string(), metrics[0], pool_, progress_);
      }
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("--metric {}: efficiency, lost_time and findings stand alone",
                               fmt::join(metrics, ","))};
    }
    auto selection = trace::select(trace, {});
    if (!selection) return selection.error();
    return profile::metric_table(trace, profile::from_trace(trace, selection.value(), pool_));
  }

  [[nodiscard]] bool wanted(const std::string& metric) const {
    return request_.metrics.empty() || std::find(request_.metrics.begin(), request_.metrics.end(),
                                                 metric) != request_.metrics.end();
  }

  const ModelRequest& request_;
  base::ThreadPool& pool_;
  base::Progress& progress_;
  Remarks remarks_;
  std::set<std::string> without_data_;
  std::set<std::string> unsupported_;
};

/// errors  kNotFound for a metric that no profile has, naming those of the first.
base::Status find_metrics(const ModelRequest& request,
                          const std::vector<scaling::ProfileAt>& profiles, base::ThreadPool& pool,
                          base::Progress& progress) {
  for (const std::string& wanted : request.metrics) {
    const auto has = [&](const scaling::ProfileAt& profile) {
      return std::any_of(profile.table.metrics.begin(), profile.table.metrics.end(),
                         [&](const profile::Metric& metric) { return metric.name == wanted; });
    };
    if (std::any_of(profiles.begin(), profiles.end(), has)) continue;
    profile::MetricTable first = profiles.front().table;
    if (const fs::path path = profiles.front().name; path.extension() == ".cubex") {
      // Only what was asked for has been read so far.
      auto all = input::open(path, {}, pool, progress);
      if (!all) return all.error();
      auto* file = std::get_if<profile::ProfileFile>(&all.value());
      if (file != nullptr) first = std::move(file->table);
    }
    std::vector<std::string> names;
    for (const profile::Metric& metric : first.metrics) names.push_back(metric.name);
    return unknown_metric(wanted, names);
  }
  return {};
}

base::Result<ModelInput> open_series(const ModelRequest& request, Series series,
                                     base::ThreadPool& pool, base::Progress& progress) {
  std::erase_if(series.sources, [&](const Source& source) {
    return !is_counted(request, series.parameters, source.coordinates);
  });
  if (series.sources.empty()) return nothing_left();
  ProfileReader reader(request, pool, progress);
  auto profiles = reader.read(series.sources);
  if (!profiles) return profiles.error();
  if (auto found = find_metrics(request, profiles.value(), pool, progress); !found)
    return found.error();
  ModelInput input;
  input.from_profiles = true;
  std::set<std::string> not_additive;
  for (const scaling::ProfileAt& profile : profiles.value()) {
    for (const profile::Metric& metric : profile.table.metrics) {
      if (metric.combine != profile::Combine::kSum) not_additive.insert(metric.name);
    }
  }
  input.not_additive.assign(not_additive.begin(), not_additive.end());
  progress.begin("joining call trees", "", 0);
  auto experiment = scaling::from_profiles(std::move(series.parameters),
                                           std::move(profiles).value(), request.profiles);
  if (!experiment) return experiment.error();
  input.experiment = std::move(experiment).value();
  std::vector<std::string>& warnings = input.experiment.warnings;
  for (const std::vector<std::string>& more : {series.warnings, reader.warnings()}) {
    warnings.insert(warnings.end(), more.begin(), more.end());
  }
  return input;
}

base::Result<ModelInput> open_data(const ModelRequest& request, base::ThreadPool& pool,
                                   base::Progress& progress) {
  if (is_campaign(request.data)) return campaign_measurements(request, pool, progress);
  std::error_code ignored;
  const fs::path path = request.data;
  bool is_one_run = path.extension() == ".cubex" || path.extension() == ".otf2";
  if (fs::is_directory(path, ignored)) {
    auto series = series_in(path);
    if (series) return open_series(request, std::move(series).value(), pool, progress);
    auto own = profiles_in(path);
    is_one_run = series.error().code == ErrorCode::kNotFound && own && !own.value().empty();
    if (!is_one_run) return series.error();
  }
  if (is_one_run) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} is one run, but models need several", request.data),
                 "Say what was different: --parameter p=4 RUN --parameter p=8 RUN ..."};
  }
  progress.begin("reading measurements", "", 0);
  auto experiment = scaling::read_file(path);
  if (!experiment) return experiment.error();
  return ModelInput{.experiment = std::move(experiment).value()};
}

/// Leaves out points that ModelRequest::from does not count.
base::Status keep_points(scaling::Experiment& experiment, const ModelRequest& request) {
  for (const auto& [name, least] : request.from) {
    const std::vector<std::string>& names = experiment.parameters;
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return Error{ErrorCode::kNotFound,
                 fmt::format("--at-least {}: there is no such parameter, only {}", name,
                             fmt::join(names, ", "))};
  }
  std::vector<bool> kept;
  for (size_t p = 0; p < experiment.point_count(); ++p) {
    kept.push_back(is_counted(request, experiment.parameters, experiment.point(p)));
  }
  if (std::find(kept.begin(), kept.end(), true) == kept.end()) {
    return nothing_left();
  }
  if (std::find(kept.begin(), kept.end(), false) == kept.end()) return {};
  std::vector<double> coordinates;
  std::vector<uint64_t> sample_end;
  std::vector<double> samples;
  for (size_t p = 0; p < kept.size(); ++p) {
    const std::span<const double> point = experiment.point(p);
    if (kept[p]) coordinates.insert(coordinates.end(), point.begin(), point.end());
  }
  for (size_t k = 0; k < experiment.kernels.size(); ++k) {
    for (size_t p = 0; p < kept.size(); ++p) {
      if (!kept[p]) continue;
      const std::span<const double> values = experiment.samples_of(k, p);
      samples.insert(samples.end(), values.begin(), values.end());
      sample_end.push_back(samples.size());
    }
  }
  experiment.coordinates = std::move(coordinates);
  experiment.sample_end = std::move(sample_end);
  experiment.samples = std::move(samples);
  return {};
}

/// Keeps the kernels of `metrics` only, metrics in this order.
/// errors  kNotFound, naming those there are.
base::Status keep_metrics(scaling::Experiment& experiment,
                          const std::vector<std::string>& metrics) {
  std::vector<std::optional<uint32_t>> place(experiment.metrics.size());
  for (uint32_t i = 0; i < metrics.size(); ++i) {
    const auto at = std::find(experiment.metrics.begin(), experiment.metrics.end(), metrics[i]);
    if (at == experiment.metrics.end()) {
      return unknown_metric(metrics[i], experiment.metrics);
    }
    place[static_cast<size_t>(at - experiment.metrics.begin())] = i;
  }
  std::vector<scaling::Kernel> kernels;
  std::vector<uint64_t> sample_end;
  std::vector<double> samples;
  for (size_t k = 0; k < experiment.kernels.size(); ++k) {
    const scaling::Kernel kernel = experiment.kernels[k];
    if (!place[kernel.metric]) continue;
    kernels.push_back({kernel.call_path, *place[kernel.metric]});
    for (size_t p = 0; p < experiment.point_count(); ++p) {
      const std::span<const double> values = experiment.samples_of(k, p);
      samples.insert(samples.end(), values.begin(), values.end());
      sample_end.push_back(samples.size());
    }
  }
  experiment.kernels = std::move(kernels);
  experiment.sample_end = std::move(sample_end);
  experiment.samples = std::move(samples);
  std::vector<std::string> units(experiment.units.empty() ? 0 : metrics.size());
  for (size_t m = 0; m < experiment.units.size(); ++m) {
    if (place[m]) units[*place[m]] = experiment.units[m];
  }
  experiment.units = std::move(units);
  experiment.metrics = metrics;
  std::erase_if(experiment.skipped, [&](const scaling::Skipped& skipped) {
    return std::find(metrics.begin(), metrics.end(), skipped.metric) == metrics.end();
  });
  return {};
}

}  // namespace

bool is_counted(const ModelRequest& request, const std::vector<std::string>& names,
                std::span<const double> coordinates) {
  return std::all_of(request.from.begin(), request.from.end(), [&](const auto& least) {
    const auto at = std::find(names.begin(), names.end(), least.first);
    return at == names.end() ||
           coordinates[static_cast<size_t>(at - names.begin())] >= least.second;
  });
}

base::Result<ModelInput> open_measurements(const ModelRequest& request, base::ThreadPool& pool,
                                           base::Progress& progress) {
  base::Result<ModelInput> input = ModelInput{};
  if (request.runs.empty()) {
    input = open_data(request, pool, progress);
  } else {
    auto series = series_of(request.runs);
    if (!series) return series.error();
    input = open_series(request, std::move(series).value(), pool, progress);
  }
  if (!input) return input;
  if (auto kept = keep_points(input.value().experiment, request); !kept) return kept.error();
  if (request.metrics.empty()) return input;
  if (auto kept = keep_metrics(input.value().experiment, request.metrics); !kept) {
    return kept.error();
  }
  return input;
}

}  // namespace pathline::app
