// SPDX-License-Identifier: BSD-3-Clause
#include "app/model_input.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "app/finish.hpp"
#include "base/text.hpp"
#include "cube/reader.hpp"
#include "profile/metric_table.hpp"
#include "scaling/read.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

/// One profile of a series, before it is read.
struct Source {
  fs::path path;  ///< A .cubex file; else an INPUT.
  std::vector<double> coordinates;
  [[nodiscard]] bool is_cube() const { return path.extension() == ".cubex"; }
};

struct Series {
  std::vector<std::string> parameters;
  std::vector<Source> sources;
  std::vector<std::string> warnings;
};

/// What is in a folder but does not begin with '.', sorted.
base::Result<std::vector<fs::path>> list(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    if (!entry->path().filename().string().starts_with('.')) paths.push_back(entry->path());
  }
  if (code) {
    return Error{ErrorCode::kIo,
                 fmt::format("cannot list {}: {}", folder.string(), code.message())};
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// What can be read of one run: its Cube profiles; else the folder itself if it holds a trace;
/// nothing if it does not.
base::Result<std::vector<fs::path>> profiles_in(const fs::path& run) {
  std::error_code ignored;
  if (!fs::is_directory(run, ignored)) return std::vector{run};
  auto content = list(run);
  if (!content) return content.error();
  std::vector<fs::path> profiles;
  bool has_trace = false;
  for (const fs::path& path : content.value()) {
    if (path.extension() == ".cubex") profiles.push_back(path);
    has_trace = has_trace || path.extension() == ".otf2" || path.filename() == "raw";
  }
  if (profiles.empty() && has_trace) profiles.push_back(run);
  return profiles;
}

using NamedValues = std::vector<std::pair<std::string, double>>;

std::string names_of(const NamedValues& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The series of runs, each with all its profiles.
base::Result<Series> series_of(std::vector<SeriesRun> runs) {
  Series series;
  for (const auto& [name, value] : runs.front().parameters) {
    if (std::count(series.parameters.begin(), series.parameters.end(), name) > 0) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("{} has the parameter {} twice", runs.front().path, name)};
    }
    series.parameters.push_back(name);
  }
  for (const SeriesRun& run : runs) {
    Source source;
    for (const auto& [name, value] : run.parameters) source.coordinates.push_back(value);
    if (names_of(run.parameters) != names_of(runs.front().parameters)) {
      return Error{
          ErrorCode::kInvalidArgument,
          fmt::format("the runs of a series need the same parameters in the same order: {} has "
                      "{}, but {} has {}",
                      runs.front().path, names_of(runs.front().parameters), run.path,
                      names_of(run.parameters))};
    }
    auto profiles = profiles_in(run.path);
    if (!profiles) return profiles.error();
    if (profiles.value().empty()) {
      return Error{ErrorCode::kNotFound,
                   fmt::format("{} holds neither a Cube profile (*.cubex) nor a trace", run.path)};
    }
    for (const fs::path& profile : profiles.value()) {
      source.path = profile;
      series.sources.push_back(source);
    }
  }
  return series;
}

/// Takes out the parameters that have one value only; keeps all if none has more.
/// returns  whether one has more.
bool drop_fixed_parameters(Series& series) {
  std::vector<size_t> varying;
  std::vector<std::string> fixed;
  const std::vector<double> first = series.sources.front().coordinates;
  for (size_t p = 0; p < series.parameters.size(); ++p) {
    const bool varies =
        std::any_of(series.sources.begin(), series.sources.end(),
                    [&](const Source& source) { return source.coordinates[p] != first[p]; });
    if (varies) {
      varying.push_back(p);
    } else {
      fixed.push_back(fmt::format("{} = {}", series.parameters[p], first[p]));
    }
  }
  if (varying.empty()) return false;
  if (!fixed.empty()) {
    series.warnings.push_back(
        fmt::format("{} in every run: left out of the models", fmt::join(fixed, ", ")));
  }
  std::vector<std::string> parameters;
  for (const size_t p : varying) parameters.push_back(series.parameters[p]);
  series.parameters = std::move(parameters);
  for (Source& source : series.sources) {
    std::vector<double> kept;
    for (const size_t p : varying) kept.push_back(source.coordinates[p]);
    source.coordinates = std::move(kept);
  }
  return true;
}

constexpr const char* kNamingRule =
    "A folder holds one folder per run, named after its parameters: series/mm.p64.n100.r2; or "
    "give them: --parameter p=64 RUN ...";

base::Result<Series> series_in(const fs::path& folder) {
  auto content = list(folder);
  if (!content) return content.error();
  std::vector<SeriesRun> runs;
  for (const fs::path& path : content.value()) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) continue;
    auto profiles = profiles_in(path);
    if (!profiles) return profiles.error();
    if (profiles.value().empty()) continue;
    auto name = scaling::parse_run_name(path.filename().string());
    if (!name) {
      Error error = name.error();
      error.message = fmt::format("{}: {}", path.string(), error.message);
      if (error.advice.empty()) error.advice = kNamingRule;
      return error;
    }
    runs.push_back({path.string(), std::move(name.value().parameters)});
  }
  if (runs.empty()) {
    return Error{
        ErrorCode::kNotFound,
        fmt::format("{} holds no folder with Cube profiles (*.cubex) or a trace", folder.string()),
        kNamingRule};
  }
  const std::string first = runs.front().path;
  const std::string last = runs.back().path;
  auto series = series_of(std::move(runs));
  if (series && !drop_fixed_parameters(series.value())) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("no parameter varies in {}: {} has the values of {}", folder.string(),
                             last, first),
                 kNamingRule};
  }
  return series;
}

