// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/result.hpp"
#include "cli/command.hpp"

namespace pathline::cli {

struct Column {
  std::string_view name;
  bool is_text = false;  ///< Quoted in JSON, left-aligned in a table; numbers are neither.
  size_t least = 8;      ///< Letters of a text that a table shows, however wide it gets.
};

/// Whether results are for people: a table was asked for, or nothing and they go to a terminal.
bool is_for_people(const CommonOptions& options);

/// Columns of the terminal that a table goes to; 100 where there is none.
size_t table_width();

/// Letters, not bytes.
size_t letter_count(std::string_view text);

/// The lines of a table for people, below each other and at most `width` letters wide where that
/// can be: the widest texts are shortened in the middle first, down to Column::least; numbers stay
/// whole. Texts are aligned left, numbers right.
///
/// rows  of as many cells as there are columns.
std::string format_table(const std::vector<Column>& columns,
                         const std::vector<std::vector<std::string>>& rows, size_t width);

/// Rows in one of the three formats: a table for people, CSV, or JSON `{"rows": [{...}]}`. CSV and
/// JSON are formatted row by row; a table waits for the widths of its columns, and is fitted to the
/// terminal. An empty number is absent: null in JSON.
class Table {
 public:
  /// When `options.format` is empty: a table on a terminal, else CSV.
  Table(const CommonOptions& options, std::vector<Column> columns);

  [[nodiscard]] bool is_for_people() const { return format_ == Format::kTable; }
  /// As many cells as there are columns.
  void row(const std::vector<std::string>& cells);
  /// Lines above and below a table for people; other formats leave them out.
  void caption(const std::string& line);
  void footnote(const std::string& line);
  /// One more key of the JSON object, beside the rows; other formats leave it out.
  void add_to_json(std::string_view key, std::string_view json);
  /// Writes everything to the command's output.
  base::Status finish();

 private:
  enum class Format : uint8_t { kTable, kCsv, kJson };
  const std::string path_;
  const std::vector<Column> columns_;
  Format format_;
  bool any_row_ = false;
  std::string text_;
  std::string more_json_;
  std::string footnotes_;
  std::vector<std::vector<std::string>> rows_;  // Table only.
};

}  // namespace pathline::cli
