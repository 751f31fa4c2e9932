// SPDX-License-Identifier: BSD-3-Clause
#include "cli/model_options.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "app/model_report.hpp"
#include "app/model_series.hpp"
#include "base/parse.hpp"
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

template <typename Table>
std::vector<std::string> words_of(const Table& table) {
  std::vector<std::string> words;
  for (const auto& [word, meaning] : table) words.emplace_back(word);
  return words;
}

/// word  one of words_of().
template <typename Table>
auto meaning_of(const std::string& word, const Table& table) {
  return std::find_if(table.begin(), table.end(),
                      [&](const auto& known) { return known.first == word; })
      ->second;
}

/// "p=64,n=100" behind `option`.
base::Result<NamedValues> parse_values(const std::string& text, const std::string& option) {
  NamedValues values;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const size_t equals = part.find('=');
    const auto value =
        base::number_in<double>(equals == std::string::npos ? "" : part.substr(equals + 1));
    if (equals == 0 || !value || !(*value > 0)) {
      return invalid(
          fmt::format("{} is '{}', expected parameters and values above 0, such as "
                      "p=64 or p=64,n=100",
                      option, text));
    }
    values.emplace_back(part.substr(0, equals), *value);
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
  return meaning_of(options.aggregate, app::kAggregates);
}

scaling::LocationRule locations_of(const ModelDataOptions& options) {
  return meaning_of(options.scaling, app::kLocationRules);
}

scaling::RankBy rank_by_of(const ModelDataOptions& options) {
  return meaning_of(options.rank_by, app::kRankings);
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
  for (const std::string& text : options.from) {
    auto values = parse_values(text, "--at-least");
    if (!values) return values.error();
    request.from.insert(request.from.end(), values.value().begin(), values.value().end());
  }
  request.profiles.aggregate = aggregate_of(options);
  request.profiles.locations = locations_of(options);
  request.partial = partial;
  return request;
}

base::Result<std::vector<std::vector<double>>> model_targets(
    const ModelDataOptions& options, const scaling::Experiment& experiment) {
  std::vector<std::vector<double>> targets;
  for (const std::string& text : options.at) {
    auto values = parse_values(text, "--at");
    if (!values) return values.error();
    auto target = app::target_at(values.value(), experiment);
    if (!target) {
      return Error{target.error().code, fmt::format("--at {}: {}", text, target.error().message)};
    }
    targets.push_back(std::move(target).value());
  }
  if (targets.empty()) targets.push_back(app::usual_target(experiment));
  return targets;
}

void print_model_notes(const scaling::Experiment& experiment) {
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

void add_model_data_options(Command& command, ModelDataOptions& options, const std::string& group) {
  command
      .option("--parameter", options.parameters,
              "What the next run was measured at: --parameter p=4 RUN --parameter p=8 RUN; "
              "several, or p=4,n=100, for several parameters; runs of equal values are "
              "repetitions")
      .one_value_each()
      .group(group);
  command
      .option("--at-least", options.from,
              "Leave out what was measured at less: p=4; may be given again. One rank alone sends "
              "nothing, and its times say little of many")
      .one_value_each()
      .group(group);
  command
      .option("--aggregate", options.aggregate,
              "What of repetitions, and of locations, is modelled")
      .one_of(words_of(app::kAggregates))
      .show_default()
      .group(group);
  command
      .option("--scaling", options.scaling,
              "What becomes of the locations of a profile: weak aggregates them, "
              "weak-threaded leaves out idle ones, strong adds them up")
      .one_of(words_of(app::kLocationRules))
      .show_default()
      .group(group);
  command.option("--terms", options.terms, "Most terms of a model beside its constant")
      .range(1, 2)
      .show_default()
      .group(group);
  command
      .option("--at", options.at,
              // A picture has one target.
              std::string("Predict here: p=65536 or p=65536,n=100; ") +
                  (group.empty() ? "may be given again, the first ranks. " : "") +
                  "Parameters not named stay at their largest measured value. Default: 16 "
                  "times the largest value of the first parameter")
      .one_value_each()
      .group(group);
  command
      .option("--rank-by", options.rank_by,
              "What comes first: the largest predicted value, or the fastest growth")
      .one_of(words_of(app::kRankings))
      .show_default()
      .group(group);
}

void note_order(const Command& command, const std::vector<std::string>& names,
                ModelDataOptions& options) {
  for (const Command::Given& option : command.given()) {
    const bool is_data = std::find(names.begin(), names.end(), option.name) != names.end();
    if (is_data || option.name == "--parameter") options.is_data.push_back(is_data);
  }
  options.scaling_given = command.was_given("--scaling");
  options.rank_by_given = command.was_given("--rank-by");
}

}  // namespace pathline::cli
