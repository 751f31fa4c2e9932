// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace pathline::mesh {

/// A tag of an XML text: where it begins and ends in it, and what is in between.
struct Tag {
  std::string_view name;
  std::string_view attributes;
  size_t begin = 0;       ///< Of "<".
  size_t end = 0;         ///< Behind ">".
  bool closes = false;    ///< </name>
  bool is_whole = false;  ///< <name/>

  /// The text of an attribute as it stands there, "&amp;" and all; nothing if there is none.
  [[nodiscard]] std::optional<std::string_view> attribute(std::string_view attribute_name) const;
};

/// Goes from tag to tag. The texts between, comments and declarations are passed over: a VTK file
/// is mostly numbers, and what stands behind its tag AppendedData is no XML at all, so that the XML
/// library cannot read it.
class XmlTags {
 public:
  /// text  must outlive this
  /// name  what errors call the file
  XmlTags(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  /// The next tag; nothing at the end of the text.
  /// errors  kCorrupt naming file and line for a tag that does not end.
  base::Result<std::optional<Tag>> next();

  /// "cannot read FILE: line N: FACT", at the last tag.
  [[nodiscard]] base::Error error(base::ErrorCode code, std::string_view fact,
                                  std::string advice = {}) const;

 private:
  std::string_view text_;
  std::string name_;
  size_t position_ = 0;
  size_t last_ = 0;
};

/// "a & b" for "a &amp; b".
std::string without_entities(std::string_view text);

}  // namespace pathline::mesh
