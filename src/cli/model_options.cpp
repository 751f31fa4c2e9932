// SPDX-License-Identifier: BSD-3-Clause
#include "cli/model_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "app/model_series.hpp"
#include "base/text.hpp"

namespace pathline::cli {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using NamedValues = std::vector<std::pair<std::string, double>>;

Error invalid(std::string message, std::string advice = "") {
  return {ErrorCode::kInvalidArgument, std::move(message), std::move(advice)};
}

/// "p=64,n=100" behind `option`.
base::Result<NamedValues> parse_values(const std::string& text, const std::string& option) {
  NamedValues values;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const size_t equals = part.find('=');
    const std::string number = equals == std::string::npos ? "" : part.substr(equals + 1);
    double value = 0;
    const auto [stop, code] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (equals == 0 || code != std::errc() || stop != number.data() + number.size() ||
        !std::isfinite(value) || !(value > 0)) {
      return invalid(
          fmt::format("{} is '{}', expected parameters and values above 0, such as "
                      "p=64 or p=64,n=100",
                      option, text));
    }
    values.emplace_back(part.substr(0, equals), value);
    begin = end + 1;
  }
  return values;
}

/// --parameter p=4 --parameter n=1 RUN --parameter p=8 --parameter n=1 RUN: what stands before a
/// run is about that run.
base::Result<std::vector<app::SeriesRun>> runs_of(const ModelDataOptions& options) {
  std::vector<app::SeriesRun> runs;
  NamedValues pending;
  size_t data = 0;
  size_t parameter = 0;
  for (const bool is_data : options.is_data) {
    if (!is_data) {
      auto values = parse_values(options.parameters[parameter++], "--parameter");
      if (!values) return values.error();
      pending.insert(pending.end(), values.value().begin(), values.value().end());
      continue;
    }
    const std::string& run = options.data[data++];
    if (pending.empty()) {
      return invalid(fmt::format("{} has no --parameter before it", run),
                     "Each run needs its own: --parameter p=4 RUN --parameter p=8 RUN ...");
    }
    runs.push_back({run, std::move(pending)});
    pending.clear();
  }
  if (!pending.empty()) {
    return invalid(fmt::format("there is no run behind --parameter {}", options.parameters.back()),
                   "A parameter stands before its run: --parameter p=4 RUN ...");
  }
  return runs;
}

