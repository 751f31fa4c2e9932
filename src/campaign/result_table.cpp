// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/result_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "campaign/value.hpp"

namespace pathline::campaign {
namespace {

/// format  as printf has it, without '%'; a reader of studies has checked it.
std::string formatted(const std::string& text, const std::string& format) {
  const auto value = format.empty() ? std::nullopt : number_of(text);
  if (!value) return text;
  char line[512];
  const bool is_whole = format.back() == 'd';
  constexpr double kEndOfWhole = 9223372036854775808.0;  // 2^63
  if (is_whole && !(std::abs(*value) < kEndOfWhole)) return text;
  const std::string whole =
      "%" + format.substr(0, format.size() - (is_whole ? 1 : 0)) + (is_whole ? "lld" : "");
  const int size = is_whole ? std::snprintf(line, sizeof line, whole.c_str(),
                                            static_cast<long long>(std::trunc(*value)))
                            : std::snprintf(line, sizeof line, whole.c_str(), *value);
  return size > 0 && static_cast<size_t>(size) < sizeof line ? std::string(line) : text;
}

/// Steps that columns are of, and what makes a row.
class TableMaker {
 public:
  TableMaker(State& state, const Study& study, const Plan& plan, const Extractor& extractor,
             bool may_write, base::ThreadPool& pool)
      : state_(state),
        study_(study),
        plan_(plan),
        extractor_(extractor),
        may_write_(may_write),
        pool_(pool) {}

  base::Result<ResultTable> make() {
    find_steps();
    if (auto status = read_values(); !status) return status.error();
    choose_columns();
    add_rows();
    sort_rows();
    for (size_t c = 0; c < table_.columns.size(); ++c) {
      ResultColumn& column = table_.columns[c];
      const bool any = std::any_of(table_.rows.begin(), table_.rows.end(),
                                   [&](const ResultRow& row) { return !row.cells[c].empty(); });
      column.is_number =
          any && std::all_of(table_.rows.begin(), table_.rows.end(), [&](const ResultRow& row) {
            return row.cells[c].empty() || number_of(row.cells[c]).has_value();
          });
    }
    return std::move(table_);
  }

 private:
  void find_steps() {
    for (uint32_t s = 0; s < study_.steps.size(); ++s) {
      const bool has_columns =
          std::any_of(study_.columns.begin(), study_.columns.end(),
                      [&](const Column& column) { return column.step == study_.steps[s].name; });
      if (has_columns) steps_.push_back(s);
    }
    // Without columns: what became of the last step.
    if (steps_.empty()) steps_.push_back(static_cast<uint32_t>(study_.steps.size() - 1));
    for (const uint32_t s : steps_) {
      repetitions_ = std::max(repetitions_, plan_.repeated[s] ? study_.repetitions : 1);
      used_.insert(used_.end(), plan_.used[s].begin(), plan_.used[s].end());
    }
    std::sort(used_.begin(), used_.end());
    used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
  }

  base::Status read_values() {
    auto runs = state_.runs();
    if (!runs) return runs.error();
    std::unordered_map<std::string_view, const Run*> by_key;
    for (const Run& run : runs.value()) by_key[run.key] = &run;
    run_of_.assign(plan_.packages.size(), nullptr);
    std::unordered_map<int64_t, uint32_t> package_of;
    values_.resize(plan_.packages.size());
    for (uint32_t i = 0; i < plan_.packages.size(); ++i) {
      const auto found = by_key.find(plan_.packages[i].key);
      if (found == by_key.end()) continue;
      run_of_[i] = found->second;
      package_of[found->second->id] = i;
    }
    runs_ = std::move(runs).value();
    auto status = state_.values([&](int64_t run, Value value) {
      const auto package = package_of.find(run);
      if (package != package_of.end()) values_[package->second].push_back(std::move(value));
    });
    if (!status) return status;
    return read_what_is_new();
  }

