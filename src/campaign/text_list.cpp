// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/text_list.hpp"

#include <charconv>

namespace pathline::campaign {

std::string joined(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) {
    result += std::to_string(text.size());
    result += ':';
    result += text;
  }
  return result;
}

std::optional<std::vector<std::string>> split(std::string_view joined) {
  std::vector<std::string> texts;
  while (!joined.empty()) {
    size_t length = 0;
    const auto [end, code] = std::from_chars(joined.data(), joined.data() + joined.size(), length);
    joined.remove_prefix(static_cast<size_t>(end - joined.data()));
    if (code != std::errc() || joined.empty() || joined[0] != ':') return std::nullopt;
    joined.remove_prefix(1);
    if (length > joined.size()) return std::nullopt;
    texts.emplace_back(joined.substr(0, length));
    joined.remove_prefix(length);
  }
  return texts;
}

}  // namespace pathline::campaign
