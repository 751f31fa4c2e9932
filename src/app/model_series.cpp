// SPDX-License-Identifier: BSD-3-Clause
#include "app/model_series.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/run_json.hpp"
#include "base/text.hpp"
#include "scaling/read/from_profiles.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using NamedValues = std::vector<std::pair<std::string, double>>;

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

std::string names_of(const NamedValues& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// A run without trace and profile. Whether it was recorded so, and not cut short.
bool has_sums_only(const fs::path& run) {
  std::error_code ignored;
  return fs::exists(run / "profile.csv", ignored);
}

constexpr const char* kRecordTraces =
    "profile.csv, which --mode profile writes, cannot be modelled: record with --mode both or "
    "trace.";

/// Runs with all their profiles and parameters.
base::Result<Series> gather(const std::vector<SeriesRun>& runs) {
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
                   fmt::format("{} holds neither a Cube profile (*.cubex) nor a trace", run.path),
                   has_sums_only(run.path) ? kRecordTraces : ""};
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

/// Folders of a series in which there is nothing to read.
class LostRuns {
 public:
  /// name  of the folder.
  void add(const fs::path& folder, const scaling::RunName& name) {
    folders_.push_back({folder, names_of(name.parameters), read_run_json(folder).described,
                        has_sums_only(folder)});
  }
  [[nodiscard]] bool any_sums() const {
    return std::any_of(folders_.begin(), folders_.end(), [](const auto& f) { return f.sums_only; });
  }
  /// Those that recording made or that have the parameters of the other runs: a folder with
  /// another name may hold anything.
  [[nodiscard]] std::vector<std::string> warnings(const std::string& parameters) const {
    std::vector<std::string> lines;
    for (const bool sums : {false, true}) {
      std::vector<const Folder*> lost;
      for (const Folder& folder : folders_) {
        const bool is_run = folder.has_run_json || sums || folder.parameters == parameters;
        if (is_run && folder.sums_only == sums) lost.push_back(&folder);
      }
      if (lost.empty()) continue;
      lines.push_back(fmt::format("left out {} without trace and profile, {}{}: {}",
                                  base::counted(lost.size(), "run", "runs"),
                                  lost.size() > 1 ? "the first being " : "", lost[0]->path.string(),
                                  sums ? kRecordTraces : "recording or the run may have failed"));
    }
    return lines;
  }

 private:
  struct Folder {
    fs::path path;
    std::string parameters;
    bool has_run_json;
    bool sums_only;
  };
  std::vector<Folder> folders_;
};

constexpr const char* kNamingRule =
    "A folder holds one folder per run, named after its parameters: series/mm.p64.n100.r2; or "
    "give them: --parameter p=64 RUN ...";

}  // namespace

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

base::Result<Series> series_of(const std::vector<SeriesRun>& runs) {
  auto series = gather(runs);
  if (series) drop_fixed_parameters(series.value());
  return series;
}

base::Result<Series> series_in(const fs::path& folder) {
  auto content = list(folder);
  if (!content) return content.error();
  std::vector<SeriesRun> runs;
  LostRuns lost;
  for (const fs::path& path : content.value()) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) continue;
    auto profiles = profiles_in(path);
    if (!profiles) return profiles.error();
    auto name = scaling::parse_run_name(path.filename().string());
    if (profiles.value().empty()) {
      if (name) lost.add(path, name.value());
      continue;
    }
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
        lost.any_sums() || has_sums_only(folder) ? kRecordTraces : kNamingRule};
  }
  auto series = gather(runs);
  if (!series) return series;
  for (std::string& warning : lost.warnings(names_of(runs.front().parameters))) {
    series.value().warnings.push_back(std::move(warning));
  }
  if (!drop_fixed_parameters(series.value())) {
    if (runs.size() == 1) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("there is only one run in {}: {}", folder.string(), runs[0].path),
                   "Models need runs of several values of a parameter, best five or more."};
    }
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("no parameter varies in {}: {} has the values of {}", folder.string(),
                             runs.back().path, runs.front().path),
                 kNamingRule};
  }
  return series;
}

}  // namespace pathline::app
