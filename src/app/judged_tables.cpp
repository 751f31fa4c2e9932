// SPDX-License-Identifier: BSD-3-Clause
#include "app/judged_tables.hpp"

#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include "app/row_columns.hpp"

namespace pathline::app {
namespace {

/// Of a WaitCause or a CriticalRow.
template <class Row>
std::string path_name(const Row& row) {
  return row.call_path.empty() ? "(outside of calls)" : row.call_path;
}

}  // namespace

DataTable waits_table(const std::vector<PathWaits>& rows) {
  DataTable table{.rows = rows.size()};
  auto& columns = table.columns;
  columns.push_back(texts("kind", rows, [](const auto& row) { return row.kind; }));
  columns.push_back(texts("callpath", rows, [](const auto& row) { return row.call_path; }));
  columns.push_back(numbers("count", rows, [](const auto& row) { return row.count; }));
  columns.push_back(numbers("wait_s", rows, [](const auto& row) { return row.wait_s; }));
  return table;
}

DataTable waits_table(const std::vector<WaitCause>& rows) {
  DataTable table{.rows = rows.size()};
  auto& columns = table.columns;
  columns.push_back(texts("kind", rows, [](const auto& row) { return row.kind; }));
  columns.push_back(numbers("rank", rows, [](const auto& row) { return row.rank; }));
  columns.push_back(texts("callpath", rows, [](const auto& row) { return path_name(row); }));
  columns.push_back(numbers("waiting_rank_s", rows, [](const auto& row) {
    return row.short_term_rank_s + row.long_term_rank_s;
  }));
  columns.push_back(
      numbers("short_term_rank_s", rows, [](const auto& row) { return row.short_term_rank_s; }));
  columns.push_back(
      numbers("long_term_rank_s", rows, [](const auto& row) { return row.long_term_rank_s; }));
  return table;
}

DataTable findings_table(const FindingsReport& report) {
  const auto& rows = report.findings;
  DataTable table{.rows = rows.size()};
  const auto text = [&](std::string name, std::string FindingRow::*field) {
    table.columns.push_back(
        texts(std::move(name), rows, [&](const auto& row) { return row.*field; }));
  };
  const auto number = [&](std::string name, double FindingRow::*field) {
    table.columns.push_back(
        numbers(std::move(name), rows, [&](const auto& row) { return row.*field; }));
  };
  text("kind", &FindingRow::kind);
  text("confidence", &FindingRow::confidence);
  number("recoverable_s", &FindingRow::recoverable_s);
  number("recoverable_pct", &FindingRow::recoverable_pct);
  table.columns.push_back(
      optionals<double>("after_above_s", rows, [](const auto& row) { return row.after_above_s; }));
  number("cost_rank_s", &FindingRow::cost_rank_s);
  text("ranks", &FindingRow::ranks);
  text("callpath", &FindingRow::call_path);
  text("steps", &FindingRow::steps);
  number("from_s", &FindingRow::from_s);
  number("until_s", &FindingRow::until_s);
  text("text", &FindingRow::text);
  text("advice", &FindingRow::advice);
  text("place", &FindingRow::place);
  return table;
}

DataTable findings_table(const StepFindings& steps) {
  const auto& rows = steps.rows;
  DataTable table{.rows = rows.size()};
  auto& columns = table.columns;
  columns.push_back(numbers("step", rows, [](const auto& row) { return row.step; }));
  columns.push_back(numbers("length_s", rows, [](const auto& row) { return row.length_s; }));
  columns.push_back(numbers("excess_s", rows, [](const auto& row) { return row.excess_s; }));
  columns.push_back(numbers("wait_rank_s", rows, [](const auto& row) { return row.wait_rank_s; }));
  columns.push_back(texts("waits", rows, [](const auto& row) { return row.waits; }));
  columns.push_back(optionals<uint64_t>("rank", rows, [](const auto& row) {
    return row.rank.empty() ? std::nullopt : std::optional<uint64_t>(std::stoul(row.rank));
  }));
  columns.push_back(texts("callpath", rows, [](const auto& row) { return row.call_path; }));
  columns.push_back(numbers("cause_s", rows, [](const auto& row) { return row.cause_s; }));
  return table;
}

base::Result<std::optional<EfficiencyBy>> efficiency_by(std::string_view by) {
  using By = std::optional<EfficiencyBy>;
  if (by == "run") return By();
  if (by == "region") return By(EfficiencyBy::kRegion);
  if (by == "host") return By(EfficiencyBy::kHost);
  if (by == "step") return By(EfficiencyBy::kStep);
  return no_such_by(by, "run, region, host, step");
}

DataTable efficiency_table(const EfficiencyReport& report) {
  // Of the tree as of its CSV.
  DataTable table{.rows = 1};
  const auto json = efficiency_json(report.whole, report.ticks_per_second);
  for (const auto& [name, value] : json.items()) {
    table.columns.push_back(
        value.is_number_integer()
            ? own_column(name, std::vector{value.get<uint64_t>()})
            : own_column(name,
                         std::vector{value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                                     : value.get<double>()}));
  }
  return table;
}

DataTable efficiency_table(const EfficiencyReport& report, EfficiencyBy by) {
  const auto& rows = report.rows;
  DataTable table{.rows = rows.size()};
  auto& columns = table.columns;
  if (by == EfficiencyBy::kStep) {
    columns.push_back(numbers(
        "step", rows, [](const auto& row) { return static_cast<uint32_t>(std::stoul(row.name)); }));
  } else {
    columns.push_back(texts(by == EfficiencyBy::kRegion ? "callpath" : "host", rows,
                            [](const auto& row) { return row.name; }));
  }
  columns.push_back(numbers("useful_mean_s", rows, [](const auto& row) { return row.mean_s; }));
  columns.push_back(numbers("useful_max_s", rows, [](const auto& row) { return row.max_s; }));
  columns.push_back(numbers("max_rank", rows, [](const auto& row) { return row.max_rank; }));
  columns.push_back(
      numbers("load_balance", rows, [](const auto& row) { return row.load_balance; }));
  if (by != EfficiencyBy::kStep) return table;
  columns.push_back(
      optionals<double>("communication", rows, [](const auto& row) { return row.communication; }));
  columns.push_back(
      optionals<double>("length_s", rows, [](const auto& row) { return row.length_s; }));
  return table;
}

DataTable critical_table(const CriticalReport& report) {
  const auto& rows = report.rows;
  DataTable table{.rows = rows.size()};
  auto& columns = table.columns;
  columns.push_back(texts("callpath", rows, [](const auto& row) { return path_name(row); }));
  columns.push_back(numbers("rank", rows, [](const auto& row) { return row.rank; }));
  columns.push_back(numbers("on_path_s", rows, [](const auto& row) { return row.on_path_s; }));
  columns.push_back(numbers("imbalance_s", rows, [](const auto& row) { return row.imbalance_s; }));
  return table;
}

}  // namespace pathline::app
