// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/call_path.hpp"

#include <cctype>

#include "profile/metric_table.hpp"

namespace pathline::scaling {
namespace {

constexpr std::string_view kArrow = profile::kCallPathArrow;

bool is_word(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// Where the bracket that opens at `begin` has ended; npos if it never does.
size_t end_of_bracket(std::string_view text, size_t begin) {
  size_t depth = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '<') ++depth;
    const bool is_arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if ((c == ')' || c == '>') && !is_arrow && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

}  // namespace

std::string without_arguments(std::string_view path) {
  std::string text;
  for (size_t i = 0; i < path.size();) {
    const bool follows_name = !text.empty() && (is_word(text.back()) || text.back() == ')');
    const bool opens = (path[i] == '(' || path[i] == '<') && follows_name;
    const bool is_operator = text.ends_with("operator");
    size_t end = opens ? end_of_bracket(path, i) : std::string_view::npos;
    if (is_operator && path.substr(i).starts_with("()")) {
      text += "()";
      i += 2;
    } else if (end != std::string_view::npos && !is_operator) {
      i = end;
      constexpr std::string_view kConst = " const";
      const std::string_view rest = path.substr(i);
      const bool ends = rest == kConst || rest.starts_with(" const->");
      if (path[end - 1] == ')' && ends) i += kConst.size();
    } else {
      text += path[i++];
    }
  }
  return text;
}

std::vector<std::string> shorter_call_paths(std::string_view path) {
  std::vector<std::string> paths = {std::string(path)};
  const std::string plain = without_arguments(path);
  if (plain != path) paths.push_back(plain);
  for (size_t at = plain.find(kArrow); at != std::string::npos; at = plain.find(kArrow, at + 2)) {
    if (at + kArrow.size() == plain.size()) break;  // operator->
    std::string shorter = "…" + plain.substr(at);
    if (shorter.size() < paths.back().size() + 2) paths.push_back(std::move(shorter));
  }
  if (const size_t last = plain.rfind(kArrow); last != std::string::npos && last > 0) {
    const std::string function = plain.substr(last + kArrow.size());
    if (!function.empty()) paths.push_back(function);
  }
  return paths;
}

}  // namespace pathline::scaling
