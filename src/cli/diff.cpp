// SPDX-License-Identifier: BSD-3-Clause
#include "app/diff.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "app/diff_runs.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "cli/ci_output.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

struct DiffCommandOptions : CommonOptions {
  std::vector<std::string> runs;
  std::string min;
  std::string fail_if = "any";
};

struct Sides {
  std::vector<std::string> a;
  std::vector<std::string> b;
};

/// Of "A B", "A1 A2 <kOtherSide> B1 B2" or two campaigns.
base::Result<Sides> sides_of(const std::vector<std::string>& runs) {
  Sides sides;
  const auto mark = std::find(runs.begin(), runs.end(), kOtherSide);
  if (mark != runs.end()) {
    sides = {{runs.begin(), mark}, {mark + 1, runs.end()}};
  } else if (runs.size() == 2) {
    sides = {{runs[0]}, {runs[1]}};
  }
  if (sides.a.empty() || sides.b.empty()) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("diff compares two sides, found {}", base::counted(runs.size(), "run", "runs")),
        "As in: pathline diff A B, or pathline diff A1 A2 A3 -- B1 B2 B3"};
  }
  for (std::vector<std::string>* side : {&sides.a, &sides.b}) {
    auto expanded = app::runs_of_campaigns(*side);
    if (!expanded) return expanded.error();
    *side = std::move(expanded).value();
  }
  return sides;
}

base::Result<std::vector<app::RunNumbers>> read(const DiffCommandOptions& options,
                                                const std::vector<std::string>& runs) {
  std::vector<app::RunNumbers> numbers;
  for (const std::string& run : runs) {
    CommonOptions one = options;
    one.input = run;
    auto opened = open(one, Takes::kSummaries, {.bytes = false, .steps = false, .judged = false});
    if (!opened) return opened.error();
    Opened& of = *opened.value();
    numbers.push_back(of.summary ? app::run_numbers(*of.summary, of.trace, of.selection)
                                 : app::run_numbers(of.trace, of.selection, of.pool));
  }
  return numbers;
}

Unit unit_of(const app::Difference& row) {
  if (row.metric.ends_with("_s")) return Unit::kSeconds;
  if (row.metric == "bytes") return Unit::kBytes;
  return row.metric == "imbalance" ? Unit::kFactor : Unit::kCount;
}

/// As people read a value of the row.
std::string written(const app::Difference& row, double value) {
  const Column column{.name = row.metric, .unit = unit_of(row)};
  return for_people(column, fmt::format("{:.9f}", value));
}

double middle(const std::vector<double>& values) { return values[(values.size() - 1) / 2]; }

std::string percent_text(const app::Difference& row) {
  if (std::isinf(row.percent)) return "new";
  return fmt::format("{:+.{}f} %", row.percent, std::abs(row.percent) < 100 ? 1 : 0);
}

std::string change_text(const app::Difference& row) {
  const std::string size = written(row, std::abs(row.difference));
  return row.difference == 0 ? size : (row.difference > 0 ? "+" : "-") + size;
}

/// What a row is about.
std::string name_text(const app::Difference& row) {
  if (row.kind == "run") return row.name;
  if (row.kind == "wait") return "waiting: " + row.name;
  if (row.kind == "traffic") return row.metric == "bytes" ? "bytes sent" : "messages";
  if (row.kind == "pair") return row.name + ", " + row.metric;
  if (row.metric == "exclusive_s") return row.name;
  if (row.metric == "exclusive_max_s") return row.name + ", slowest rank";
  return row.name + ", " + row.metric;
}

/// "3.07 s -> 1.47 s, -1.60 s (-52.1 %)".
std::string headline(const app::DiffReport& report) {
  if (report.wall_a_s <= 0) return "";
  const double change = report.wall_b_s - report.wall_a_s;
  return fmt::format("wall time {} → {}, {}{} ({:+.1f} %)", base::human_seconds(report.wall_a_s),
                     base::human_seconds(report.wall_b_s), change > 0 ? "+" : "",
                     base::human_seconds(change), 100 * change / report.wall_a_s);
}

