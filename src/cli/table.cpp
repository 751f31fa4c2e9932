// SPDX-License-Identifier: BSD-3-Clause
#include "cli/table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/terminal.hpp"

namespace pathline::cli {
namespace {

/// Not a number: below all.
double number(const std::string& cell) {
  double value = -HUGE_VAL;
  std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return value;
}

}  // namespace

bool is_for_people(const CommonOptions& options) {
  if (!options.format.empty()) return options.format == "table";
  return options.output == "-" && ::isatty(STDOUT_FILENO) == 1;
}

size_t table_width() {
  constexpr size_t kUsual = 100;
  constexpr size_t kLeast = 60;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
    return std::max<size_t>(size.ws_col, kLeast);
  }
  const char* columns = std::getenv("COLUMNS");
  size_t width = 0;
  if (columns != nullptr) std::from_chars(columns, columns + std::strlen(columns), width);
  return width == 0 ? kUsual : std::clamp<size_t>(width, kLeast, 10'000);
}

Table::Table(const CommonOptions& options, std::vector<Column> columns)
    : path_(options.output),
      sort_(options.sort),
      top_(options.top),
      columns_(std::move(columns)),
      format_(Format::kCsv) {
  if (cli::is_for_people(options)) format_ = Format::kTable;
  if (options.format == "json") format_ = Format::kJson;
  std::vector<std::string_view> names;
  for (const Column& column : columns_) {
    if (is_shown(column)) names.push_back(column.name);
  }
  if (format_ == Format::kCsv) text_ = fmt::format("{}\n", fmt::join(names, ","));
  if (format_ == Format::kJson) text_ = "{\"rows\":[";
}

bool Table::is_shown(const Column& column) const {
  return column.readers == Column::Readers::kAll ||
         (column.readers == Column::Readers::kPeople) == is_for_people();
}

void Table::row(std::vector<std::string> cells) {
  any_row_ = true;
  if (is_for_people() || !sort_.empty() || top_ > 0) {
    rows_.push_back({std::move(cells), {}});
  } else {
    print(cells);
  }
}

void Table::mark(size_t column) {
  if (is_for_people()) rows_.back().marked.push_back(column);
}

void Table::print(const std::vector<std::string>& cells) {
  if (format_ == Format::kJson) text_ += any_printed_ ? ",\n{" : "\n{";
  bool is_first = true;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (!is_shown(columns_[i])) continue;
    if (!is_first) text_ += ',';
    is_first = false;
    if (format_ == Format::kCsv) {
      text_ += columns_[i].is_text ? base::csv_field(cells[i]) : cells[i];
    } else {
      text_ += fmt::format("\"{}\":", columns_[i].name);
      text_ += columns_[i].is_text ? nlohmann::json(base::printable(cells[i])).dump()
               : cells[i].empty()  ? "null"
                                   : cells[i];
    }
  }
  text_ += format_ == Format::kJson ? "}" : "\n";
  any_printed_ = true;
}

void Table::caption(const std::string& line) {
  if (format_ == Format::kTable) text_ += line + '\n';
}

void Table::footnote(const std::string& line) {
  if (format_ == Format::kTable) footnotes_ += line + '\n';
}

void Table::add_to_json(std::string_view key, std::string_view json) {
  more_json_ += fmt::format(",\n\"{}\":{}", key, json);
}

void Table::add_summary_to_json() {
  add_to_json("source", "\"summary\"");
  add_to_json("exact", "true");
}

std::vector<Column>::const_iterator Table::sort_column() const {
  return std::find_if(columns_.begin(), columns_.end(), [&](const Column& column) {
    return column.name == sort_ || heading(column) == sort_;
  });
}

base::Status Table::check_sort() const {
  if (sort_.empty() || sort_column() != columns_.end()) return {};
  std::vector<std::string> names;
  for (const Column& column : columns_) names.emplace_back(column.name);
  const std::string_view meant = base::nearest(sort_, names);
  return base::Error{
      base::ErrorCode::kInvalidArgument,
      fmt::format("--sort {}: there is no such column, only {}", sort_, fmt::join(names, ", ")),
      meant.empty() ? "" : fmt::format("Did you mean '{}'?", meant)};
}

void Table::sort() {
  if (sort_.empty()) return;
  const auto by = sort_column();
  const auto i = static_cast<size_t>(by - columns_.begin());
  const bool is_amount = !by->is_text && by->unit != Unit::kNone && by->unit != Unit::kInstant;
  std::stable_sort(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) {
    if (by->is_text) return a.cells[i] < b.cells[i];
    return is_amount ? number(a.cells[i]) > number(b.cells[i])
                     : number(a.cells[i]) < number(b.cells[i]);
  });
}

std::string Table::table_text() const {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> cells(rows_.size() + 1);
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (!is_shown(columns_[i])) continue;
    columns.push_back(columns_[i]);
    cells[0].push_back(heading(columns_[i]));
    const bool any_mark = std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) {
      return std::find(row.marked.begin(), row.marked.end(), i) != row.marked.end();
    });
    if (any_mark && !columns_[i].is_text) cells[0].back() += "  ";
    for (size_t row = 0; row < rows_.size(); ++row) {
      std::string cell = cli::for_people(columns_[i], rows_[row].cells[i]);
      const auto& marked = rows_[row].marked;
      if (any_mark) {
        cell += std::find(marked.begin(), marked.end(), i) != marked.end() ? " *" : "  ";
      }
      cells[row + 1].push_back(std::move(cell));
    }
  }
  std::string text = format_table(columns, cells, table_width());
  return path_ == "-" ? in_colour(text) : text;
}

base::Status Table::finish() {
  if (auto status = check_sort(); !status) return status;
  sort();
  const size_t all = rows_.size();
  if (top_ > 0 && all > top_) {
    rows_.resize(top_);
    footnote(fmt::format("{} of {} rows", base::human_count(top_), base::human_count(all)));
  }
  if (format_ == Format::kTable) {
    text_ += table_text() + footnotes_;
    return path_ == "-" ? page(text_) : write_result(path_, text_);
  }
  for (const Row& row : rows_) print(row.cells);
  if (format_ == Format::kJson) text_ += "\n]" + more_json_ + "}\n";
  return write_result(path_, text_);
}

}  // namespace pathline::cli