  base::Status read_what_is_new() {
    for (uint32_t i = 0; i < plan_.packages.size(); ++i) {
      if (!is_done(i)) continue;
      const std::string& step = study_.steps[plan_.packages[i].step].name;
      const bool is_known =
          std::all_of(study_.columns.begin(), study_.columns.end(), [&](const Column& column) {
            return column.step != step || value_of(i, column) != nullptr;
          });
      if (is_known) continue;
      Extracted extracted =
          extractor_.read(plan_.packages[i], state_.folder() / run_of_[i]->folder, pool_);
      std::vector<Value>& known = values_[i];
      const auto find = [&](const Value& value) {
        return std::find_if(known.begin(), known.end(),
                            [&](const Value& one) { return one.column == value.column; });
      };
      std::erase_if(extracted.values, [&](const Value& value) {
        const auto one = find(value);
        return one != known.end() && one->definition == value.definition;
      });
      if (may_write_) {
        if (auto status = state_.add(run_of_[i]->id, extracted.values); !status) return status;
      }
      for (Value& value : extracted.values) {
        const auto one = find(value);
        if (one == known.end()) {
          known.push_back(std::move(value));
        } else {
          *one = std::move(value);
        }
      }
    }
    return {};
  }

  [[nodiscard]] bool is_done(uint32_t package) const {
    return run_of_[package] != nullptr && run_of_[package]->state == RunState::kDone;
  }

  [[nodiscard]] const std::string* value_of(uint32_t package, const Column& column) const {
    const uint64_t definition = Extractor::definition(column);
    for (const Value& value : values_[package]) {
      if (value.column == column.name && value.definition == definition) return &value.text;
    }
    return nullptr;
  }

  void choose_columns() {
    std::vector<ResultColumn> all;
    for (const uint32_t parameter : used_) {
      all.push_back({.name = plan_.names[parameter],
                     .title = plan_.names[parameter],
                     .kind = CellKind::kParameter,
                     .varies = plan_.varies[parameter]});
    }
    if (repetitions_ > 1) {
      all.push_back({.name = "repetition", .title = "repetition", .kind = CellKind::kRepetition});
    }
    for (const Column& column : study_.columns) {
      all.push_back({.name = column.name, .title = column.name, .better = column.better});
    }
    if (study_.shown.empty()) {
      table_.columns = std::move(all);
      return;
    }
    for (const Shown& shown : study_.shown) {
      const auto found = std::find_if(all.begin(), all.end(), [&](const ResultColumn& column) {
        return column.name == shown.name;
      });
      if (found == all.end()) continue;
      ResultColumn& column = table_.columns.emplace_back(*found);
      column.title = shown.title.empty() ? shown.name : shown.title;
      column.format = shown.format;
    }
    // Rows must be told apart.
    if (repetitions_ > 1 &&
        std::none_of(table_.columns.begin(), table_.columns.end(), [](const ResultColumn& column) {
          return column.kind == CellKind::kRepetition;
        })) {
      table_.columns.push_back(
          {.name = "repetition", .title = "repetition", .kind = CellKind::kRepetition});
    }
  }

  void add_rows() {
    std::map<std::vector<uint32_t>, bool> seen;
    for (uint32_t point = 0; point < plan_.points.size(); ++point) {
      std::vector<uint32_t> packages;
      for (const uint32_t s : steps_) packages.push_back(plan_.package_of(s, point, 0));
      if (!seen.emplace(packages, true).second) continue;
      for (uint32_t repetition = 0; repetition < repetitions_; ++repetition) {
        add_row(point, repetition);
      }
    }
  }

  void add_row(uint32_t point, uint32_t repetition) {
    bool any = false;
    for (const uint32_t s : steps_) any = any || is_done(plan_.package_of(s, point, repetition));
    if (!any) {
      ++table_.missing;
      return;
    }
    ResultRow& row = table_.rows.emplace_back();
    row.point = point;
    row.repetition = repetition;
    for (const ResultColumn& column : table_.columns) {
      row.cells.push_back(formatted(cell(column, point, repetition), column.format));
    }
  }

  /// Nothing, then numbers, then other texts: an order, whatever is among them.
  static bool is_before(const std::string& a, const std::string& b) {
    const auto x = number_of(a);
    const auto y = number_of(b);
    if (x && y) return *x < *y;
    if (x || y) return x ? !b.empty() : a.empty();
    return a < b;
  }

