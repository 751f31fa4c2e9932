// SPDX-License-Identifier: BSD-3-Clause
#include "app/findings.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "app/findings_against.hpp"
#include "app/findings_growth.hpp"
#include "app/findings_words.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/findings_options.hpp"
#include "cli/judged_answer.hpp"
#include "cli/table.hpp"
#include "input/input.hpp"

namespace pathline::cli {
namespace {

struct FindingsOptions : FocusOptions {
  double min_percent = 2;
  std::string by = "run";
  std::string against;
  std::string expect;
};

/// A paragraph that begins with a number or is indented, folded at the width of the terminal.
std::string folded(const std::string& text, size_t indent, size_t width) {
  std::string lines;
  size_t column = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (column > 0 && column + 1 + letter_count(word) > width) {
      lines += '\n';
      column = 0;
    }
    if (column == 0) {
      lines += std::string(indent, ' ');
      column = indent;
    } else {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += letter_count(word);
    begin = end + 1;
  }
  return lines + '\n';
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// What the run is, and how well it does.
std::string heading(const app::FindingsReport& report) {
  const findings::Efficiency& e = report.efficiency;
  return fmt::format("{}\nparallel efficiency {}: load balance {}, serialisation {}, transfer {}\n",
                     app::focus_text(report), percent(e.parallel), percent(e.load_balance),
                     percent(e.serialisation), percent(e.transfer));
}

std::string finding_lines(const app::FindingsReport& report, size_t number,
                          const app::FindingRow& row, size_t width) {
  std::string text = fmt::format("\n{:>2}  {}  {}", number, row.kind, app::gain_text(row));
  if (row.after_above_s && number > 1) {
    text += fmt::format(", {} after those above", base::human_seconds(*row.after_above_s));
  }
  text += fmt::format("; confidence {}\n", row.confidence);
  text += folded(row.text + '.', 4, width);
  if (const std::string place = app::place_text(row); !place.empty()) {
    text += folded("at " + place, 4, width);
  }
  if (row.grows) text += folded(app::growth_text(report, *row.grows), 4, width);
  text += folded("-> " + row.advice, 4, width);
  // Commands stay in one line, to be copied.
  for (const std::string& command : row.show) text += "    " + command + '\n';
  return text;
}

std::string for_people(const app::FindingsReport& report) {
  const size_t width = std::clamp<size_t>(table_width(), 50, 120);
  std::string text = heading(report);
  size_t number = 0;
  bool said_low = false;
  for (const app::FindingRow& row : report.findings) {
    if (row.is_note) continue;  // Below, with the warnings.
    if (row.confidence == "low" && !said_low) {
      said_low = true;
      text += "\nLess certain:\n";
    }
    text += finding_lines(report, ++number, row, width);
  }
  text += '\n' + folded(app::nothing_text(report), 0, width);
  for (const app::FindingGrowth& growth : report.growing) {
    if (growth.here_pct > 0) continue;
    text +=
        folded(fmt::format("will grow: {} {}", growth.call_path, app::growth_text(report, growth)),
               0, width);
  }
  for (const std::string& warning : report.warnings) {
    text += folded("note: " + warning, 0, width);
    for (const app::FindingRow& row : report.findings) {
      if (row.is_note && row.text == warning) text += folded("-> " + row.advice, 4, width);
    }
  }
  return text;
}

Table rows_table(const FindingsOptions& options, const app::FindingsReport& report) {
  Table table(options, {{.name = "kind", .is_text = true},
                        {.name = "confidence", .is_text = true},
                        {.name = "recoverable_s", .unit = Unit::kSeconds},
                        {.name = "recoverable_pct"},
                        {.name = "after_above_s", .unit = Unit::kSeconds},
                        {.name = "cost_rank_s", .unit = Unit::kSeconds},
                        {.name = "ranks", .is_text = true},
                        {.name = "callpath", .is_text = true},
                        {.name = "steps", .is_text = true},
                        {.name = "from_s", .unit = Unit::kInstant},
                        {.name = "until_s", .unit = Unit::kInstant},
                        {.name = "text", .is_text = true},
                        {.name = "advice", .is_text = true},
                        {.name = "place", .is_text = true}});
  const auto seconds = [](double value) { return fmt::format("{:.9f}", value); };
  for (const app::FindingRow& row : report.findings) {
    table.row({row.kind, row.confidence, seconds(row.recoverable_s),
               fmt::format("{:.4f}", row.recoverable_pct),
               row.after_above_s ? seconds(*row.after_above_s) : "", seconds(row.cost_rank_s),
               row.ranks, row.call_path, row.steps, seconds(row.from_s), seconds(row.until_s),
               row.text, row.advice, row.place});
  }
  return table;
}

struct Found {
  app::FindingsReport report;
  bool of_summary = false;
  bool of_all = true;  ///< Of all that was asked for, and not of a part that fits into memory.
};

base::Result<Found> report_of(const FindingsOptions& options, const std::string& input) {
  CommonOptions one = options;
  one.input = input;
  auto request = focus_of(options);
  if (!request) return request.error();
  request.value().min_percent = options.min_percent;
  auto opened = open(one, Takes::kSummaries, kJudgedOnly);
  if (!opened) return opened.error();
  const findings::Focus asked = request.value().focus;
  auto kept = kept_answer(one, request.value(), *opened.value());
  if (!kept) return kept.error();
  if (kept.value()) {
    const bool of_all = !kept.value()->has_findings_of_part();
    return Found{std::move(kept.value()->findings), true, of_all};
  }
  base::Result<app::FindingsReport> report = app::FindingsReport{};
  base::Progress progress;
  with_progress(progress, options.quiet, [&] {
    Opened& run = *opened.value();
    report = app::find_findings(run.trace, run.source, request.value(), run.pool, progress);
    // The summary shows its parts faster than the archive.
    if (report && run.trace.whole) app::name_run(input, report.value());
    // Models are of what findings are usually about.
    if (report && input == options.input && options.focus == "steps") {
      app::add_growth(run.source, options.min_percent, report.value(), run.pool, progress);
    }
  });
  if (!report) return report.error();
  return Found{std::move(report).value(), false, request.value().focus == asked};
}

/// Findings of a part are others than those of the whole though nothing was changed.
base::Status check_comparable(const std::string& input, const Found& found) {
  if (found.of_all) return {};
  return base::Error{
      base::ErrorCode::kIo,
      fmt::format("--against: of {} only {:.6f} s to {:.6f} s were judged, as all of it takes more "
                  "memory than there is: a part cannot be compared with another run",
                  input, found.report.begin_s, found.report.end_s),
      "Compare a time of both with --focus FROM:UNTIL, or all of both with --scratch DIR."};
}

/// What became better or worse since another run.
base::Status print_against(const FindingsOptions& options, const app::FindingsReport& report,
                           const app::FindingsReport& before) {
  const app::FindingsChange change = app::compare_findings(before, report);
  if (options.format == "json") {
    nlohmann::ordered_json json = app::findings_json(report);
    json["scaling"] = app::scaling_json(change);
    json["against"] = app::change_json(change);
    return write_result(options.output, json.dump(2) + '\n');
  }
  Table table(options, {{.name = "verdict", .is_text = true},
                        {.name = "kind", .is_text = true},
                        {.name = "ranks", .is_text = true},
                        {.name = "callpath", .is_text = true},
                        {.name = "before_s", .unit = Unit::kSeconds},
                        {.name = "after_s", .unit = Unit::kSeconds}});
  table.caption(app::change_text(change));
  const auto seconds = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.9f}", *value) : "";
  };
  for (const app::FindingChange& row : change.rows) {
    table.row({row.verdict, row.kind, row.ranks, row.call_path, seconds(row.before_s),
               seconds(row.after_s)});
  }
  return table.finish();
}

/// What made each time step as long as it was.
base::Result<int> run_by_step(const FindingsOptions& options) {
  if (!options.against.empty() || !options.expect.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "--by step goes with neither --against nor --expect"};
  }
  auto request = focus_of(options);
  if (!request) return request.error();
  auto opened = open(options, Takes::kSummaries, kJudgedOnly);
  if (!opened) return opened.error();
  const auto found = step_findings_of(options, request.value(), *opened.value());
  if (!found) return found.error();
  const app::StepFindings& steps = found.value().answer;
  if (steps.rows.empty() && !options.quiet) note(kNoSteps);
  Table table(options, {{.name = "step"},
                        {.name = "length_s", .unit = Unit::kSeconds},
                        {.name = "excess_s", .unit = Unit::kSeconds},
                        {.name = "wait_rank_s", .unit = Unit::kSeconds},
                        {.name = "waits", .is_text = true, .readers = Column::Readers::kPrograms},
                        {.name = "rank", .is_text = true},
                        {.name = "callpath", .is_text = true, .least = 16},
                        {.name = "cause_s", .unit = Unit::kSeconds}});
  if (!steps.rows.empty()) {
    table.caption(
        fmt::format("the median step lasts {}; waits of all ranks; cause: how much more of "
                    "that work is on the critical path than a rank has in the mean",
                    base::human_seconds(steps.median_s)));
  }
  const auto seconds = [](double value) { return fmt::format("{:.9f}", value); };
  for (const app::StepFinding& row : steps.rows) {
    table.row({fmt::format("{}", row.step), seconds(row.length_s), seconds(row.excess_s),
               seconds(row.wait_rank_s), row.waits, row.rank, row.call_path, seconds(row.cause_s)});
  }
  if (found.value().kept) table.add_summary_to_json();
  add_focus_to_json(request.value(), table);
  const base::Status status = table.finish();
  if (!status) return status.error();
  return kDone;
}

