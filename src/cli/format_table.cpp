// SPDX-License-Identifier: BSD-3-Clause
#include "cli/format_table.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "profile/metric_table.hpp"
#include "scaling/call_path.hpp"

namespace pathline::cli {
namespace {

/// The letters of `text`, from `begin` to before `end`.
std::string letters(std::string_view text, size_t begin, size_t end) {
  std::string result;
  size_t letter = 0;  // Letters seen, this one included.
  for (const char c : text) {
    if (letter_count({&c, 1}) == 1) ++letter;
    if (letter > begin && letter <= end) result += c;
  }
  return result;
}

/// `text` with so much of its middle left out that it is not wider than `width`, at least 1.
std::string without_middle(std::string_view text, size_t width) {
  const size_t whole = letter_count(text);
  if (whole <= width) return std::string(text);
  const size_t head = width / 2;
  return letters(text, 0, head) + "…" + letters(text, whole - (width - 1 - head), whole);
}

/// "…what stands around the letter `place`…the end", not wider than `width`.
std::string around(std::string_view text, size_t place, size_t width) {
  const size_t whole = letter_count(text);
  constexpr size_t kLeast = 12;
  if (whole <= width || width < kLeast) return std::string(text);
  const size_t tail = width / 2;
  const size_t piece = width - tail - 2;
  if (place + piece >= whole - tail) return "…" + letters(text, whole - (width - 1), whole);
  const size_t begin = place - std::min(place, piece / 4);
  return (begin > 0 ? "…" : "") + letters(text, begin, begin + piece) + "…" +
         letters(text, whole - tail, whole);
}

/// "main->mark×3" for "main->mark->mark->mark".
std::string without_recursion(std::string_view path) {
  constexpr std::string_view kArrow = profile::kCallPathArrow;
  std::string text;
  std::string_view last;
  size_t times = 0;
  const auto end_run = [&] {
    if (times > 1) text += fmt::format("×{}", times);
  };
  for (bool more = true; more;) {
    const size_t arrow = path.find(kArrow);
    more = arrow != std::string_view::npos;
    const std::string_view region = path.substr(0, arrow);
    if (more) path.remove_prefix(arrow + kArrow.size());
    if (times > 0 && region == last) {
      ++times;
      continue;
    }
    end_run();
    if (times > 0) text += kArrow;
    text += region;
    last = region;
    times = 1;
  }
  end_run();
  return text;
}

std::string shortened(const std::string& text, size_t width) {
  if (letter_count(text) <= width) return text;
  for (std::string& shorter : scaling::shorter_call_paths(text)) {
    if (letter_count(shorter) <= width) return std::move(shorter);
  }
  return without_middle(text, width);
}

/// The first letter in which two texts differ.
size_t difference(std::string_view a, std::string_view b) {
  const size_t byte =
      static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  return letter_count(a.substr(0, byte));
}

/// Texts -> how they are written in a column of this width.
class Shortened {
 public:
  Shortened(const std::set<std::string>& texts, size_t width) {
    std::map<std::string, size_t> count;
    for (const std::string& text : texts) {
      const bool fits = letter_count(text) <= width;
      plain_[text] = fits ? text : without_recursion(scaling::without_arguments(text));
      ++count[plain_[text]];
    }
    for (auto& [text, plain] : plain_) {
      if (count[plain] > 1) plain = without_recursion(text);  // They differ in their arguments.
      written_[plain] = shortened(plain, width);
    }
    rewrite_ambiguous([&](const std::vector<std::string>& group, size_t i) {
      // Those beside it in the alphabet are those that it shares most with.
      size_t place = 0;
      if (i > 0) place = difference(group[i], group[i - 1]);
      if (i + 1 < group.size()) place = std::max(place, difference(group[i], group[i + 1]));
      return around(group[i], place, width);
    });
    rewrite_ambiguous([](const std::vector<std::string>& group, size_t i) { return group[i]; });
  }
  [[nodiscard]] const std::string& operator[](const std::string& text) const {
    return written_.at(plain_.at(text));
  }

 private:
  /// write(group, i)  how to write group[i], where all of a group, A to Z, read the same.
  template <class Write>
  void rewrite_ambiguous(Write write) {
    std::map<std::string, std::vector<std::string>> groups;
    for (const auto& [text, written] : written_) groups[written].push_back(text);
    for (const auto& [written, group] : groups) {
      for (size_t i = 0; group.size() > 1 && i < group.size(); ++i) {
        written_[group[i]] = write(group, i);
      }
    }
  }

