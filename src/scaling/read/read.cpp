// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/read/read.hpp"

#include <algorithm>

#include "base/text_input.hpp"
#include "scaling/read/json_document.hpp"
#include "scaling/read/json_lines.hpp"
#include "scaling/read/keywords.hpp"
#include "scaling/read/read_parts.hpp"

namespace pathline::scaling {
namespace {

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

/// Behind the end of the string that begins at `at`.
size_t end_of_string(std::string_view line, size_t at) {
  for (++at; at < line.size() && line[at] != '"'; ++at) at += line[at] == '\\' ? 1 : 0;
  return std::min(at + 1, line.size());
}

bool is_key(std::string_view line, size_t end) {
  const size_t next = line.find_first_not_of(" \t\r\f\v", end);
  return next != std::string_view::npos && line[next] == ':';
}

/// Of a line that begins with `{`: its members tell what it is.
TextFormat guess_by_members(std::string_view line) {
  int depth = 0;
  bool has_parameters = false;
  bool has_value = false;
  for (size_t i = 0; i < line.size(); ++i) {
    switch (line[i]) {
      case '{':
      case '[': ++depth; break;
      case '}':
      case ']': --depth; break;
      case ';': return TextFormat::kTalpas;
      case '"': {
        const size_t end = end_of_string(line, i);
        const std::string_view word = line.substr(i + 1, end - std::min(end, i + 2));
        i = end - 1;
        if (depth != 1 || !is_key(line, end)) break;
        if (word == "params") return TextFormat::kJsonLines;
        if (word == "measurements" || word == "callpaths" || word == "coordinates") {
          return TextFormat::kJson;
        }
        has_parameters = has_parameters || word == "parameters";
        has_value = has_value || word == "value";
        if (has_parameters && has_value) return TextFormat::kTalpas;
        break;
      }
      default: break;
    }
    if (depth == 0) return has_parameters ? TextFormat::kJson : TextFormat::kJsonLines;
  }
  return TextFormat::kJson;  // It goes on in the next line.
}

}  // namespace

TextFormat guess_format(std::string_view text) {
  text = without_byte_order_mark(text);
  const size_t begin = text.find_first_not_of(" \t\r\n\f\v");
  if (begin == std::string_view::npos) return TextFormat::kKeywords;
  text.remove_prefix(begin);
  if (text.front() == '[') return TextFormat::kJson;
  if (text.front() != '{') return TextFormat::kKeywords;
  return guess_by_members(text.substr(0, text.find('\n')));
}

base::Result<Experiment> read_text(std::string_view text, const std::string& name) {
  const TextFormat format = guess_format(text);
  text = without_byte_order_mark(text);
  auto experiment = [&] {
    switch (format) {
      case TextFormat::kJson: return read_json(text, name);
      case TextFormat::kJsonLines: return read_json_lines(text, name);
      case TextFormat::kTalpas: return read_talpas(text, name);
      default: return read_keywords(text, name);
    }
  }();
  if (!experiment) return experiment;
  if (experiment.value().kernels.empty() && experiment.value().skipped.empty()) {
    const auto line = std::ranges::count(text, '\n') + (text.ends_with('\n') ? 0 : 1);
    return cannot_read(name, size_t(line), "the text ends, but there is no measured value");
  }
  return experiment;
}

base::Result<Experiment> read_file(const std::filesystem::path& path) {
  const auto input = base::TextInput::open(path);
  if (!input) return input.error();
  return read_text(input.value().text(), path.string());
}

}  // namespace pathline::scaling
