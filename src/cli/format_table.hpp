// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pathline::cli {

/// What the numbers of a column are, which decides how they are written for people. CSV and JSON
/// have all digits and no units.
enum class Unit : uint8_t {
  kNone,     ///< As it is: ranks, steps, tags.
  kSeconds,  ///< "2.98 s"
  kInstant,  ///< "12.345678 s": a place in time keeps its digits.
  kBytes,    ///< "1.30 GB"
  kCount,    ///< "1,234,567"
  kFactor,   ///< "1.23"
  kShare,    ///< Of 1: "12.3 %"
};

struct Column {
  /// In CSV and JSON. People read it without "_s" and "_bytes", as the unit stands beside the
  /// number.
  std::string_view name;
  bool is_text = false;  ///< Quoted in JSON, left-aligned in a table; numbers are neither.
  size_t least = 8;      ///< Letters of a text that a table shows, however wide it gets.
  Unit unit = Unit::kNone;
  /// What a table that is too wide leaves out first: the column with the largest; 0 stays.
  uint8_t spare = 0;
  enum class Readers : uint8_t { kAll, kPeople, kPrograms } readers = Readers::kAll;
};

/// Letters, not bytes.
size_t letter_count(std::string_view text);

/// "exclusive min" for "exclusive_min_s".
std::string heading(const Column& column);

/// A cell as people read it; what is no number stays.
std::string for_people(const Column& column, const std::string& cell);

/// The lines of a table for people, below each other and at most `width` letters wide where that
/// can be. First columns go that can be spared, as long as a text has less than half of the width;
/// then the widest texts are shortened, down to Column::least; numbers stay whole. Texts are
/// aligned left, numbers right.
///
/// Texts that differ never read the same: those of call paths lose callers first, others their
/// middle, and where two would look alike they keep what tells them apart, or all.
///
/// rows  the first one has the headings; of as many cells as there are columns.
std::string format_table(const std::vector<Column>& columns,
                         const std::vector<std::vector<std::string>>& rows, size_t width);

}  // namespace pathline::cli
