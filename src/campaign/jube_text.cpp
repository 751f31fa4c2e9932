// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/jube_text.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "campaign/jube_tree.hpp"

namespace pathline::campaign {
namespace {

constexpr int kMostBrackets = 50;

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_of_name(char c) {
  return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// "|" binds less than "+", "+" less than "!".
class Tags {
 public:
  Tags(std::string_view text, const std::set<std::string>& tags) : text_(text), tags_(tags) {}

  std::optional<bool> run() {
    const auto holds = any(0);
    return text_.empty() ? holds : std::nullopt;
  }

 private:
  bool take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::optional<bool> any(int depth) {
    auto holds = all(depth);
    while (holds && take('|')) {
      const auto other = all(depth);
      holds = other ? std::optional(*holds || *other) : std::nullopt;
    }
    return holds;
  }
  std::optional<bool> all(int depth) {
    auto holds = one(depth);
    while (holds && take('+')) {
      const auto other = one(depth);
      holds = other ? std::optional(*holds && *other) : std::nullopt;
    }
    return holds;
  }
  std::optional<bool> one(int depth) {
    if (depth > kMostBrackets) return std::nullopt;
    if (take('!')) {
      const auto holds = one(depth + 1);
      return holds ? std::optional(!*holds) : std::nullopt;
    }
    if (take('(')) {
      const auto holds = any(depth + 1);
      return take(')') ? holds : std::nullopt;
    }
    const size_t end = std::min(text_.find_first_of("()|+!"), text_.size());
    if (end == 0) return std::nullopt;
    const bool holds = tags_.contains(std::string(text_.substr(0, end)));
    text_.remove_prefix(end);
    return holds;
  }

  std::string_view text_;
  const std::set<std::string>& tags_;
};

/// Calls take(text before, name) for each name, and with an empty name at the end.
template <class Take>
void each_name(std::string_view text, const Take& take) {
  std::string before;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 >= text.size()) {
      before += text[i];
      continue;
    }
    if (text[i + 1] == '$') {
      before += '$';
      ++i;
      continue;
    }
    const bool braced = text[i + 1] == '{';
    const size_t begin = i + (braced ? 2 : 1);
    size_t end = begin;
    while (end < text.size() && (end == begin ? begins_name(text[end]) : is_of_name(text[end]))) {
      ++end;
    }
    if (end == begin || (braced && (end >= text.size() || text[end] != '}'))) {
      before += '$';
      continue;
    }
    const size_t behind = end + (braced ? 1 : 0);
    take(before, text.substr(begin, end - begin), text.substr(i, behind - i));
    before.clear();
    i = behind - 1;
  }
  take(before, std::string_view(), std::string_view());
}

}  // namespace

base::Result<bool> jube_tags_hold(std::string_view text, const std::set<std::string>& tags) {
  std::string plain(text);
  if (plain.find(',') != std::string::npos) {
    // The older form: none of those with "!", and one of the others.
    std::string none;
    std::string some;
    for (const std::string& tag : split(plain)) {
      std::string& to = tag.starts_with('!') ? none : some;
      if (!to.empty()) to += tag.starts_with('!') ? "+" : "|";
      to += tag;
    }
    plain = none.empty() || some.empty() ? none + some : none + "+(" + some + ")";
  }
  std::erase(plain, ' ');
  const auto holds = Tags(plain, tags).run();
  if (holds) return *holds;
  return base::Error{base::ErrorCode::kInvalidArgument,
                     fmt::format("the tags '{}' cannot be understood", text),
                     "Names of tags with '|' (or), '+' (and), '!' (not) and brackets are."};
}

std::string with_jube_names(std::string_view text, const JubeNames& names) {
  std::string result;
  each_name(text, [&](std::string_view before, std::string_view name, std::string_view whole) {
    result += before;
    if (name.empty()) return;
    const auto value = names(name);
    if (value) {
      result += *value;
    } else {
      result += whole;
    }
  });
  return result;
}

std::vector<std::string> jube_names_in(std::string_view text) {
  std::vector<std::string> all;
  each_name(text, [&](std::string_view, std::string_view name, std::string_view) {
    if (name.empty() || std::find(all.begin(), all.end(), name) != all.end()) return;
    all.emplace_back(name);
  });
  return all;
}

std::optional<std::string> jube_pattern(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kAll[] = {
      {"jube_pat_int", R"(([+-]?\d+))"},
      {"jube_pat_nint", R"((?:[+-]?\d+))"},
      {"jube_pat_fp", R"(([+-]?(?:\d*\.?\d+(?:[eE][-+]?\d+)?|\d+\.)))"},
      {"jube_pat_nfp", R"((?:[+-]?(?:\d*\.?\d+(?:[eE][-+]?\d+)?|\d+\.)))"},
      {"jube_pat_wrd", R"((\S+))"},
      {"jube_pat_nwrd", R"((?:\S+))"},
      {"jube_pat_bl", R"((?:\s+))"}};
  for (const auto& [of, pattern] : kAll) {
    if (of == name) return std::string(pattern);
  }
  return std::nullopt;
}

size_t groups_in(std::string_view expression) {
  size_t count = 0;
  bool in_class = false;
  for (size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (c == '\\') {
      ++i;
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
      if (i + 1 < expression.size() && expression[i + 1] == '^') ++i;
      if (i + 1 < expression.size() && expression[i + 1] == ']') ++i;
    } else if (c == '(') {
      const std::string_view rest = expression.substr(i + 1);
      const bool is_named = rest.starts_with("?P<");
      if (is_named || !rest.starts_with('?')) ++count;
    }
  }
  return count;
}

}  // namespace pathline::campaign