Error unknown_metric(const std::string& wanted, const std::vector<std::string>& known) {
  const std::string_view meant = base::nearest(wanted, known);
  return {ErrorCode::kNotFound,
          known.empty()
              ? fmt::format("there is no metric '{}' in the measurements", wanted)
              : fmt::format("there is no metric '{}', only {}", wanted, fmt::join(known, ", ")),
          meant.empty() ? "" : fmt::format("Did you mean '{}'?", meant)};
}

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
    std::vector<std::optional<base::Result<cube::CubeFile>>> cubes(sources.size());
    progress_.begin("reading profiles", "files", sources.size());
    pool_.for_each(sources.size(), [&](size_t i) {
      if (!sources[i].is_cube()) return;
      cubes[i] = cube::read(sources[i].path, {.metrics = request_.metrics});
      ++progress_.done;
    });
    std::vector<scaling::ProfileAt> profiles;
    for (size_t i = 0; i < sources.size(); ++i) {
      auto table = sources[i].is_cube() ? of_cube(std::move(*cubes[i]), sources[i].path)
                                        : of_trace(sources[i].path);
      if (!table) return table.error();
      profiles.push_back(
          {sources[i].coordinates, std::move(table).value(), sources[i].path.string()});
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

  base::Result<profile::MetricTable> of_cube(base::Result<cube::CubeFile> file,
                                             const fs::path& path) {
    if (!file) return file.error();
    for (const std::string& warning : file.value().warnings) remarks_.add(warning, path);
    for (const std::string& metric : file.value().without_data) {
      if (wanted(metric)) without_data_.insert(metric);
    }
    for (const std::string& metric : file.value().unsupported) {
      if (wanted(metric)) unsupported_.insert(metric);
    }
    return std::move(file.value().table);
  }

  base::Result<profile::MetricTable> of_trace(const fs::path& path) {
    std::vector<std::string> notes;
    auto trace = open_run(path, {.partial = request_.partial}, pool_, progress_, notes);
    if (!trace) return trace.error();
    for (const std::string& note : notes) remarks_.add(note, path);
    for (const std::string& warning : trace.value().warnings) {
      if (!trace.value().complete && warning.starts_with("incomplete")) remarks_.add(warning, path);
    }
    auto selection = trace::select(trace.value(), {});
    if (!selection) return selection.error();
    return profile::metric_table(trace.value(),
                                 profile::from_trace(trace.value(), selection.value(), pool_));
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
                          const std::vector<scaling::ProfileAt>& profiles) {
  for (const std::string& wanted : request.metrics) {
    const auto has = [&](const scaling::ProfileAt& profile) {
      return std::any_of(profile.table.metrics.begin(), profile.table.metrics.end(),
                         [&](const profile::Metric& metric) { return metric.name == wanted; });
    };
    if (std::any_of(profiles.begin(), profiles.end(), has)) continue;
    profile::MetricTable first = profiles.front().table;
    if (const fs::path path = profiles.front().name; path.extension() == ".cubex") {
      // Only what was asked for has been read so far.
      auto all = cube::read(path);
      if (!all) return all.error();
      first = std::move(all.value().table);
    }
    std::vector<std::string> names;
    for (const profile::Metric& metric : first.metrics) names.push_back(metric.name);
    return unknown_metric(wanted, names);
  }
  return {};
}

base::Result<ModelInput> open_series(const ModelRequest& request, Series series,
                                     base::ThreadPool& pool, base::Progress& progress) {
  ProfileReader reader(request, pool, progress);
  auto profiles = reader.read(series.sources);
  if (!profiles) return profiles.error();
  if (auto found = find_metrics(request, profiles.value()); !found) return found.error();
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
  experiment.metrics = metrics;
  std::erase_if(experiment.skipped, [&](const scaling::Skipped& skipped) {
    return std::find(metrics.begin(), metrics.end(), skipped.metric) == metrics.end();
  });
  return {};
}

}  // namespace

base::Result<ModelInput> open_measurements(const ModelRequest& request, base::ThreadPool& pool,
                                           base::Progress& progress) {
  base::Result<ModelInput> input = ModelInput{};
  if (request.runs.empty()) {
    input = open_data(request, pool, progress);
  } else {
    auto series = series_of(request.runs);
    if (!series) return series.error();
    drop_fixed_parameters(series.value());
    input = open_series(request, std::move(series).value(), pool, progress);
  }
  if (!input || request.metrics.empty()) return input;
  if (auto kept = keep_metrics(input.value().experiment, request.metrics); !kept) {
    return kept.error();
  }
  return input;
}

}  // namespace pathline::app