  /// By the columns that the study names.
  void sort_rows() {
    std::vector<size_t> columns;
    for (const std::string& name : study_.sorted_by) {
      const auto at = std::find_if(table_.columns.begin(), table_.columns.end(),
                                   [&](const ResultColumn& column) { return column.name == name; });
      if (at != table_.columns.end()) {
        columns.push_back(static_cast<size_t>(at - table_.columns.begin()));
      }
    }
    std::stable_sort(table_.rows.begin(), table_.rows.end(),
                     [&](const ResultRow& a, const ResultRow& b) {
                       for (const size_t c : columns) {
                         if (is_before(a.cells[c], b.cells[c])) return true;
                         if (is_before(b.cells[c], a.cells[c])) return false;
                       }
                       return false;
                     });
  }

  std::string cell(const ResultColumn& column, uint32_t point, uint32_t repetition) {
    if (column.kind == CellKind::kRepetition) return std::to_string(repetition + 1);
    if (column.kind == CellKind::kParameter) {
      const auto parameter = std::find(plan_.names.begin(), plan_.names.end(), column.name);
      return plan_.points[point][static_cast<size_t>(parameter - plan_.names.begin())];
    }
    const auto wanted = std::find_if(study_.columns.begin(), study_.columns.end(),
                                     [&](const Column& one) { return one.name == column.name; });
    const auto step = std::find_if(study_.steps.begin(), study_.steps.end(),
                                   [&](const Step& one) { return one.name == wanted->step; });
    const uint32_t package =
        plan_.package_of(static_cast<uint32_t>(step - study_.steps.begin()), point, repetition);
    if (!is_done(package)) return "";
    const std::string* value = value_of(package, *wanted);
    if (value == nullptr || value->empty()) ++table_.holes;
    return value == nullptr ? "" : *value;
  }

  State& state_;
  const Study& study_;
  const Plan& plan_;
  const Extractor& extractor_;
  const bool may_write_;
  base::ThreadPool& pool_;
  std::vector<uint32_t> steps_;  // That columns are of.
  std::vector<uint32_t> used_;   // Parameters that tell rows apart.
  uint32_t repetitions_ = 1;
  std::vector<Run> runs_;
  std::vector<const Run*> run_of_;          // By package.
  std::vector<std::vector<Value>> values_;  // By package.
  ResultTable table_;
};

/// Median of numbers, ascending.
double median(const std::vector<double>& numbers) {
  const size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

}  // namespace

base::Result<ResultTable> result_table(State& state, const Study& study, const Plan& plan,
                                       const Extractor& extractor, bool may_write,
                                       base::ThreadPool& pool) {
  return TableMaker(state, study, plan, extractor, may_write, pool).make();
}

ResultTable over_repetitions(const ResultTable& table, std::string (*number)(double)) {
  ResultTable result;
  result.missing = table.missing;
  result.holes = table.holes;
  std::vector<size_t> kept;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].kind == CellKind::kRepetition) continue;
    kept.push_back(c);
    result.columns.push_back(table.columns[c]);
  }
  // Sorted by a value, repetitions do not stand together.
  std::vector<std::vector<const ResultRow*>> groups;
  std::unordered_map<uint32_t, size_t> group_of;
  for (const ResultRow& row : table.rows) {
    const auto [group, is_new] = group_of.try_emplace(row.point, groups.size());
    if (is_new) groups.emplace_back();
    groups[group->second].push_back(&row);
  }
  for (const std::vector<const ResultRow*>& group : groups) {
    const ResultRow& first = *group.front();
    ResultRow& row = result.rows.emplace_back();
    row.point = first.point;
    for (const size_t c : kept) {
      std::vector<double> numbers;
      bool alike = true;
      for (const ResultRow* one : group) {
        const std::string& text = one->cells[c];
        alike = alike && text == first.cells[c];
        if (const auto value = number_of(text)) numbers.push_back(*value);
      }
      std::string& cell = row.cells.emplace_back(alike ? first.cells[c] : "");
      const bool is_value = table.columns[c].kind == CellKind::kValue;
      if (!is_value || numbers.empty() || !table.columns[c].is_number) continue;
      std::sort(numbers.begin(), numbers.end());
      cell = number(median(numbers));
      const std::string least = number(numbers.front());
      const std::string most = number(numbers.back());
      if (least != most) cell += fmt::format(" ({}-{})", least, most);
    }
  }
  return result;
}

}  // namespace pathline::campaign