  std::map<std::string, std::string> plain_;
  std::map<std::string, std::string> written_;  // Of what is plain.
};

size_t total(const std::vector<size_t>& widths) {
  size_t sum = 0;
  size_t count = 0;
  for (const size_t width : widths) {
    if (width == 0) continue;
    sum += width;
    ++count;
  }
  return sum + 2 * (count - std::min<size_t>(count, 1));
}

/// Sets the widths of columns to 0 that can be spared, while texts have no room.
void leave_out(const std::vector<Column>& columns, size_t most, std::vector<size_t>& widths) {
  for (;;) {
    std::vector<size_t> wanted = widths;
    for (size_t i = 0; i < widths.size(); ++i) {
      if (columns[i].is_text) wanted[i] = std::min(widths[i], std::max(columns[i].least, most / 2));
    }
    if (total(wanted) <= most) return;
    size_t spared = widths.size();
    for (size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] == 0 || columns[i].spare == 0) continue;
      if (spared == widths.size() || columns[i].spare > columns[spared].spare) spared = i;
    }
    if (spared == widths.size()) return;
    widths[spared] = 0;
  }
}

/// Takes from the widest texts what a table is wider than `most` letters. Numbers stay whole.
void fit(const std::vector<Column>& columns, size_t most, std::vector<size_t>& widths) {
  for (size_t all = total(widths); all > most; all = total(widths)) {
    size_t widest = widths.size();
    for (size_t i = 0; i < widths.size(); ++i) {
      if (columns[i].is_text && widths[i] > columns[i].least &&
          (widest == widths.size() || widths[i] > widths[widest])) {
        widest = i;
      }
    }
    if (widest == widths.size()) return;
    widths[widest] -= std::min(all - most, widths[widest] - columns[widest].least);
  }
}

std::vector<size_t> widths_of(const std::vector<std::vector<std::string>>& rows, size_t columns) {
  std::vector<size_t> widths(columns);
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], letter_count(row[i]));
  }
  return widths;
}

/// The texts of column i, shortened to its width, which becomes that of the widest.
void shorten(std::vector<std::vector<std::string>>& rows, size_t i, size_t& width) {
  std::set<std::string> texts;
  for (size_t row = 1; row < rows.size(); ++row) texts.insert(rows[row][i]);
  const Shortened written(texts, width);
  rows[0][i] = without_middle(rows[0][i], width);
  width = letter_count(rows[0][i]);
  for (size_t row = 1; row < rows.size(); ++row) {
    rows[row][i] = written[rows[row][i]];
    width = std::max(width, letter_count(rows[row][i]));
  }
}

}  // namespace

size_t letter_count(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80;
  }));
}

std::string heading(const Column& column) {
  std::string_view name = column.name;
  const auto drop = [&](std::string_view suffix) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) name.remove_suffix(suffix.size());
  };
  if (column.unit == Unit::kSeconds || column.unit == Unit::kInstant) drop("_s");
  if (column.unit == Unit::kBytes) drop("_bytes");
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string for_people(const Column& column, const std::string& cell) {
  if (column.is_text || column.unit == Unit::kNone || cell.empty()) return cell;
  double value = 0;
  const char* end = cell.data() + cell.size();
  if (const auto read = std::from_chars(cell.data(), end, value);
      read.ec != std::errc() || read.ptr != end) {
    return cell;
  }
  switch (column.unit) {
    case Unit::kSeconds: return base::human_seconds(value);
    case Unit::kInstant: return fmt::format("{:.6f} s", value);
    case Unit::kBytes: return base::human_bytes(value);
    case Unit::kCount:
      return value >= 0 && value < 1e18 ? base::human_count(static_cast<uint64_t>(value)) : cell;
    case Unit::kFactor: return fmt::format("{:.2f}", value);
    case Unit::kShare: return fmt::format("{:.1f} %", 100 * value);
    case Unit::kNone: break;
  }
  return cell;
}

std::string format_table(const std::vector<Column>& columns,
                         const std::vector<std::vector<std::string>>& rows, size_t width) {
  std::vector<std::vector<std::string>> cells = rows;
  std::vector<size_t> widths = widths_of(rows, columns.size());
  const std::vector<size_t> whole = widths;
  leave_out(columns, width, widths);
  fit(columns, width, widths);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].is_text && widths[i] != 0 && widths[i] < whole[i]) shorten(cells, i, widths[i]);
  }
  std::string text;
  for (const auto& row : cells) {
    std::string line;
    bool is_first = true;
    for (size_t i = 0; i < row.size(); ++i) {
      if (widths[i] == 0) continue;
      const std::string padding(widths[i] - letter_count(row[i]), ' ');
      if (!is_first) line += "  ";
      is_first = false;
      line += columns[i].is_text ? row[i] + padding : padding + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace pathline::cli
