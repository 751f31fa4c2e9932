// SPDX-License-Identifier: BSD-3-Clause
#include "app/report.hpp"

#include "cli/command.hpp"

namespace pathline::cli {
namespace {

base::Result<int> run_report(const CommonOptions& options) {
  auto opened = open(options);
  if (!opened) return opened.error();
  Opened& run = *opened.value();
  const auto html = app::report_html(run.trace, run.selection, run_name(options.input), run.pool);
  if (!html) return html.error();
  if (auto status = write_result(options.output, html.value()); !status) return status.error();
  return kDone;
}

}  // namespace

void add_report_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<CommonOptions>();
  CLI::App* command = app.add_subcommand("report", "One HTML page about a run");
  add_input(*command, *options);
  add_output(*command, *options);
  add_selection(*command, *options);
  command->footer(
      "Examples:\n  pathline report run -o report.html\n"
      "  pathline report run --ranks 0-63 -o first.html");
  command->callback([options, &action] { action = [options] { return run_report(*options); }; });
}

}  // namespace pathline::cli