/// Rows that people should see: what was judged, and times that are a two-hundredth of the run.
bool is_worth_a_line(const app::Difference& row, const app::DiffReport& report) {
  if (row.kind == "run" && row.name == "wall time") return false;  // In the heading.
  if (!row.verdict.empty() && row.verdict != "same") return row.kind != "pair" || row.counts;
  const bool is_sum = row.metric == "exclusive_s" || row.metric == "wait_s";
  return is_sum && std::abs(row.difference) >= 0.005 * std::max(report.wall_a_s, report.wall_b_s);
}

std::string range_text(const app::Difference& row, const std::vector<double>& values) {
  if (values.size() < 2) return "";
  return written(row, values.front()) + " .. " + written(row, values.back());
}

base::Status print_for_people(const DiffCommandOptions& options, const app::DiffReport& report,
                              bool several) {
  std::vector<Column> columns = {{.name = "what", .is_text = true, .least = 20},
                                 {.name = "before"},
                                 {.name = "after"},
                                 {.name = "change"},
                                 {.name = "percent"},
                                 {.name = "verdict", .is_text = true, .least = 11}};
  if (several) {
    columns.push_back({.name = "before_from_to", .is_text = true, .least = 20, .spare = 2});
    columns.push_back({.name = "after_from_to", .is_text = true, .least = 20, .spare = 1});
  }
  Table table(options, columns);
  if (const std::string text = headline(report); !text.empty()) table.caption(text);
  if (!report.renamed.empty()) {
    table.caption("compared as the same region: " + report.renamed);
  }
  size_t left = 0;
  for (const app::Difference& row : report.rows) {
    if (!is_worth_a_line(row, report)) {
      ++left;
      continue;
    }
    std::vector<std::string> cells = {name_text(row),
                                      row.a.empty() ? "" : written(row, middle(row.of_a)),
                                      row.b.empty() ? "" : written(row, middle(row.of_b)),
                                      change_text(row),
                                      percent_text(row),
                                      row.verdict};
    if (several) {
      cells.push_back(range_text(row, row.of_a));
      cells.push_back(range_text(row, row.of_b));
    }
    table.row(cells);
  }
  if (report.rows.empty()) table.footnote("nothing differs");
  if (left > 0) {
    table.footnote(fmt::format("{} more that {} less: --format csv",
                               base::counted(left, "number differs", "numbers differ"),
                               left == 1 ? "matters" : "matter"));
  }
  return table.finish();
}

base::Status print_for_programs(const DiffCommandOptions& options, const app::DiffReport& report) {
  Table table(options, {{"kind", true},
                        {"name", true},
                        {"metric", true},
                        {"a"},
                        {"b"},
                        {"difference"},
                        {"percent"},
                        {"a_min"},
                        {"a_max"},
                        {"b_min"},
                        {"b_max"},
                        {"verdict", true}});
  for (const app::Difference& row : report.rows) {
    const auto number = [&](double value) {
      return row.metric.ends_with("_s") ? fmt::format("{:.9f}", value)
                                        : fmt::format("{:.10g}", value);
    };
    table.row({row.kind, row.name, row.metric, row.a, row.b, number(row.difference),
               std::isinf(row.percent) ? "" : fmt::format("{:.4f}", row.percent),
               number(row.of_a.front()), number(row.of_a.back()), number(row.of_b.front()),
               number(row.of_b.back()), row.verdict});
  }
  return table.finish();
}

bool is_worse(const app::Difference& row) { return row.counts && row.difference > 0; }

std::string facts_text(const app::Difference& row) {
  return fmt::format("{} -> {}, {} ({}): {}", written(row, middle(row.of_a)),
                     written(row, middle(row.of_b)), change_text(row), percent_text(row),
                     row.verdict.empty() ? "not judged" : row.verdict);
}

