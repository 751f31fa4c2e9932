// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "app/model_input.hpp"
#include "base/text.hpp"
#include "cli/json_output.hpp"
#include "cli/model_options.hpp"
#include "cli/model_output.hpp"

namespace pathline::cli {
namespace {

using base::Error;
using base::ErrorCode;

struct ModelOptions : CommonOptions, ModelDataOptions {
  std::string expect;
  double expect_share_pct = 0;
  size_t top = 0;
  bool strict = false;
  bool latex = false;
  bool python = false;
};

/// errors  kCorrupt when there is nothing to model, or too little for --strict.
base::Status check_kernels(const ModelOptions& options, const scaling::Experiment& experiment) {
  const auto& skipped = experiment.skipped;
  if (!experiment.kernels.empty() && (skipped.empty() || !options.strict)) return {};
  const std::string input = fmt::format("{}", fmt::join(options.data, ", "));
  if (skipped.empty()) {
    return Error{ErrorCode::kCorrupt, fmt::format("{} holds no measurements", input)};
  }
  const size_t all = skipped.size() + experiment.kernels.size();
  return Error{
      ErrorCode::kCorrupt,
      fmt::format("{}: {} of {} cannot be modelled; {}{}{}: {}", input, skipped.size(),
                  base::counted(all, "kernel", "kernels"), skipped[0].call_path,
                  skipped[0].metric.empty() ? "" : ", ", skipped[0].metric, skipped[0].reason),
      experiment.kernels.empty() ? "" : "Without --strict they are left out."};
}

/// A name that ends like a format chooses it, unless an option does.
void choose_format(ModelOptions& options) {
  if (!options.format.empty() || options.latex || options.python) return;
  const std::string suffix = std::filesystem::path(options.output).extension().string();
  if (suffix == ".csv" || suffix == ".json") options.format = suffix.substr(1);
  options.latex = suffix == ".tex";
  options.python = suffix == ".py";
}

/// errors  kInvalidArgument where a model is beyond what a number can hold at a target.
base::Status check_predictions(const ModelReport& report) {
  for (const scaling::Fit& fit : report.fits) {
    for (size_t t = 0; t < report.targets.size(); ++t) {
      if (std::isfinite(fit.predictions[t].value)) continue;
      const uint32_t path = report.experiment.kernels[fit.kernel].call_path;
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("at {} the model of {} is no finite number",
                               point_text(report, report.targets[t]),
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
  for (const scaling::Ranked& row : report.rows) {
    // What has no share, as a maximum, counts whole.
    const bool known = has_share(report, row) && std::isfinite(row.share);
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

void print_notes(const ModelOptions& options, const ModelReport& report) {
  if (options.quiet) return;
  print_model_notes(report.experiment);
  const auto note = [](const std::string& text) {
    fmt::print(stderr, "pathline: {}\n", base::printable(text));
  };
  if (!report.expected.empty()) {
    note(fmt::format("faster than {}: {} of {}", report.expected, report.worse_count,
                     base::counted(report.fits.size(), "kernel", "kernels")));
  }
  if (report.rows.size() < report.fits.size()) {
    note(fmt::format("{} of {} shown", report.rows.size(),
                     base::counted(report.fits.size(), "model", "models")));
  }
}

base::Status print_report(const ModelOptions& options, const ModelReport& report) {
  if (options.latex) return write_result(options.output, to_latex(report));
  if (options.python) return write_result(options.output, to_python(report));
  const bool terminal = options.output == "-" && ::isatty(STDOUT_FILENO) == 1;
  if (options.format == "json" || (options.format.empty() && !terminal)) {
    return write_result(options.output, to_json(report).dump(2) + '\n');
  }
  if (options.format == "csv" && report.targets.size() > 1 && !options.quiet) {
    fmt::print(stderr, "pathline: only predictions at {} are shown: --format json has all\n",
               point_text(report, report.targets[0]));
  }
  return print_rows(options, report);
}

/// Everything but the models.
base::Status open(const ModelOptions& options, base::ThreadPool& pool, base::Progress& progress,
                  ModelReport& report) {
  auto request = model_request(options, options.partial);
  if (!request) return request.error();
  if (auto status = check_output(options.output, request.value()); !status) return status;
  base::Result<app::ModelInput> input = app::ModelInput{};
  with_progress(progress, options.quiet,
                [&] { input = app::open_measurements(request.value(), pool, progress); });
  if (!input) return input.error();
  report.data = options.data.size() == 1 ? options.data[0]
                                         : base::counted(options.data.size(), "run", "runs");
  report.experiment = std::move(input.value().experiment);
  if (auto status = check_kernels(options, report.experiment); !status) return status;
  if (options.scaling_given && !input.value().from_profiles) {
    report.experiment.warnings.emplace_back(
        "--scaling has no effect: it is about the locations of profiles");
  }
  for (const std::string& metric : report.experiment.metrics) {
    const auto& parts = input.value().not_additive;
    report.adds_up.push_back(std::find(parts.begin(), parts.end(), metric) == parts.end());
  }
  report.aggregate = aggregate_of(options);
  report.largest = scaling::largest_measured(report.experiment);
  auto targets = model_targets(options, report.experiment);
  if (!targets) return targets.error();
  report.targets = std::move(targets).value();
  report.settings["aggregate"] = options.aggregate;
  if (input.value().from_profiles) report.settings["scaling"] = options.scaling;
  report.settings["rank_by"] = options.rank_by;
  return {};
}

base::Result<int> run_model(const ModelOptions& options) {
  base::ThreadPool pool(options.threads);
  base::Progress progress;
  ModelReport report;
  if (auto status = open(options, pool, progress, report); !status) return status.error();
  std::optional<scaling::Model> expectation;
  if (!options.expect.empty()) {
    auto parsed = scaling::parse_expectation(options.expect, report.experiment.parameters);
    if (!parsed) return parsed.error();
    expectation = std::move(parsed).value();
    report.expected = options.expect;
  }

  scaling::SearchOptions search;
  search.aggregate = aggregate_of(options);
  search.max_terms = options.terms;
  search.targets = report.targets;
  progress.begin("searching models", "", 0);
  with_progress(progress, options.quiet,
                [&] { report.fits = scaling::fit_all(report.experiment, search, pool); });
  report.worse.resize(report.fits.size());
  report.rivals_disagree.resize(report.fits.size());
  if (auto status = check_predictions(report); !status) return status.error();
  report.rows = scaling::rank(report.experiment, report.fits, rank_by_of(options), 0);
  if (expectation) judge(report, *expectation, options.expect_share_pct / 100);
  // Metrics keep their order, but people ask for time first.
  const auto is_time = [&](const scaling::Ranked& row) { return report.metric(row) == "time"; };
  if (options.metrics.empty()) {
    std::stable_partition(report.rows.begin(), report.rows.end(), is_time);
  }
  if (options.top > 0) {
    // What is worse than expected is an answer, wherever it ranks.
    std::erase_if(report.rows, [&](const scaling::Ranked& row) {
      return row.rank > options.top && !report.worse[row.fit];
    });
  }
  print_notes(options, report);
  if (auto status = print_report(options, report); !status) return status.error();
  return report.worse_count > 0 ? kAnswerIsNo : kDone;
}

void add_model_input(CLI::App& command, ModelOptions& options) {
  command
      .add_option("DATA", options.data,
                  "Measurements (keyword text, JSON, JSON Lines, TaLPas), a folder with one folder "
                  "per run, named after its parameters (mm.p64.n100.r2), or runs that "
                  "--parameter describes")
      ->required();
  command.add_option("--metric", options.metrics, "Only this metric; may be given again")
      ->allow_extra_args(false);
  command.add_option("--threads", options.threads, "Threads to use; 0 is one per core")
      ->check(CLI::Range(0U, 4096U))
      ->capture_default_str();
  command.add_flag("--partial", options.partial,
                   "Read a damaged trace as far as it goes and say so");
  command.add_flag("--quiet", options.quiet, "No progress and no notes on standard error");
}

void add_model_output(CLI::App& command, ModelOptions& options) {
  add_output(command, options);
  CLI::Option* format =
      command
          .add_option("--format", options.format,
                      "Default: what -o ends with (.csv, .json, .tex, .py), else table "
                      "on a terminal, json elsewhere")
          ->check(CLI::IsMember({"table", "csv", "json"}));
  CLI::Option* latex =
      command.add_flag("--latex", options.latex, "A tabular for a paper, no packages needed");
  CLI::Option* python =
      command.add_flag("--python", options.python, "A module with one function per kernel");
  latex->excludes(format)->excludes(python);
  python->excludes(format);
}

}  // namespace

void add_model_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<ModelOptions>();
  CLI::App* command =
      app.add_subcommand("model", "How each part of a program grows, from a series of runs");
  add_model_input(*command, *options);
  add_model_data_options(*command, *options);
  command
      ->add_option("--top", options->top,
                   "Only so many of each metric, and what is worse than expected")
      ->check(CLI::Range(size_t{1}, size_t{1000000000}));
  command->add_option(
      "--expect", options->expect,
      "What nothing should outgrow, such as 'log2(p)' or 'n^3/p'; else the exit status is 1");
  command
      ->add_option("--expect-share", options->expect_share_pct,
                   "Kernels with less percent of what is predicted for their metric may grow as "
                   "they like")
      ->needs("--expect")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command->add_flag("--strict", options->strict, "Fail if a kernel cannot be modelled");
  add_model_output(*command, *options);
  command->footer(
      "A kernel is a metric of a call path. Each metric is ranked for itself. With several "
      "parameters the fastest growth is that of all growing by the same factor; an expectation "
      "must also hold for each growing alone.\nExamples:\n"
      "  pathline model series --metric time --at p=65536 --expect 'log2(p)'\n"
      "  pathline model --parameter p=4 run4 --parameter p=8 run8 --parameter p=16 run16");
  command->callback([options, command, &action] {
    note_order(*command, {"DATA"}, *options);
    choose_format(*options);
    action = [options] { return run_model(*options); };
  });
}

}  // namespace pathline::cli
