// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <fmt/format.h>

#include "base/parse.hpp"
#include "base/text.hpp"
#include "mesh/ensight.hpp"

namespace pathline::mesh {
namespace {

using base::ErrorCode;

/// Words of a line, texts in quotes as one.
std::vector<std::string> words_in(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (line.empty()) return words;
    const bool is_quoted = line.front() == '"';
    if (is_quoted) line.remove_prefix(1);
    const size_t end =
        std::min(is_quoted ? line.find('"') : line.find_first_of(kBlanks), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
}

/// Takes the numbers of time and file sets off the front, but leaves so many words.
std::vector<std::string> without_sets(std::vector<std::string> words, size_t least) {
  while (words.size() > least && base::number_in<unsigned>(words.front())) {
    words.erase(words.begin());
  }
  return words;
}

}  // namespace

base::Result<EnsightCase> parse_ensight_case(std::string_view text, std::string_view field,
                                             const std::string& name) {
  size_t number = 0;
  const auto error = [&](ErrorCode code, std::string_view fact, std::string advice = {}) {
    return base::Error{
        code, fmt::format("cannot read {}: line {}: {}", base::printable(name), number, fact),
        std::move(advice)};
  };
  EnsightCase found;
  std::vector<std::string> fields;
  bool is_gold = false;
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t colon = std::min(line.find(':'), line.size());
    const std::string_view key = line.substr(0, colon);
    const auto words = words_in(line.substr(std::min(colon + 1, line.size())));
    if (key == "type") {
      is_gold = words.size() == 2 && words[0] == "ensight" && words[1] == "gold";
    } else if (key == "model") {
      const auto rest = without_sets(words, 1);
      if (rest.empty()) return error(ErrorCode::kCorrupt, "the model has no file");
      found.geometry = rest[0];
    } else if (key == "scalar per element") {
      const auto rest = without_sets(words, 2);
      if (rest.size() != 2) return error(ErrorCode::kCorrupt, "a name and a file were expected");
      fields.push_back(rest[0]);
      if (rest[0] == field) found.field = rest[1];
    }
    for (const std::string* file : {&found.geometry, &found.field}) {
      if (file->find('*') == std::string::npos) continue;
      return error(ErrorCode::kUnsupported,
                   fmt::format("{} changes from step to step", base::printable(*file)),
                   "The mesh and the ranks of its cells must be the same in all of them.");
    }
  }
  if (!is_gold) return error(ErrorCode::kUnsupported, "its type is not 'ensight gold'");
  if (found.geometry.empty()) return error(ErrorCode::kCorrupt, "it names no model");
  if (found.field.empty()) {
    std::string names;
    for (const std::string& one : fields) names += (names.empty() ? "" : ", ") + one;
    return error(
        ErrorCode::kNotFound,
        fmt::format("it has no scalar per element '{}'", base::printable(field)),
        fields.empty() ? "" : "It has " + base::printable(names) + "; --rank-field chooses.");
  }
  return found;
}

}  // namespace pathline::mesh
