// SPDX-License-Identifier: BSD-3-Clause
#include "cli/table.hpp"

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace pathline::cli {
namespace {

/// `text` with so much of its middle left out that it is not wider than `width`, at least 1.
std::string shortened(const std::string& text, size_t width) {
  const size_t whole = letter_count(text);
  if (whole <= width) return text;
  const size_t head = width / 2;
  const size_t tail = width - 1 - head;
  std::string result;
  size_t letter = 0;  // Letters seen, this one included.
  for (const char c : text) {
    if (letter_count({&c, 1}) == 1 && ++letter == head + 1) result += "…";
    if (letter <= head || letter > whole - tail) result += c;
  }
  return result;
}

/// Takes from the widest texts what a table is wider than `most` letters. Numbers stay whole.
void fit(const std::vector<Column>& columns, size_t most, std::vector<size_t>& widths) {
  size_t total = 2 * (widths.size() - 1);
  for (const size_t width : widths) total += width;
  while (total > most) {
    size_t widest = widths.size();
    for (size_t i = 0; i < widths.size(); ++i) {
      if (columns[i].is_text && widths[i] > columns[i].least &&
          (widest == widths.size() || widths[i] > widths[widest])) {
        widest = i;
      }
    }
    if (widest == widths.size()) return;
    const size_t cut = std::min(total - most, widths[widest] - columns[widest].least);
    widths[widest] -= cut;
    total -= cut;
  }
}

}  // namespace

bool is_for_people(const CommonOptions& options) {
  if (!options.format.empty()) return options.format == "table";
  return options.output == "-" && ::isatty(STDOUT_FILENO) == 1;
}

size_t table_width() {
  winsize size{};
  constexpr size_t kUsual = 100;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return std::max<size_t>(size.ws_col, 60);
}

size_t letter_count(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80;
  }));
}

std::string format_table(const std::vector<Column>& columns,
                         const std::vector<std::vector<std::string>>& rows, size_t width) {
  std::vector<size_t> widths(columns.size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], letter_count(row[i]));
  }
  fit(columns, width, widths);
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string cell = columns[i].is_text ? shortened(row[i], widths[i]) : row[i];
      const std::string padding(widths[i] - letter_count(cell), ' ');
      if (i > 0) line += "  ";
      line += columns[i].is_text ? cell + padding : padding + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

Table::Table(const CommonOptions& options, std::vector<Column> columns)
    : path_(options.output), columns_(std::move(columns)), format_(Format::kCsv) {
  if (cli::is_for_people(options)) format_ = Format::kTable;
  if (options.format == "json") format_ = Format::kJson;
  std::vector<std::string> names;
  for (const Column& column : columns_) names.emplace_back(column.name);
  if (format_ == Format::kTable) rows_.push_back(names);
  if (format_ == Format::kCsv) text_ = fmt::format("{}\n", fmt::join(names, ","));
  if (format_ == Format::kJson) text_ = "{\"rows\":[";
}

void Table::row(const std::vector<std::string>& cells) {
  if (format_ == Format::kTable) {
    rows_.push_back(cells);
    return;
  }
  if (format_ == Format::kJson) text_ += any_row_ ? ",\n{" : "\n{";
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text_ += ',';
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
  any_row_ = true;
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

base::Status Table::finish() {
  if (format_ == Format::kJson) text_ += "\n]" + more_json_ + "}\n";
  if (format_ == Format::kTable) text_ += format_table(columns_, rows_, table_width());
  return write_result(path_, text_ + footnotes_);
}

}  // namespace pathline::cli
