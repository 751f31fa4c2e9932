// SPDX-License-Identifier: BSD-3-Clause
#include "layers.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pathline::layers {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// Calls `visit(number, line)` for each line, counted from 1.
template <typename Visitor>
void for_each_line(std::string_view text, Visitor visit) {
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    visit(number, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// The line without comments; `in_comment` carries a /* over to the next line. Knows strings, since
/// "*.cpp" patterns and URLs look like comments; raw strings over several lines it does not know.
std::string without_comments(std::string_view line, bool& in_comment) {
  std::string code;
  bool in_string = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const std::string_view rest = line.substr(i);
    if (in_comment) {
      if (rest.starts_with("*/")) {
        in_comment = false;
        ++i;
      }
    } else if (in_string) {
      code += line[i];
      if (line[i] == '\\' && i + 1 < line.size()) {
        code += line[++i];
      } else if (line[i] == '"') {
        in_string = false;
      }
    } else if (rest.starts_with("//")) {
      break;
    } else if (rest.starts_with("/*")) {
      in_comment = true;
      ++i;
    } else {
      in_string = line[i] == '"' && !rest.starts_with("\"'");
      code += line[i];
    }
  }
  return code;
}

struct Include {
  std::string name;
  bool quoted = false;
};

std::optional<Include> parse_include(std::string_view code) {
  code = trimmed(code);
  if (!code.starts_with('#')) return std::nullopt;
  code = trimmed(code.substr(1));
  if (!code.starts_with("include")) return std::nullopt;
  code = trimmed(code.substr(std::string_view("include").size()));
  if (code.empty() || (code[0] != '"' && code[0] != '<')) return std::nullopt;
  const bool quoted = code[0] == '"';
  const size_t end = code.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{std::string(code.substr(1, end - 1)), quoted};
}

std::string top_folder(std::string_view path) {
  const size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

/// The layer a file belongs to; "include" for public headers, empty for a stray file in src/.
std::string layer_of(std::string_view path) {
  const std::string top = top_folder(path);
  return top == "src" ? top_folder(path.substr(4)) : top;
}

bool is_test(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  return path.starts_with("test/") || path.ends_with("_test.cpp") ||
         (name.starts_with("test_") && path.ends_with(".hpp"));
}

/// Folders of headers that come with the operating system; everything else in angle brackets and
/// with a folder is a third party that layers.txt has to name.
bool is_system_folder(std::string_view folder) {
  constexpr std::array kFolders = {"arpa", "asm", "linux", "net", "netinet", "sys"};
  return std::find(kFolders.begin(), kFolders.end(), folder) != kFolders.end();
}

std::string check_quoted(const Rules& rules, const std::string& layer, std::string_view path,
                         const std::string& name) {
  const std::string other = top_folder(name);
  if (other == "pathline") return {};
  if (layer == "include") {
    return fmt::format("public header uses private \"{}\"", name);
  }
  // In bench/ and test/ a neighbour: "options.hpp", or "synth/options.hpp" within bench/synth/.
  if ((layer == "bench" || layer == "test") &&
      (other.empty() || other == top_folder(path.substr(layer.size() + 1)))) {
    return {};
  }
  if (other.empty()) {
    return fmt::format("\"{0}\" is not spelled from src/; write \"{1}/{0}\"", name, layer);
  }
  if (other == layer) return {};
  if (!rules.reach.contains(other)) {
    return fmt::format("\"{}\": layers.txt has no layer '{}'", name, other);
  }
  if (!rules.reach.at(layer).contains(other)) {
    return fmt::format("layer '{}' may not include \"{}\" of layer '{}'", layer, name, other);
  }
  return {};
}

std::string check_angled(const Rules& rules, const std::string& layer, std::string_view path,
                         const std::string& name) {
  const std::string folder = top_folder(name);
  if (folder == "pathline") return {};
  for (const Rules::Library& library : rules.libraries) {
    if (!name.starts_with(library.prefix)) continue;
    const bool named =
        library.layers.contains(layer) || (library.layers.contains("tests") && is_test(path));
    if (named != library.all_but && layer != "include") return {};
    return fmt::format("layer '{}' may not include <{}>; it belongs to {}{}", layer, name,
                       library.all_but ? "all but " : "", fmt::join(library.layers, ", "));
  }
  if (folder.empty() || is_system_folder(folder)) return {};
  return fmt::format("layer '{}' includes <{}>, a third party that layers.txt does not name", layer,
                     name);
}

/// Whether including a header twice does no harm: `#pragma once` before any code, or in C a guard.
bool is_guarded(std::string_view path, std::string_view text) {
  std::vector<std::string> code;
  bool in_comment = false;
  for_each_line(text, [&](size_t /*number*/, std::string_view line) {
    if (code.size() == 2) return;
    const std::string rest = without_comments(line, in_comment);
    if (!trimmed(rest).empty()) code.emplace_back(trimmed(rest));
  });
  if (!code.empty() && code[0] == "#pragma once") return true;
  if (code.size() < 2 || path.ends_with(".hpp")) return false;
  const std::vector<std::string> first = words(code[0]);
  const std::vector<std::string> second = words(code[1]);
  return first.size() == 2 && second.size() == 2 && first[0] == "#ifndef" &&
         second[0] == "#define" && first[1] == second[1];
}

/// Whether a source is short enough to be one idea, or says at its head why it is not cut.
bool is_short_or_says_why(std::string_view text) {
  constexpr size_t kMostLines = 450;
  constexpr size_t kHeadLines = 12;
  size_t lines = 0;
  bool says_why = false;
  for_each_line(text, [&](size_t number, std::string_view line) {
    lines = number;
    says_why = says_why || (number <= kHeadLines && line.starts_with("// Long because "));
  });
  return lines <= kMostLines || says_why;
}

}  // namespace

Rules parse_rules(std::string_view text) {
  Rules rules;
  for_each_line(text, [&](size_t number, std::string_view line) {
    const size_t comment = line.find('#');
    const bool has_purpose =
        comment != std::string_view::npos && !trimmed(line.substr(comment + 1)).empty();
    line = trimmed(line.substr(0, comment));
    if (line.empty()) return;
    const auto problem = [&](const std::string& what) {
      rules.problems.push_back(fmt::format("layers.txt:{}: {}", number, what));
    };
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return problem("no ':' in line");
    const std::string name{trimmed(line.substr(0, colon))};
    std::vector<std::string> names = words(line.substr(colon + 1));

    if (name.starts_with('<')) {
      Rules::Library library{.prefix = name.substr(1, name.find('>') - 1)};
      if (names.size() > 2 && names[0] == "all" && names[1] == "but") {
        library.all_but = true;
        names.erase(names.begin(), names.begin() + 2);
      }
      for (const std::string& layer : names) {
        if (layer != "tests" && !rules.reach.contains(layer)) {
          problem(fmt::format("{} names the unknown layer '{}'", name, layer));
        }
      }
      library.layers.insert(names.begin(), names.end());
      rules.libraries.push_back(std::move(library));
      return;
    }

    if (!has_purpose) problem(fmt::format("layer '{}' does not say '# what it is for'", name));
    std::set<std::string> reach;
    for (const std::string& other : names) {
      const auto found = rules.reach.find(other);
      if (found == rules.reach.end()) {
        problem(fmt::format("layer '{}' uses '{}', which is not listed above it", name, other));
        continue;
      }
      reach.insert(other);
      reach.insert(found->second.begin(), found->second.end());
    }
    if (!rules.reach.emplace(name, std::move(reach)).second) {
      problem(fmt::format("layer '{}' is listed twice", name));
    }
  });
  return rules;
}

std::vector<std::string> check_file(const Rules& rules, std::string_view path,
                                    std::string_view text) {
  const std::string layer = layer_of(path);
  if (layer != "include" && !rules.reach.contains(layer)) {
    return {fmt::format("{}:1: layers.txt has no layer '{}'", path, layer)};
  }
  std::vector<std::string> messages;
  bool in_comment = false;
  for_each_line(text, [&](size_t number, std::string_view line) {
    const auto include = parse_include(without_comments(line, in_comment));
    if (!include) return;
    std::string message;
    if (include->name.starts_with("../") || include->name.find("/../") != std::string::npos) {
      message = fmt::format("\"{}\" goes up a folder; spell it from src/", include->name);
    } else if (include->quoted) {
      message = check_quoted(rules, layer, path, include->name);
    } else {
      message = check_angled(rules, layer, path, include->name);
    }
    if (!message.empty()) messages.push_back(fmt::format("{}:{}: {}", path, number, message));
  });
  const bool is_header = path.ends_with(".hpp") || path.ends_with(".h");
  if (is_header && (layer == "include" || path.starts_with("src/")) && !is_guarded(path, text)) {
    messages.push_back(fmt::format("{}:1: header without #pragma once at its head", path));
  }
  const bool is_source = path.ends_with(".hpp") || path.ends_with(".cpp");
  if (is_source && path.starts_with("src/") && !is_short_or_says_why(text)) {
    messages.push_back(
        fmt::format("{}:1: more than 450 lines, and no '// Long because ...' at its head", path));
  }
  return messages;
}

}  // namespace pathline::layers
