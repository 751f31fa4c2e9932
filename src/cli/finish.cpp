// SPDX-License-Identifier: BSD-3-Clause
#include "app/finish.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/command.hpp"

namespace pathline::cli {
namespace {

struct FinishOptions : CommonOptions {
  bool keep_raw = false;
  double wait_s = 0;
};

base::Result<int> run_finish(const FinishOptions& options) {
  base::ThreadPool pool(options.threads);
  base::Progress progress;
  std::optional<base::Result<app::FinishReport>> result;
  with_progress(progress, options.quiet, [&] {
    result =
        app::finish_run(options.input, {.keep_raw = options.keep_raw, .patience_s = options.wait_s},
                        pool, progress);
  });
  if (!*result) return result->error();
  const app::FinishReport& report = result->value();
  if (report.outcome == app::Finish::kWasFinished) {
    if (!options.quiet) fmt::print("{} is finished already\n", base::printable(options.input));
    return kDone;
  }
  if (!options.quiet) {
    for (const std::string& warning : report.warnings) note(warning);
  }
  if (report.outcome == app::Finish::kStillRuns) {
    note(options.input + " is still being written: nothing was changed");
    return kAnswerIsNo;
  }
  if (!options.quiet) {
    fmt::print(
        "{}: {} on {}, {}, {}, {}{}\n", base::printable(options.input),
        base::counted(report.ranks, "rank", "ranks"), base::counted(report.hosts, "host", "hosts"),
        base::counted(report.events, "event", "events"), base::human_seconds(report.duration_s),
        base::human_bytes(static_cast<double>(report.archive_bytes)),
        report.complete ? "" : "; incomplete");
  }
  return kDone;
}

}  // namespace

void add_finish_command(Command& program, Action& action) {
  auto options = std::make_shared<FinishOptions>();
  Command command =
      program.command("finish", "Completes a recorded run, also one whose program died");
  command.option("RUN", options->input, "Run directory of 'pathline record'").required();
  command.flag("--keep-raw", options->keep_raw, "Leave the recorder's raw files there");
  command
      .option("--wait", options->wait_s,
              "Seconds to wait for processes of the run that are still there")
      .range(0.0, 1e6);
  command.option("--threads", options->threads, "Threads to use; 0 is one per core")
      .range(0U, 4096U)
      .show_default();
  command.flag("--quiet", options->quiet, "No progress, no notes and no summary");
  command.footer(
      "Makes traces.otf2, steps.csv and run.json of the recorder's raw files and removes those "
      "when "
      "all\nis safely written. Interrupted, it can be run again. Commands that open a run which is "
      "not\nfinished do the same.\nExamples:\n"
      "  pathline finish pathline-heat3d-20261121-093005\n  pathline finish run --keep-raw");
  command.on_chosen([options, &action] { action = [options] { return run_finish(*options); }; });
}

}  // namespace pathline::cli
