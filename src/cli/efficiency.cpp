// SPDX-License-Identifier: BSD-3-Clause
#include "app/efficiency.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/findings_options.hpp"
#include "cli/judged_answer.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

struct EfficiencyOptions : FocusOptions {
  std::string by = "run";
};

std::string factor(double value) { return fmt::format("{:.6f}", value); }

/// The tree as lines, a factor indented below what it is a factor of.
std::string tree_text(const app::EfficiencyReport& report) {
  const findings::Efficiency& e = report.whole;
  std::string text = fmt::format(
      "{} from {:.6f} s to {:.6f} s; on an ideal network it would be {}\n",
      base::human_seconds(report.end_s - report.begin_s), report.begin_s, report.end_s,
      base::human_seconds(static_cast<double>(e.ideal_ticks) / report.ticks_per_second));
  for (const app::EfficiencyFactor& factor : app::efficiency_factors(e)) {
    const std::string indented = std::string(size_t{2} * factor.depth, ' ') + factor.name;
    text += fmt::format("{:<24} {:>6.1f} %  {}\n", indented, 100 * factor.value, factor.what);
  }
  if (e.parallel_high > e.parallel + 0.005) {
    text += fmt::format("up to {:.1f} % if what was done between polls was all useful\n",
                        100 * e.parallel_high);
  }
  return text;
}

Table tree_table(const EfficiencyOptions& options, const app::EfficiencyReport& report) {
  const auto json = app::efficiency_json(report.whole, report.ticks_per_second);
  std::vector<Column> columns;
  static std::vector<std::string> names;
  names.clear();
  for (const auto& [key, value] : json.items()) names.push_back(key);
  columns.reserve(names.size());
  for (const std::string& name : names) columns.push_back({.name = name});
  Table table(options, columns);
  std::vector<std::string> cells;
  for (const auto& [key, value] : json.items()) {
    cells.push_back(value.is_null()             ? ""
                    : value.is_number_integer() ? value.dump()
                                                : fmt::format("{:.9f}", value.get<double>()));
  }
  table.row(cells);
  return table;
}

Table rows_table(const EfficiencyOptions& options) {
  const bool by_step = options.by == "step";
  const bool by_region = options.by == "region";
  std::vector<Column> columns = {
      {.name = by_region ? std::string_view("callpath") : std::string_view(options.by),
       .is_text = !by_step,
       .least = 16},
      {.name = "useful_mean_s", .unit = Unit::kSeconds},
      {.name = "useful_max_s", .unit = Unit::kSeconds},
      {.name = "max_rank"},
      {.name = "load_balance", .unit = Unit::kShare}};
  if (by_step) {
    columns.push_back({.name = "communication", .unit = Unit::kShare});
    columns.push_back({.name = "length_s", .unit = Unit::kSeconds});
  }
  return {options, columns};
}

void add_rows(const EfficiencyOptions& options, const app::EfficiencyReport& report, Table& table) {
  const bool by_step = options.by == "step";
  const auto seconds = [](double value) { return fmt::format("{:.9f}", value); };
  for (const app::EfficiencyRow& row : report.rows) {
    std::vector<std::string> cells = {row.name, seconds(row.mean_s), seconds(row.max_s),
                                      fmt::format("{}", row.max_rank), factor(row.load_balance)};
    if (by_step) {
      cells.push_back(row.communication        ? factor(*row.communication)
                      : is_for_people(options) ? "-"
                                               : "");
      cells.push_back(row.length_s ? seconds(*row.length_s) : "");
    }
    table.row(cells);
  }
}

base::Result<int> run_efficiency(const EfficiencyOptions& options) {
  auto request = focus_of(options);
  if (!request) return request.error();
  std::optional<app::EfficiencyBy> by;
  if (options.by == "region") by = app::EfficiencyBy::kRegion;
  if (options.by == "host") by = app::EfficiencyBy::kHost;
  if (options.by == "step") by = app::EfficiencyBy::kStep;
  if (by) {
    if (auto status = rows_table(options).check_sort(); !status) return status.error();
  }
  auto opened = open(options, Takes::kSummaries, kJudgedOnly);
  if (!opened) return opened.error();
  const auto found = efficiency_of(options, request.value(), by, *opened.value());
  if (!found) return found.error();
  const app::EfficiencyReport& report = found.value().answer;
  base::Status status;
  if (by) {
    if (report.rows.empty() && !options.quiet) note(kNoSteps);
    Table table = rows_table(options);
    add_rows(options, report, table);
    if (found.value().kept) table.add_summary_to_json();
    add_focus_to_json(request.value(), table);
    status = table.finish();
  } else if (options.format == "json") {
    auto json = app::efficiency_json(report.whole, report.ticks_per_second);
    if (found.value().kept) add_summary_to(json);
    if (request.value().focus == findings::Focus::kTime) {
      json["from_s"] = request.value().from_s;
      json["until_s"] = request.value().until_s;
    }
    status = write_result(options.output, json.dump(2) + '\n');
  } else if (is_for_people(options)) {
    status = write_result(options.output, tree_text(report));
  } else {
    status = tree_table(options, report).finish();
  }
  if (!status) return status.error();
  return kDone;
}

