// SPDX-License-Identifier: BSD-3-Clause
#include "app/report.hpp"

#include <cctype>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "app/findings_growth.hpp"
#include "app/judge_summary.hpp"
#include "app/judged_part.hpp"
#include "app/judged_run.hpp"
#include "cli/command.hpp"

namespace pathline::cli {
namespace {

/// errors  kInvalidArgument for a name that promises another format.
base::Status check_suffix(const std::string& output) {
  std::string suffix = std::filesystem::path(output).extension().string();
  for (char& c : suffix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (suffix.empty() || suffix == ".html" || suffix == ".htm") return {};
  return base::Error{
      base::ErrorCode::kInvalidArgument,
      fmt::format("cannot write {}: a report is HTML, its name ends with .html or .htm", output)};
}

base::Result<int> run_report(const CommonOptions& options) {
  if (auto status = check_suffix(options.output); !status) return status.error();
  if (options.output == "-" && ::isatty(STDOUT_FILENO) == 1) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "a report is a page of HTML, and standard output is a terminal",
                       "-o report.html writes it to a file."};
  }
  auto opened = open(options, Takes::kSummaries, {.bytes = false}, app::PartNeeds::kWaits);
  if (!opened) return opened.error();
  Opened& run = *opened.value();
  std::optional<app::FindingsReport> findings;
  std::optional<app::EfficiencyReport> efficiency;
  std::optional<trace::Trace> judged;
  std::filesystem::path source = run.source;
  if (run.summary) {
    auto kept = app::judged_run(options.input, run.summary->judged, run.trace);
    if (!kept) return kept.error();
    if (kept.value()) {
      if (kept.value()->has_findings_of_part()) efficiency = kept.value()->efficiency.report;
      findings = std::move(kept.value()->findings);
    }
    source = input::events_of(*run.summary, options.input);
  }
  base::Progress progress;
  std::vector<std::string> notes;
  with_progress(progress, options.quiet, [&] {
    if (run.summary) {
      if (findings) return;
      run.summary->run = std::move(run.trace);
      auto found = app::judge_summary(options.input, *run.summary, run.pool, progress, notes);
      run.trace = std::move(run.summary->run);
      if (found) {
        findings = std::move(found.value().findings);
        judged = std::move(found.value().events);
      } else {
        const base::Error& error = found.error();
        notes.push_back(fmt::format("there are no findings: {}{}{}", error.message,
                                    error.advice.empty() ? "" : ". ", error.advice));
        // The page says it, too, but of a run without MPI nobody expects any.
        const bool is_missing = error.code != base::ErrorCode::kUnsupported;
        if (is_missing) run.trace.warnings.push_back(notes.back());
      }
      return;
    }
    app::FindingsRequest request{.critical_path = true};
    app::focus_on(run.trace, run.selection, request);
    auto found = app::find_findings(run.trace, run.source, request, run.pool, progress);
    if (!found) return;
    // Models are of what findings are usually about.
    if (!app::leaves_out_time(run.trace, run.selection)) {
      app::add_growth(run.source, request.min_percent, found.value(), run.pool, progress);
    }
    // The summary shows its parts faster than the archive.
    if (run.trace.whole) app::name_run(options.input, found.value());
    findings = std::move(found.value());
  });
  if (!options.quiet) {
    for (const std::string& text : notes) note(text);
  }
  const auto html = app::report_html(
      {run.trace, run.summary ? &*run.summary : nullptr, options.input,
       run.facts ? &*run.facts : nullptr, judged ? &*judged : nullptr,
       efficiency ? &*efficiency : nullptr},
      run.selection, run_name(options.input), app::run_facts(source), findings, run.pool);
  if (!html) return html.error();
  if (auto status = write_result(options.output, html.value()); !status) return status.error();
  return kDone;
}

}  // namespace

void add_report_command(Command& program, Action& action) {
  auto options = std::make_shared<CommonOptions>();
  Command command = program.command("report", "One HTML page about a run");
  add_input(command, *options);
  add_output(command, *options);
  add_selection(command, *options);
  command.footer(
      "Examples:\n  pathline report run -o report.html\n"
      "  pathline report run --ranks 0-63 -o first.html\n"
      "  pathline report run --from 10 --until 12 -o part.html");
  command.on_chosen([options, &action] { action = [options] { return run_report(*options); }; });
}

}  // namespace pathline::cli
