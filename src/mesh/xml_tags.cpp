// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/xml_tags.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::mesh {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// Where the tag that begins at `begin` ends: ">" outside of quotes; npos if nowhere.
size_t end_of_tag(std::string_view text, size_t begin) {
  char quote = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<std::string_view> Tag::attribute(std::string_view attribute_name) const {
  std::string_view rest = attributes;
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
    const size_t equals = rest.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    std::string_view key = rest.substr(0, equals);
    key = key.substr(0, key.find_last_not_of(kBlanks) + 1);
    rest.remove_prefix(equals + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
    if (rest.empty() || (rest.front() != '"' && rest.front() != '\'')) return std::nullopt;
    const size_t closing = rest.find(rest.front(), 1);
    if (closing == std::string_view::npos) return std::nullopt;
    if (key == attribute_name) return rest.substr(1, closing - 1);
    rest.remove_prefix(closing + 1);
  }
}

base::Error XmlTags::error(base::ErrorCode code, std::string_view fact, std::string advice) const {
  const auto line =
      1 + std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(last_), '\n');
  return {code, fmt::format("cannot read {}: line {}: {}", base::printable(name_), line, fact),
          std::move(advice)};
}

base::Result<std::optional<Tag>> XmlTags::next() {
  while (true) {
    const size_t begin = text_.find('<', position_);
    if (begin == std::string_view::npos) return std::optional<Tag>();
    last_ = begin;
    const std::string_view rest = text_.substr(begin);
    size_t end = 0;
    bool is_tag = false;
    if (rest.starts_with("<!--")) {
      end = text_.find("-->", begin);
      if (end != std::string_view::npos) end += 3;
    } else if (rest.starts_with("<![CDATA[")) {
      end = text_.find("]]>", begin);
      if (end != std::string_view::npos) end += 3;
    } else {
      end = end_of_tag(text_, begin);
      is_tag = !rest.starts_with("<?") && !rest.starts_with("<!");
    }
    if (end == std::string_view::npos) {
      return error(base::ErrorCode::kCorrupt,
                   "a tag has no end: the file is damaged or ends early");
    }
    position_ = end;
    if (!is_tag) continue;
    std::string_view inside = text_.substr(begin + 1, end - begin - 2);
    Tag tag{.begin = begin, .end = end};
    tag.closes = inside.starts_with('/');
    if (tag.closes) inside.remove_prefix(1);
    tag.is_whole = inside.ends_with('/');
    if (tag.is_whole) inside.remove_suffix(1);
    const size_t name_end = std::min(inside.find_first_of(kBlanks), inside.size());
    tag.name = inside.substr(0, name_end);
    tag.attributes = inside.substr(name_end);
    return std::optional(tag);
  }
}

std::string without_entities(std::string_view text) {
  struct Entity {
    std::string_view name;
    char character;
  };
  constexpr Entity kEntities[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string out;
  while (!text.empty()) {
    const auto found = std::find_if(std::begin(kEntities), std::end(kEntities),
                                    [&](const Entity& e) { return text.starts_with(e.name); });
    out += found == std::end(kEntities) ? text.front() : found->character;
    text.remove_prefix(found == std::end(kEntities) ? 1 : found->name.size());
  }
  return out;
}

}  // namespace pathline::mesh
