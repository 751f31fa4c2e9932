// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

namespace pathline::base {
namespace {

/// Three significant digits without an exponent for 1 <= value < 1000.
std::string three_digits(double value) {
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

/// Length of the UTF-8 sequence at the start of `text`, 0 if there is none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  size_t length = 0;
  uint32_t code = 0;
  if (byte(0) < 0x80) return 1;
  if (byte(0) >= 0xc2 && byte(0) < 0xe0) {
    length = 2;
    code = byte(0) & 0x1fU;
  } else if ((byte(0) & 0xf0U) == 0xe0) {
    length = 3;
    code = byte(0) & 0x0fU;
  } else if (byte(0) >= 0xf0 && byte(0) < 0xf5) {
    length = 4;
    code = byte(0) & 0x07U;
  }
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
    code = code << 6U | (byte(i) & 0x3fU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return overlong || surrogate || code > 0x10ffff ? 0 : length;
}

/// True for what XML forbids and for control characters. Beside those of ASCII there are U+0080 to
/// U+009F, of which U+009B starts a command on many terminals.
bool is_unprintable(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  const auto last = static_cast<unsigned char>(character.back());
  return first < 0x20 || first == 0x7f || (first == 0xc2 && last < 0xa0) ||
         character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf";
}

/// Letters to leave out, add, change or swap with their neighbour to turn `a` into `b` (optimal
/// string alignment).
size_t edits_between(std::string_view a, std::string_view b) {
  std::array<std::vector<size_t>, 3> rows;  // Of the last two letters of `a` and this one.
  for (auto& row : rows) row.resize(b.size() + 1);
  for (size_t k = 0; k <= b.size(); ++k) rows[0][k] = k;
  for (size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    const auto& above_that = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t k = 1; k <= b.size(); ++k) {
      row[k] = std::min({above[k] + 1, row[k - 1] + 1, above[k - 1] + (a[i - 1] != b[k - 1])});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
        row[k] = std::min(row[k], above_that[k - 2] + 1);
      }
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string human_bytes(double bytes) {
  static constexpr std::array<const char*, 7> kUnits = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 999.5) return fmt::format("{:.0f} B", bytes);
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return three_digits(bytes) + ' ' + kUnits[unit];
}

std::string human_number(double value) {
  static constexpr std::array<const char*, 7> kPrefixes = {"", " k", " M", " G", " T", " P", " E"};
  const char* sign = value < 0 ? "-" : "";
  value = std::abs(value);
  if (value == 0) return "0";
  size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  const bool is_whole = prefix == 0 && value == std::round(value);
  return sign + (is_whole ? fmt::format("{:.0f}", value) : three_digits(value)) + kPrefixes[prefix];
}

std::string human_seconds(double seconds) {
  const double size = std::abs(seconds);
  if (size == 0) return "0 s";
  const char* sign = seconds < 0 ? "-" : "";
  if (size >= 999.5) return fmt::format("{}{:.0f} s", sign, size);
  if (size >= 0.9995) return fmt::format("{}{} s", sign, three_digits(size));
  if (size >= 0.9995e-3) return fmt::format("{}{} ms", sign, three_digits(size * 1e3));
  if (size >= 0.9995e-6) return fmt::format("{}{} µs", sign, three_digits(size * 1e6));
  return fmt::format("{}{:.0f} ns", sign, size * 1e9);
}

double rounded(double value, int digits) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

std::string human_count(uint64_t count) {
  std::string digits = fmt::format("{}", count);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string counted(uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", human_count(count), count == 1 ? one : many);
}

std::string_view nearest(std::string_view word, std::span<const std::string> names) {
  constexpr size_t kLongestWord = 64;  // Nobody misspells that much; it is data in a wrong place.
  if (word.size() > kLongestWord) return "";
  std::string_view best;
  size_t fewest = SIZE_MAX;
  for (const std::string_view name : names) {
    const size_t edits = edits_between(word, name);
    if (edits < fewest && 3 * edits <= std::max(word.size(), name.size())) {
      fewest = edits;
      best = name;
    }
  }
  return best;
}

std::string not_one_of(std::string_view what, std::string_view word,
                       std::span<const std::string> names) {
  std::string text = fmt::format("{} is '{}', expected ", what, word);
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : " or ";
    text += names[i];
  }
  return text;
}

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<size_t>(length, 1));
    if (length == 0 || is_unprintable(character)) {
      clean += "\xef\xbf\xbd";  // U+FFFD
    } else {
      clean += character;
    }
    text.remove_prefix(character.size());
  }
  return clean;
}

std::string html_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

std::string base64(std::span<const uint8_t> bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = uint32_t{bytes[i]} << 16U;
    if (i + 1 < bytes.size()) group |= uint32_t{bytes[i + 1]} << 8U;
    if (i + 2 < bytes.size()) group |= bytes[i + 2];
    text += kDigits[group >> 18U];
    text += kDigits[group >> 12U & 63U];
    text += i + 1 < bytes.size() ? kDigits[group >> 6U & 63U] : '=';
    text += i + 2 < bytes.size() ? kDigits[group & 63U] : '=';
  }
  return text;
}

}  // namespace pathline::base