base::Result<int> run_findings(const FindingsOptions& options) {
  if (options.by == "step") return run_by_step(options);
  if (!options.against.empty()) {  // Nobody wants to wait for the one to hear this of the other.
    if (const auto there = input::archive_of(options.against); !there) return there.error();
  }
  auto found = report_of(options, options.input);
  if (!found) return found.error();
  app::FindingsReport& report = found.value().report;
  base::Status status;
  if (!options.against.empty()) {
    if (status = check_comparable(options.input, found.value()); !status) return status.error();
    auto before = report_of(options, options.against);
    if (!before) return before.error();
    status = check_comparable(options.against, before.value());
    if (!status) return status.error();
    app::add_counter_findings(before.value().report, options.min_percent, report);
    status = print_against(options, report, before.value().report);
  } else if (options.format == "json") {
    auto json = app::findings_json(report);
    if (found.value().of_summary) add_summary_to(json);
    status = write_result(options.output, json.dump(2) + '\n');
  } else if (is_for_people(options)) {
    status = write_result(options.output, for_people(report));
  } else {
    status = rows_table(options, report).finish();
    if (!options.quiet) {
      for (const std::string& warning : report.warnings) note(warning);
    }
  }
  if (!status) return status.error();
  if (options.expect != "none") return kDone;
  if (!app::expects_none(report)) return kAnswerIsNo;
  if (!found.value().of_all) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("--expect none: nothing was found from {:.6f} s to {:.6f} s, and the rest was "
                    "not judged: the run is too large for the memory there is",
                    report.begin_s, report.end_s),
        "name a part with --focus FROM:UNTIL, or judge all of it on a disk with --scratch DIR"};
  }
  return kDone;
}

}  // namespace

