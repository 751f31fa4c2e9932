// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "app/model_report.hpp"
#include "base/text.hpp"
#include "cli/model_options.hpp"
#include "cli/model_output.hpp"

namespace pathline::cli {
namespace {

struct ModelOptions : CommonOptions, ModelDataOptions {
  std::string expect;
  double expect_share_pct = 0;
  size_t top = 0;
  bool strict = false;
  bool latex = false;
  bool python = false;
};

/// A name that ends like a format chooses it, unless an option does.
void choose_format(ModelOptions& options) {
  if (!options.format.empty() || options.latex || options.python) return;
  const std::string suffix = std::filesystem::path(options.output).extension().string();
  if (suffix == ".csv" || suffix == ".json") options.format = suffix.substr(1);
  options.latex = suffix == ".tex";
  options.python = suffix == ".py";
}

void print_notes(const ModelOptions& options, const app::ModelReport& report) {
  if (options.quiet) return;
  print_model_notes(report.experiment);
  if (!report.expected.empty()) {
    note(fmt::format("faster than {}: {} of {}", report.expected, report.worse_count,
                     base::counted(report.fits.size(), "kernel", "kernels")));
  }
  if (report.rows.size() < report.fits.size()) {
    note(fmt::format("{} of {} shown", report.rows.size(),
                     base::counted(report.fits.size(), "model", "models")));
  }
}

base::Status print_report(const ModelOptions& options, const app::ModelReport& report) {
  if (options.latex) return write_result(options.output, to_latex(report));
  if (options.python) return write_result(options.output, to_python(report));
  const bool terminal = options.output == "-" && ::isatty(STDOUT_FILENO) == 1;
  if (options.format == "json" || (options.format.empty() && !terminal)) {
    return write_result(options.output, app::to_json(report));
  }
  if (options.format == "csv" && report.targets.size() > 1 && !options.quiet) {
    note(fmt::format("only predictions at {} are shown: --format json has all",
                     report.point_text(report.targets[0])));
  }
  return print_rows(options, report);
}

base::Result<app::ModelInput> open(const ModelOptions& options, base::ThreadPool& pool,
                                   base::Progress& progress) {
  auto request = model_request(options, options.partial);
  if (!request) return request.error();
  if (auto status = check_output(options.output, request.value()); !status) return status.error();
  base::Result<app::ModelInput> input = app::ModelInput{};
  with_progress(progress, options.quiet,
                [&] { input = app::open_measurements(request.value(), pool, progress); });
  if (!input) return input;
  scaling::Experiment& experiment = input.value().experiment;
  const std::string data = fmt::format("{}", fmt::join(options.data, ", "));
  if (auto status = app::check_kernels(experiment, data, options.strict); !status) {
    return status.error();
  }
  if (options.scaling_given && !input.value().from_profiles) {
    experiment.warnings.emplace_back(
        "--scaling has no effect: it is about the locations of profiles");
  }
  return input;
}

base::Result<app::ModelQuestion> model_question(const ModelOptions& options,
                                                const scaling::Experiment& experiment) {
  auto targets = model_targets(options, experiment);
  if (!targets) return targets.error();
  app::ModelQuestion question;
  question.search.aggregate = aggregate_of(options);
  question.search.max_terms = options.terms;
  question.search.targets = std::move(targets).value();
  question.locations = locations_of(options);
  question.rank_by = rank_by_of(options);
  question.time_first = options.metrics.empty();
  question.top = options.top;
  question.expected = options.expect;
  question.expected_share = options.expect_share_pct / 100;
  return question;
}

base::Result<int> run_model(const ModelOptions& options) {
  base::ThreadPool pool(options.threads);
  base::Progress progress;
  auto input = open(options, pool, progress);
  if (!input) return input.error();
  const auto question = model_question(options, input.value().experiment);
  if (!question) return question.error();
  const std::string data = options.data.size() == 1
                               ? options.data[0]
                               : base::counted(options.data.size(), "run", "runs");
  progress.begin("searching models", "", 0);
  base::Result<app::ModelReport> report = app::ModelReport{};
  with_progress(progress, options.quiet, [&] {
    report = app::model_report(data, std::move(input).value(), question.value(), pool);
  });
  if (!report) return report.error();
  print_notes(options, report.value());
  if (auto status = print_report(options, report.value()); !status) return status.error();
  return report.value().worse_count > 0 ? kAnswerIsNo : kDone;
}

void add_model_input(Command& command, ModelOptions& options) {
  command
      .option("DATA", options.data,
              "Measurements (keyword text, JSON, JSON Lines, TaLPas), a folder with one folder "
              "per run, named after its parameters (mm.p64.n100.r2), or runs that "
              "--parameter describes")
      .required();
  command
      .option(
          "--metric", options.metrics,
          "Only this metric; may be given again. Of runs also efficiency, lost_time and findings")
      .one_value_each();
  command.option("--threads", options.threads, "Threads to use; 0 is one per core")
      .range(0U, 4096U)
      .show_default();
  command.flag("--partial", options.partial, "Read a damaged trace as far as it goes and say so");
  command.flag("--quiet", options.quiet, "No progress and no notes on standard error");
}

void add_model_output(Command& command, ModelOptions& options) {
  add_output(command, options);
  Option format = command
                      .option("--format", options.format,
                              "Default: what -o ends with (.csv, .json, .tex, .py), else table "
                              "on a terminal, json elsewhere")
                      .one_of({"table", "csv", "json"});
  Option latex =
      command.flag("--latex", options.latex, "A tabular for a paper, no packages needed");
  Option python = command.flag("--python", options.python, "A module with one function per kernel");
  latex.excludes(format).excludes(python);
  python.excludes(format);
}

}  // namespace

void add_model_command(Command& program, Action& action) {
  auto options = std::make_shared<ModelOptions>();
  Command command =
      program.command("model", "How each part of a program grows, from a series of runs");
  add_model_input(command, *options);
  add_model_data_options(command, *options);
  command
      .option("--top", options->top, "Only so many of each metric, and what is worse than expected")
      .range(size_t{1}, size_t{1000000000});
  const Option expect = command.option(
      "--expect", options->expect,
      "What nothing should outgrow, such as 'log2(p)' or 'n^3/p'; else the exit status is 1");
  command
      .option("--expect-share", options->expect_share_pct,
              "Kernels with less percent of what is predicted for their metric may grow as "
              "they like")
      .needs(expect)
      .range(0.0, 100.0)
      .show_default();
  command.flag("--strict", options->strict, "Fail if a kernel cannot be modelled");
  add_model_output(command, *options);
  command.footer(
      "A kernel is a metric of a call path. Each metric is ranked for itself. With several "
      "parameters the fastest growth is that of all growing by the same factor; an expectation "
      "must also hold for each growing alone.\nExamples:\n"
      "  pathline model series --metric time --at p=65536 --expect 'log2(p)'\n"
      "  pathline model --parameter p=4 run4 --parameter p=8 run8 --parameter p=16 run16");
  command.on_chosen([options, command, &action] {
    note_order(command, {"DATA"}, *options);
    choose_format(*options);
    action = [options] { return run_model(*options); };
  });
}

}  // namespace pathline::cli
