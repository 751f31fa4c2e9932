// SPDX-License-Identifier: BSD-3-Clause
#include "cli/campaign_output.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "campaign/folder.hpp"
#include "campaign/value.hpp"
#include "cli/ci_output.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

constexpr size_t kShownRuns = 20;
constexpr uint32_t kShownFailures = 10;

/// Four digits: what repetitions of a measurement are worth.
std::string short_number(double value) { return fmt::format("{:.4g}", value); }

/// A number as JSON has it: "+4" and ".5" are none there.
std::string json_number(const std::string& text) {
  if (text.empty() || nlohmann::json::accept(text)) return text;
  const auto value = campaign::number_of(text);
  return value ? fmt::format("{}", *value) : "";
}

std::string first_line(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string::npos) return "";
  const size_t end = text.find('\n', begin);
  const bool more = end != std::string::npos && text.find_first_not_of(" \t\n", end) != end &&
                    text.find_first_not_of(" \t\n", end) != std::string::npos;
  return base::printable(text.substr(begin, end - begin)) + (more ? " ..." : "");
}

std::string values_text(const std::vector<double>& ascending) {
  const size_t half = ascending.size() / 2;
  const double median =
      ascending.size() % 2 == 1 ? ascending[half] : (ascending[half - 1] + ascending[half]) / 2;
  std::string text = short_number(median);
  const std::string least = short_number(ascending.front());
  const std::string most = short_number(ascending.back());
  if (least != most) text += fmt::format(" ({}-{})", least, most);
  return text;
}

std::string parameters_text(const campaign::Comparison& row) {
  std::vector<std::string> words;
  for (const auto& [name, value] : row.parameters) words.push_back(name + "=" + value);
  return fmt::format("{}", fmt::join(words, " "));
}

std::string change_text(const campaign::Comparison& row) {
  return row.verdict == campaign::Verdict::kSame ? "0 %"
                                                 : fmt::format("{:+.1f} %", 100 * row.change);
}

std::string markdown(const std::string& before, const std::string& after,
                     const campaign::ComparisonReport& report) {
  std::string text = fmt::format("| value | at | {} | {} | change | verdict |\n",
                                 markdown_cell(before), markdown_cell(after));
  text += "|:--|:--|--:|--:|--:|:--|\n";
  for (const campaign::Comparison& row : report.rows) {
    const std::string word = row.is_worse() ? fmt::format("**{}**", row.word) : row.word;
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", markdown_cell(row.column),
                        markdown_cell(parameters_text(row)), values_text(row.before),
                        values_text(row.after), change_text(row), word);
  }
  return text;
}

/// A test case for each row; those that got worse have failed.
std::string junit(const std::string& before, const std::string& after,
                  const campaign::ComparisonReport& report) {
  std::vector<TestCase> cases;
  for (const campaign::Comparison& row : report.rows) {
    cases.push_back({.group = row.column,
                     .name = row.parameters.empty() ? row.column : parameters_text(row),
                     .facts = fmt::format("{} -> {}, {}: {}", values_text(row.before),
                                          values_text(row.after), change_text(row), row.word),
                     .failed = row.is_worse()});
  }
  return junit_text(fmt::format("{} against {}", after, before), cases);
}

}  // namespace

base::Status print_plan(const CommonOptions& options, const app::PlannedStudy& planned) {
  const campaign::Study& study = planned.study;
  const campaign::Plan& plan = planned.plan;
  Table table(options,
              {{"step", true}, {"parameters", true, 16}, {"cores"}, {"command", true, 24}});
  if (table.is_for_people()) {
    std::vector<std::string> steps;
    for (const campaign::Step& step : study.steps) {
      const auto count = std::count_if(
          plan.packages.begin(), plan.packages.end(),
          [&](const campaign::Package& package) { return &study.steps[package.step] == &step; });
      steps.push_back(fmt::format("{} x {}", base::human_count(static_cast<uint64_t>(count)),
                                  base::printable(step.name)));
    }
    table.caption(fmt::format("{}: {}, {} ({})", base::printable(study.name),
                              base::counted(plan.packages.size(), "run", "runs"),
                              base::counted(plan.points.size(), "combination of parameters",
                                            "combinations of parameters"),
                              fmt::join(steps, ", ")));
  }
  const size_t shown =
      table.is_for_people() ? std::min(plan.packages.size(), kShownRuns) : plan.packages.size();
  for (size_t i = 0; i < shown; ++i) {
    const campaign::Package& package = plan.packages[i];
    const campaign::Step& step = study.steps[package.step];
    const auto cores = campaign::cores_of(study, plan, package);
    if (!cores) return cores.error();
    const std::string command = campaign::filled_in(step.command, plan, package.point);
    table.row(
        {base::printable(step.name),
         base::printable(package.key.substr(std::min(step.name.size() + 1, package.key.size()))),
         std::to_string(cores.value()),
         table.is_for_people() ? first_line(command) : base::printable(command)});
  }
  if (shown < plan.packages.size()) {
    table.footnote(fmt::format("... and {} more: --format csv lists all",
                               base::human_count(plan.packages.size() - shown)));
  }
  return table.finish();
}

