// SPDX-License-Identifier: BSD-3-Clause
#include "network/host_list.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/parse.hpp"
#include "base/text.hpp"

namespace pathline::network {
namespace {

constexpr size_t kMaxDigits = 18;  // Fits into 64 bits without looking.

struct Range {
  uint64_t first = 0;
  uint64_t last = 0;
  size_t width = 0;
};

/// Text and what follows it in brackets; no ranges where no brackets follow.
struct Part {
  std::string_view text;
  std::vector<Range> ranges;
};

base::Error bad_list(const std::string& fact) { return {base::ErrorCode::kInvalidArgument, fact}; }

std::string shown(std::string_view text) { return base::printable(text.substr(0, 60)); }

/// Removes the text before the next comma outside of brackets, and the comma, and returns it.
std::string_view take_entry(std::string_view& list) {
  size_t end = 0;
  bool inside = false;
  for (; end < list.size() && (inside || list[end] != ','); ++end) {
    if (list[end] == '[') inside = true;
    if (list[end] == ']') inside = false;
  }
  const std::string_view entry = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return entry;
}

/// "001-003,7".
base::Result<std::vector<Range>> parse_ranges(std::string_view text, std::string_view entry) {
  std::vector<Range> ranges;
  for (std::string_view rest = text;;) {
    const size_t comma = rest.find(',');
    const std::string_view piece = rest.substr(0, comma);
    const auto ends = base::range_in(piece);
    const size_t width = std::min(piece.find('-'), piece.size());
    if (!ends || width > kMaxDigits || piece.size() > width + 1 + kMaxDigits) {
      return bad_list(
          fmt::format("'{}' in the host list entry '{}' is neither a number nor a "
                      "range such as 01-16",
                      shown(piece), shown(entry)));
    }
    if (ends->last < ends->first) {
      return bad_list(fmt::format("the range '{}' in the host list entry '{}' runs backwards",
                                  shown(piece), shown(entry)));
    }
    ranges.push_back({ends->first, ends->last, width});
    if (comma == std::string_view::npos) return ranges;
    rest.remove_prefix(comma + 1);
  }
}

base::Result<std::vector<Part>> parse_entry(std::string_view entry) {
  if (entry.empty()) return bad_list("a name in the host list is empty");
  std::vector<Part> parts;
  for (std::string_view rest = entry; !rest.empty();) {
    const size_t open = rest.find_first_of("[]");
    Part part{rest.substr(0, open), {}};
    // As unsigned characters, so that UTF-8 passes.
    if (std::any_of(part.text.begin(), part.text.end(),
                    [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; })) {
      return bad_list(fmt::format("the host list entry '{}' has a blank in a name", shown(entry)));
    }
    rest.remove_prefix(std::min(open, rest.size()));
    if (!rest.empty()) {
      const size_t close = rest.find_first_of("[]", 1);
      if (rest[0] == ']' || close == std::string_view::npos || rest[close] == '[') {
        return bad_list(
            fmt::format("the brackets of the host list entry '{}' do not match", shown(entry)));
      }
      auto ranges = parse_ranges(rest.substr(1, close - 1), entry);
      if (!ranges) return ranges.error();
      part.ranges = std::move(ranges).value();
      rest.remove_prefix(close + 1);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

/// What is wrong with the sizes of an entry that may still bring `room` names.
std::optional<base::Error> check_sizes(const std::vector<Part>& parts, size_t room,
                                       std::string_view entry) {
  uint64_t names = 1;
  size_t length = 0;
  for (const Part& part : parts) {
    length += part.text.size();
    if (part.ranges.empty()) continue;
    uint64_t numbers = 0;
    size_t digits = 0;
    for (const Range& range : part.ranges) {
      numbers = std::min<uint64_t>(numbers + (range.last - range.first + 1), kMaxHostNames + 1);
      digits = std::max({digits, range.width, fmt::formatted_size("{}", range.last)});
    }
    names = std::min<uint64_t>(names * numbers, kMaxHostNames + 1);
    length += digits;
  }
  if (names > room) {
    return bad_list(fmt::format("the host list has more than {} names, too many to be meant",
                                base::human_count(kMaxHostNames)));
  }
  if (length > kMaxHostNameLength) {
    return bad_list(
        fmt::format("the host list entry '{}' makes names of {} characters; at most "
                    "{} are allowed",
                    shown(entry), length, kMaxHostNameLength));
  }
  return std::nullopt;
}

/// Appends the names that begin with `name` and go on with parts[at], parts[at + 1] ...
void append_names(const std::vector<Part>& parts, size_t at, std::string& name,
                  std::vector<std::string>& names) {
  if (at == parts.size()) {
    names.push_back(name);
    return;
  }
  const size_t length = name.size();
  name += parts[at].text;
  if (parts[at].ranges.empty()) append_names(parts, at + 1, name, names);
  const size_t with_text = name.size();
  for (const Range& range : parts[at].ranges) {
    for (uint64_t number = range.first; number <= range.last; ++number) {
      fmt::format_to(std::back_inserter(name), "{:0{}}", number, range.width);
      append_names(parts, at + 1, name, names);
      name.resize(with_text);
    }
  }
  name.resize(length);
}

}  // namespace

base::Result<std::vector<std::string>> expand_host_list(std::string_view list) {
  std::vector<std::string> names;
  const bool ends_with_comma = list.ends_with(',');
  for (std::string_view rest = list; !rest.empty();) {
    const std::string_view entry = take_entry(rest);
    auto parts = parse_entry(entry);
    if (!parts) return parts.error();
    if (auto fault = check_sizes(parts.value(), kMaxHostNames - names.size(), entry)) return *fault;
    std::string name;
    append_names(parts.value(), 0, name, names);
  }
  if (names.empty() || ends_with_comma) return bad_list("a name in the host list is empty");
  return names;
}

}  // namespace pathline::network
