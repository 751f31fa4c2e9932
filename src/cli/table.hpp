// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/result.hpp"
#include "cli/command.hpp"
#include "cli/format_table.hpp"

namespace pathline::cli {

/// Whether results are for people: a table was asked for, or nothing and they go to a terminal.
bool is_for_people(const CommonOptions& options);

/// Columns of the terminal that a table goes to; $COLUMNS, else 100, where there is none.
size_t table_width();

/// Rows in one of the three formats: a table for people, CSV, or JSON `{"rows": [{...}]}`. CSV and
/// JSON are formatted row by row; a table waits for the widths of its columns, and is fitted to the
/// terminal, where $PAGER shows what is longer than it. An empty number is absent: null in JSON.
class Table {
 public:
  /// When `options.format` is empty: a table on a terminal, else CSV.
  Table(const CommonOptions& options, std::vector<Column> columns);

  [[nodiscard]] bool is_for_people() const { return format_ == Format::kTable; }
  [[nodiscard]] bool empty() const { return !any_row_; }
  /// As many cells as there are columns, numbers with all their digits.
  void row(std::vector<std::string> cells);
  /// People are shown that a number of the last row stands out: by a star, on a terminal in colour.
  void mark(size_t column);
  /// Lines above and below a table for people; other formats leave them out.
  void caption(const std::string& line);
  void footnote(const std::string& line);
  /// One more key of the JSON object, beside the rows; other formats leave it out.
  void add_to_json(std::string_view key, std::string_view json);
  /// That the rows are of a summary, and those of its run all the same.
  void add_summary_to_json();
  /// For what takes long: whether --sort names a column, before there are rows. errors  as finish()
  [[nodiscard]] base::Status check_sort() const;
  /// Writes everything to the command's output.
  /// errors  kInvalidArgument when --sort names no column.
  base::Status finish();

 private:
  enum class Format : uint8_t { kTable, kCsv, kJson };
  struct Row {
    std::vector<std::string> cells;
    std::vector<size_t> marked;
  };
  [[nodiscard]] bool is_shown(const Column& column) const;
  [[nodiscard]] std::vector<Column>::const_iterator sort_column() const;
  void sort();
  void print(const std::vector<std::string>& cells);
  [[nodiscard]] std::string table_text() const;

  const std::string path_;
  const std::string sort_;
  const size_t top_;
  const std::vector<Column> columns_;
  Format format_;
  bool any_row_ = false;
  bool any_printed_ = false;
  std::string text_;
  std::string more_json_;
  std::string footnotes_;
  std::vector<Row> rows_;  // Those that are not printed as they come.
};

}  // namespace pathline::cli