std::string markdown(const app::DiffReport& report) {
  std::string text = headline(report);
  if (!text.empty()) text += "\n\n";
  text += "| what | before | after | change | percent | verdict |\n|:--|--:|--:|--:|--:|:--|\n";
  for (const app::Difference& row : report.rows) {
    if (!is_worth_a_line(row, report)) continue;
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", markdown_cell(name_text(row)),
                        written(row, middle(row.of_a)), written(row, middle(row.of_b)),
                        change_text(row), percent_text(row),
                        is_worse(row) ? "**" + row.verdict + "**" : row.verdict);
  }
  return text;
}

/// A test case for each number that was judged.
std::string junit(const app::DiffReport& report, const DiffCommandOptions& options) {
  std::vector<TestCase> cases;
  for (const app::Difference& row : report.rows) {
    if (row.verdict.empty()) continue;
    cases.push_back({.group = row.kind,
                     .name = name_text(row),
                     .facts = facts_text(row),
                     .failed = options.fail_if == "slower" ? is_worse(row) : row.counts});
  }
  return junit_text("pathline diff", cases);
}

base::Result<int> run_diff(const DiffCommandOptions& options) {
  app::DiffOptions how;
  if (!options.min.empty()) {
    const auto percent = base::percent_in(options.min);
    if (!percent || *percent < 0 || *percent > 1e6) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         fmt::format("--min is '{}', expected a percentage like 5%", options.min)};
    }
    how.min_change = *percent / 100;
  }
  if ((options.format == "markdown" || options.format == "junit") &&
      (!options.sort.empty() || options.top > 0)) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("--sort and --top are for tables: they do nothing to {}", options.format)};
  }
  const auto sides = sides_of(options.runs);
  if (!sides) return sides.error();
  const auto a = read(options, sides.value().a);
  if (!a) return a.error();
  const auto b = read(options, sides.value().b);
  if (!b) return b.error();
  const app::DiffReport report = app::diff(a.value(), b.value(), how);
  base::Status status;
  if (options.format == "markdown") {
    status = write_result(options.output, markdown(report));
  } else if (options.format == "junit") {
    status = write_result(options.output, junit(report, options));
  } else if (is_for_people(options)) {
    status = print_for_people(options, report, a.value().size() + b.value().size() > 2);
  } else {
    status = print_for_programs(options, report);
  }
  if (!status) return status.error();
  const bool differs = std::any_of(report.rows.begin(), report.rows.end(), [&](const auto& row) {
    return options.fail_if == "slower" ? is_worse(row) : row.counts;
  });
  return differs ? kAnswerIsNo : kDone;
}

}  // namespace

void add_diff_command(Command& program, Action& action) {
  auto options = std::make_shared<DiffCommandOptions>();
  Command command = program.command("diff", "What became slower, faster, more or less");
  command
      .option("RUNS", options->runs,
              "Two runs, or several a side: A1 A2 A3 -- B1 B2 B3; campaigns stand for their runs")
      .required();
  add_input_options(command, *options);
  add_output(command, *options);
  command
      .option("--format", options->format,
              "How to print: table on a terminal and csv elsewhere unless you say")
      .one_of({"table", "csv", "json", "markdown", "junit"});
  add_rows(command, *options);
  add_selection(command, *options);
  command.option("--min", options->min,
                 "The smallest change that counts: 5%. Without it every number of two runs that "
                 "differs does");
  command
      .option("--fail-if", options->fail_if,
              "Exit status 1 where something became slower (or more), or differs at all")
      .one_of({"slower", "any"})
      .show_default();
  command.footer(
      "Exit status 1 when something differs that counts. Wall time first, then regions, waiting, "
      "traffic and pairs, by the size of the change. With --min a time counts when it changed by "
      "that and by half of that of the whole run; start and end of MPI never do, as they take what "
      "the machine takes.\nSeveral runs a side tell a change from chance: slower, faster or cannot "
      "tell. Regions are compared by name: those that share one are added up, and the main regions "
      "of programs with other names are the same one. An empty value: only the other side has it.\n"
      "Examples:\n  pathline diff before after\n"
      "  pathline diff before after --min 5% --fail-if slower --format markdown");
  command.on_chosen([options, &action] { action = [options] { return run_diff(*options); }; });
}

}  // namespace pathline::cli