/// Whether `file` is `folder` or below it, links resolved.
bool is_within(const fs::path& file, const fs::path& folder) {
  std::error_code file_failed;
  std::error_code folder_failed;
  const fs::path inner = fs::weakly_canonical(file, file_failed);
  const fs::path outer = fs::canonical(folder, folder_failed);
  if (file_failed || folder_failed) return false;
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

/// The folders and files of single runs, as far as `output` may be one of them.
std::vector<fs::path> inputs_near(const fs::path& output, const app::ModelRequest& request) {
  std::vector<fs::path> inputs;
  for (const app::SeriesRun& run : request.runs) inputs.emplace_back(run.path);
  std::error_code ignored;
  if (!request.runs.empty()) return inputs;
  if (!fs::is_directory(request.data, ignored)) return {request.data};
  // A series may hold pictures and models beside its runs.
  for (fs::directory_iterator entry(request.data, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    if (!is_within(output, entry->path())) continue;
    std::error_code code;
    const auto profiles = app::profiles_in(entry->path());
    const bool is_run = profiles && !profiles.value().empty();
    if (fs::is_directory(entry->path(), code) && is_run) inputs.push_back(entry->path());
  }
  return inputs;
}

}  // namespace

base::Status check_output(const std::string& output, const app::ModelRequest& request) {
  if (output == "-") return {};
  for (const fs::path& input : inputs_near(output, request)) {
    std::error_code ignored;
    const bool is_input = fs::equivalent(output, input, ignored);
    if (!is_input && !is_within(output, input)) continue;
    return invalid(
        is_input ? fmt::format("the output {} is an input", output)
                 : fmt::format("the output {} would be inside the run {}", output, input.string()),
        "Name another file behind -o.");
  }
  return {};
}

scaling::Aggregate aggregate_of(const ModelDataOptions& options) {
  using scaling::Aggregate;
  return options.aggregate == "median" ? Aggregate::kMedian
         : options.aggregate == "min"  ? Aggregate::kMin
         : options.aggregate == "max"  ? Aggregate::kMax
                                       : Aggregate::kMean;
}

scaling::RankBy rank_by_of(const ModelDataOptions& options) {
  return options.rank_by == "growth" ? scaling::RankBy::kGrowth : scaling::RankBy::kValue;
}

base::Result<app::ModelRequest> model_request(const ModelDataOptions& options, bool partial) {
  app::ModelRequest request;
  if (!options.parameters.empty()) {
    auto runs = runs_of(options);
    if (!runs) return runs.error();
    request.runs = std::move(runs).value();
  } else if (options.data.size() > 1) {
    return invalid(
        fmt::format("there are {} inputs and no --parameter", options.data.size()),
        "Say what is different: --parameter p=4 RUN --parameter p=8 RUN ...; or name the folder "
        "that holds the runs.");
  } else {
    request.data = options.data[0];
  }
  for (const std::string& metric : options.metrics) {
    if (std::find(request.metrics.begin(), request.metrics.end(), metric) ==
        request.metrics.end()) {
      request.metrics.push_back(metric);
    }
  }
  request.profiles.aggregate = aggregate_of(options);
  using scaling::LocationRule;
  request.profiles.locations = options.scaling == "strong"          ? LocationRule::kStrong
                               : options.scaling == "weak-threaded" ? LocationRule::kWeakThreaded
                                                                    : LocationRule::kWeak;
  request.partial = partial;
  return request;
}

base::Result<std::vector<std::vector<double>>> model_targets(
    const ModelDataOptions& options, const scaling::Experiment& experiment) {
  const std::vector<double> largest = scaling::largest_measured(experiment);
  std::vector<std::vector<double>> targets;
  const std::vector<std::string>& names = experiment.parameters;
  for (const std::string& text : options.at) {
    auto values = parse_values(text, "--at");
    if (!values) return values.error();
    std::vector<double> target = largest;
    for (const auto& [name, value] : values.value()) {
      const auto place = std::find(names.begin(), names.end(), name);
      if (place == names.end()) {
        return Error{ErrorCode::kNotFound,
                     fmt::format("--at {}: there is no parameter '{}', only {}", text, name,
                                 fmt::join(names, ", "))};
      }
      target[static_cast<size_t>(place - names.begin())] = value;
    }
    targets.push_back(std::move(target));
  }
  if (targets.empty()) {
    constexpr double kFarther = 16;
    targets.push_back(largest);
    // What is farther than a double reaches, or would be on the other side, stays where it is.
    if (const double x = kFarther * largest[0]; x > 0 && std::isfinite(x)) targets[0][0] = x;
  }
  return targets;
}

void print_model_notes(const scaling::Experiment& experiment) {
  const auto note = [](const std::string& text) {
    fmt::print(stderr, "pathline: {}\n", base::printable(text));
  };
  for (const std::string& warning : experiment.warnings) note(warning);
  const auto& skipped = experiment.skipped;
  constexpr size_t kMost = 5;
  for (size_t i = 0; i < std::min(kMost, skipped.size()); ++i) {
    note(fmt::format("skipped {}{}{}: {}", skipped[i].call_path,
                     skipped[i].metric.empty() ? "" : ", ", skipped[i].metric, skipped[i].reason));
  }
  if (skipped.size() > kMost) {
    note(fmt::format("skipped {} more: --format json lists them", skipped.size() - kMost));
  }
}

void add_model_data_options(CLI::App& command, ModelDataOptions& options,
                            const std::string& group) {
  const auto grouped = [&](CLI::Option* option) {
    if (!group.empty()) option->group(group);
  };
  grouped(
      command
          .add_option("--parameter", options.parameters,
                      "What the next run was measured at: --parameter p=4 RUN --parameter p=8 RUN; "
                      "several, or p=4,n=100, for several parameters; runs of equal values are "
                      "repetitions")
          ->allow_extra_args(false));
  grouped(command
              .add_option("--aggregate", options.aggregate,
                          "What of repetitions, and of locations, is modelled")
              ->check(CLI::IsMember({"mean", "median", "min", "max"}))
              ->capture_default_str());
  grouped(command
              .add_option("--scaling", options.scaling,
                          "What becomes of the locations of a profile: weak aggregates them, "
                          "weak-threaded leaves out idle ones, strong adds them up")
              ->check(CLI::IsMember({"weak", "weak-threaded", "strong"}))
              ->capture_default_str());
  grouped(command.add_option("--terms", options.terms, "Most terms of a model beside its constant")
              ->check(CLI::Range(1, 2))
              ->capture_default_str());
  grouped(
      command
          .add_option("--at", options.at,
                      // A picture has one target.
                      std::string("Predict here: p=65536 or p=65536,n=100; ") +
                          (group.empty() ? "may be given again, the first ranks. " : "") +
                          "Parameters not named stay at their largest measured value. Default: 16 "
                          "times the largest value of the first parameter")
          ->allow_extra_args(false));
  grouped(command
              .add_option("--rank-by", options.rank_by,
                          "What comes first: the largest predicted value, or the fastest growth")
              ->check(CLI::IsMember({"value", "growth"}))
              ->capture_default_str());
}

void note_order(const CLI::App& command, const std::vector<std::string>& names,
                ModelDataOptions& options) {
  for (const CLI::Option* option : command.parse_order()) {
    const bool is_data = std::find(names.begin(), names.end(), option->get_name()) != names.end();
    if (is_data || option->check_lname("parameter")) options.is_data.push_back(is_data);
  }
  options.scaling_given = command.count("--scaling") > 0;
}

}  // namespace pathline::cli