base::Status print_status(const CommonOptions& options, campaign::State& state) {
  auto counts = state.counts();
  if (!counts) return counts.error();
  Table table(options, {{"step", true},
                        {"runs"},
                        {"done"},
                        {"failed"},
                        {"blocked"},
                        {"running"},
                        {"left"},
                        {.name = "mean_s", .unit = Unit::kSeconds}});
  uint64_t runs = 0;
  uint64_t done = 0;
  for (const campaign::StepCounts& step : counts.value()) {
    const uint64_t all = step.planned + step.running + step.done + step.failed + step.blocked;
    runs += all;
    done += step.done;
    const double mean = step.done > 0 ? step.seconds / static_cast<double>(step.done) : 0;
    table.row({base::printable(step.step), std::to_string(all), std::to_string(step.done),
               std::to_string(step.failed), std::to_string(step.blocked),
               std::to_string(step.running), std::to_string(step.planned),
               step.done > 0 ? fmt::format("{:.3g}", mean) : ""});
  }
  auto failures = state.failures(kShownFailures);
  if (!failures) return failures.error();
  if (table.is_for_people()) {
    table.caption(fmt::format("{}: {} of {} done", state.folder().string(), base::human_count(done),
                              base::counted(runs, "run", "runs")));
    for (const campaign::Run& run : failures.value()) {
      table.footnote(base::printable(run.folder) + " failed: " + base::printable(run.reason) +
                     campaign::last_words(state.folder() / run.folder));
    }
  }
  nlohmann::ordered_json failed = nlohmann::ordered_json::array();
  for (const campaign::Run& run : failures.value()) {
    failed.push_back({{"run", base::printable(run.key)},
                      {"folder", base::printable(run.folder)},
                      {"reason", base::printable(run.reason)}});
  }
  table.add_to_json("folder", nlohmann::json(base::printable(state.folder().string())).dump());
  table.add_to_json("failures", failed.dump());
  return table.finish();
}

base::Status print_result(const CommonOptions& options, const campaign::ResultTable& table) {
  const bool people = is_for_people(options);
  const campaign::ResultTable shown =
      people ? campaign::over_repetitions(table, short_number) : table;
  std::vector<size_t> kept;
  std::vector<std::string> constant;
  for (size_t c = 0; c < shown.columns.size(); ++c) {
    const campaign::ResultColumn& column = shown.columns[c];
    if (people && !column.varies && !shown.rows.empty()) {
      constant.push_back(
          base::printable(fmt::format("{} = {}", column.title, shown.rows[0].cells[c])));
    } else {
      kept.push_back(c);
    }
  }
  std::vector<Column> columns;
  std::vector<std::string> names;
  names.reserve(kept.size());
  for (const size_t c : kept) {
    names.push_back(base::printable(shown.columns[c].title));
    columns.push_back({names.back(), !shown.columns[c].is_number});
  }
  Table output(options, columns);
  if (people && !constant.empty()) output.caption(fmt::format("{}", fmt::join(constant, ", ")));
  for (const campaign::ResultRow& row : shown.rows) {
    std::vector<std::string> cells;
    for (const size_t c : kept) {
      cells.push_back(options.format == "json" && shown.columns[c].is_number
                          ? json_number(row.cells[c])
                          : base::printable(row.cells[c]));
    }
    output.row(cells);
  }
  return output.finish();
}

base::Status print_comparison(const CommonOptions& options, const std::string& before,
                              const std::string& after, const campaign::ComparisonReport& report) {
  if (options.format == "markdown") {
    return write_result(options.output, markdown(before, after, report));
  }
  if (options.format == "junit") return write_result(options.output, junit(before, after, report));
  const bool people = is_for_people(options);
  if (people) {
    Table table(
        options,
        {{"value", true}, {"at", true, 12}, {"before"}, {"after"}, {"change"}, {"verdict", true}});
    for (const campaign::Comparison& row : report.rows) {
      table.row({base::printable(row.column), base::printable(parameters_text(row)),
                 values_text(row.before), values_text(row.after), change_text(row), row.word});
    }
    return table.finish();
  }
  Table table(options, {{"column", true},
                        {"parameters", true},
                        {"before"},
                        {"before_min"},
                        {"before_max"},
                        {"after"},
                        {"after_min"},
                        {"after_max"},
                        {"change"},
                        {"p"},
                        {"verdict", true}});
  const auto median = [](const std::vector<double>& values) {
    const size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  };
  for (const campaign::Comparison& row : report.rows) {
    table.row({base::printable(row.column), base::printable(parameters_text(row)),
               fmt::format("{}", median(row.before)), fmt::format("{}", row.before.front()),
               fmt::format("{}", row.before.back()), fmt::format("{}", median(row.after)),
               fmt::format("{}", row.after.front()), fmt::format("{}", row.after.back()),
               fmt::format("{:.6g}", row.change), fmt::format("{:.3g}", row.p), row.word});
  }
  return table.finish();
}

}  // namespace pathline::cli