void add_findings_command(Command& program, Action& action) {
  auto options = std::make_shared<FindingsOptions>();
  Command command =
      program.command("findings", "What is wrong, whose fault it is, how many seconds, what to do");
  add_input(command, *options);
  add_output(command, *options);
  add_format(command, *options);
  add_focus(command, *options);
  command.option("--min", options->min_percent, "Percent of the time that a finding gains at least")
      .range(0.0, 100.0)
      .show_default();
  command
      .option("--by", options->by,
              "run: what is wrong with all of it; step: what made each time step as long as it was")
      .one_of({"run", "step"})
      .show_default();
  command.option("--against", options->against,
                 "Another run, as before a change: what became better or worse");
  command
      .option("--expect", options->expect,
              "none: exit status 1 if there is a finding of high or medium confidence")
      .one_of({"none"});
  command.footer(
      "A finding names who makes others wait, where in the program, and how much shorter the run "
      "would be without: the seconds come from a replay of the run with the cause taken out. They "
      "do "
      "not add up; those 'after those above' do. Confidence falls where the order of messages was "
      "left to chance, where ranks share cores, and for interference of less than 10 %.\n"
      "Examples:\n  pathline findings run\n  pathline findings run --focus run --min 1 --format "
      "json\n"
      "  pathline findings run --by step\n"
      "  pathline findings run --expect none");
  command.on_chosen([options, &action] { action = [options] { return run_findings(*options); }; });
}

}  // namespace pathline::cli