base::Result<int> run_critical(const FocusOptions& options) {
  auto request = focus_of(options);
  if (!request) return request.error();
  Table table(
      options,
      {{.name = "callpath", .is_text = true, .least = 16},
       {.name = "rank"},
       {.name = "on_path_s", .unit = Unit::kSeconds},
       {.name = "share", .unit = Unit::kShare, .spare = 1, .readers = Column::Readers::kPeople},
       {.name = "imbalance_s", .unit = Unit::kSeconds}});
  if (auto status = table.check_sort(); !status) return status.error();
  auto opened = open(options, Takes::kSummaries, kJudgedOnly);
  if (!opened) return opened.error();
  const auto found = critical_path_of(options, request.value(), *opened.value());
  if (!found) return found.error();
  const app::CriticalReport& report = found.value().answer;
  const double length = report.end_s - report.begin_s;
  for (const app::CriticalRow& row : report.rows) {
    table.row({row.call_path.empty() ? "(outside of calls)" : row.call_path,
               fmt::format("{}", row.rank), fmt::format("{:.9f}", row.on_path_s),
               length > 0 ? fmt::format("{:.6f}", row.on_path_s / length) : "",
               fmt::format("{:.9f}", row.imbalance_s)});
  }
  table.footnote(fmt::format("{} from {:.6f} s on, in {}; rank: the one that has most of it",
                             base::human_seconds(length), report.begin_s,
                             base::counted(report.segments, "stretch", "stretches")));
  if (found.value().kept) table.add_summary_to_json();
  add_focus_to_json(request.value(), table);
  if (auto status = table.finish(); !status) return status.error();
  return kDone;
}

}  // namespace

void add_efficiency_command(Command& program, Action& action) {
  auto options = std::make_shared<EfficiencyOptions>();
  Command command =
      program.command("efficiency", "How well ranks are used, and what takes the rest (POP)");
  add_input(command, *options);
  add_output(command, *options);
  add_format(command, *options);
  add_rows(command, *options);
  add_focus(command, *options);
  command
      .option("--by", options->by, "run: the tree of factors; or a line per step, region or host")
      .one_of({"run", "step", "region", "host"})
      .show_default();
  command.footer(
      "Factors are those of the POP project: parallel = load balance x communication, "
      "communication = "
      "serialisation x transfer, where transfer is what a replay on an ideal network gains. "
      "Serialisation is divided further: migration is load that is even over the run and uneven in "
      "each step. A step lasts from the end of the one before, of all ranks, to its own; its "
      "communication is known where it begins and ends with all ranks in one operation.\n"
      "Examples:\n  pathline efficiency run\n  pathline efficiency run --by step --sort "
      "load_balance "
      "--top 5");
  command.on_chosen(
      [options, &action] { action = [options] { return run_efficiency(*options); }; });
}

void add_critical_command(Command& program, Action& action) {
  auto options = std::make_shared<FocusOptions>();
  Command command =
      program.command("critical", "The critical path: what the length of the run is made of");
  add_input(command, *options);
  add_output(command, *options);
  add_format(command, *options);
  add_rows(command, *options);
  add_focus(command, *options);
  command.footer(
      "From the end back to the last wait, from there to whoever was waited for, and on: time on "
      "this "
      "path makes the run longer, other time does not. imbalance_s is what a call path has there "
      "beyond "
      "the mean of all ranks, so what balance would gain at most.\n"
      "Examples:\n  pathline critical run --top 10\n  pathline critical run --focus 0.5:1.5");
  command.on_chosen([options, &action] { action = [options] { return run_critical(*options); }; });
}

}  // namespace pathline::cli
