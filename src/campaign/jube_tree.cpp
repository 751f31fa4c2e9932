// SPDX-License-Identifier: BSD-3-Clause
//
// The only file of this layer that knows expat.
#include "campaign/jube_tree.hpp"

#include <algorithm>
#include <climits>
#include <memory>
#include <type_traits>

#include <expat.h>
#include <fmt/format.h>

namespace pathline::campaign {
namespace {

class Parser {
 public:
  explicit Parser(const std::string& file) : file_(file) {}

  base::Result<JubeNode> run(std::string_view xml) {
    const std::unique_ptr<std::remove_pointer_t<XML_Parser>, void (*)(XML_Parser)> owner(
        XML_ParserCreate(nullptr), XML_ParserFree);
    if (!owner) return base::Error{base::ErrorCode::kIo, file_ + ": no memory"};
    if (xml.size() > INT_MAX) {
      return base::Error{base::ErrorCode::kUnsupported, file_ + ": larger than 2 GiB"};
    }
    parser_ = owner.get();
    XML_SetUserData(parser_, this);
    XML_SetElementHandler(parser_, on_start, on_end);
    XML_SetCharacterDataHandler(parser_, on_text);
    XML_SetStartDoctypeDeclHandler(parser_, on_doctype);
    XML_SetSkippedEntityHandler(parser_, on_skipped);
    open_.push_back(&root_);
    const auto parsed = XML_Parse(parser_, xml.data(), static_cast<int>(xml.size()), XML_TRUE);
    if (error_) return *error_;
    if (parsed != XML_STATUS_OK) {
      fail(fmt::format("no XML: {}", XML_ErrorString(XML_GetErrorCode(parser_))));
      return *error_;
    }
    return std::move(root_.children.front());
  }

 private:
  static void XMLCALL on_start(void* self, const XML_Char* name, const XML_Char** attributes) {
    static_cast<Parser*>(self)->start(name, attributes);
  }
  static void XMLCALL on_end(void* self, const XML_Char* /*name*/) {
    auto& parser = *static_cast<Parser*>(self);
    if (parser.error_) return;
    JubeNode& node = *parser.open_.back();
    node.text = std::string(stripped(node.text));
    parser.open_.pop_back();
  }
  static void XMLCALL on_text(void* self, const XML_Char* text, int length) {
    auto& parser = *static_cast<Parser*>(self);
    if (!parser.error_) parser.open_.back()->text.append(text, static_cast<size_t>(length));
  }
  static void XMLCALL on_doctype(void* self, const XML_Char* /*name*/, const XML_Char* /*system*/,
                                 const XML_Char* /*public_id*/, int has_internal_subset) {
    if (has_internal_subset == 0) return;
    static_cast<Parser*>(self)->fail(
        "a document type with declarations of its own, which no file "
        "of JUBE needs");
  }
  static void XMLCALL on_skipped(void* self, const XML_Char* name, int /*is_parameter*/) {
    static_cast<Parser*>(self)->fail(fmt::format("no XML: there is no entity '{}'", name));
  }

  void start(const XML_Char* name, const XML_Char** attributes) {
    if (error_) return;
    if (open_.size() > static_cast<size_t>(kMostJubeDepth)) {
      return fail(fmt::format("more than {} elements inside each other", kMostJubeDepth));
    }
    if (++count_ > kMostJubeNodes) {
      return fail(fmt::format("more than {} elements", kMostJubeNodes));
    }
    // Those that are open are the last ones of theirs: nothing moves them.
    JubeNode& node = open_.back()->children.emplace_back();
    node.name = name;
    node.place = {file_, static_cast<uint32_t>(XML_GetCurrentLineNumber(parser_))};
    for (; *attributes != nullptr; attributes += 2) {
      node.attributes.emplace_back(attributes[0], attributes[1]);
    }
    open_.push_back(&node);
  }

  void fail(std::string_view fact) {
    // Expat may still report what it has read already.
    if (error_) return;
    error_ =
        base::Error{base::ErrorCode::kCorrupt,
                    fmt::format("{}, line {}: {}", file_, XML_GetCurrentLineNumber(parser_), fact)};
    XML_StopParser(parser_, XML_FALSE);
  }

  const std::string& file_;
  XML_Parser parser_ = nullptr;
  JubeNode root_;
  std::vector<JubeNode*> open_;
  size_t count_ = 0;
  std::optional<base::Error> error_;
};

}  // namespace

std::optional<std::string> JubeNode::attribute(std::string_view of) const {
  for (const auto& [key, value] : attributes) {
    if (key == of) return std::string(stripped(value));
  }
  return std::nullopt;
}

std::string JubeNode::attribute(std::string_view of, std::string_view otherwise) const {
  return attribute(of).value_or(std::string(otherwise));
}

void JubeNode::set(std::string_view of, std::string value) {
  for (auto& [key, old] : attributes) {
    if (key != of) continue;
    old = std::move(value);
    return;
  }
  attributes.emplace_back(of, std::move(value));
}

base::Error wrong(const JubeNode& node, std::string_view what, std::string advice) {
  return {base::ErrorCode::kInvalidArgument, fmt::format("{}: {}", node.place.text(), what),
          std::move(advice)};
}

base::Error unsupported(const JubeNode& node, std::string_view what, std::string_view reason,
                        std::string advice) {
  return {base::ErrorCode::kUnsupported,
          fmt::format("{}: {} is not supported: {}", node.place.text(), what, reason),
          std::move(advice)};
}

std::string_view stripped(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\f\v";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (!separator.empty()) {
    const size_t end = text.find(separator);
    if (end == std::string_view::npos) break;
    parts.emplace_back(stripped(text.substr(0, end)));
    text.remove_prefix(end + separator.size());
  }
  parts.emplace_back(stripped(text));
  return parts;
}

std::vector<const JubeNode*> jube_nodes_at(const JubeNode& root, std::string_view path) {
  std::vector<const JubeNode*> found = {&root};
  for (const std::string& part : split(path, "/")) {
    if (part.empty() || part == ".") continue;
    const size_t bracket = std::min(part.find('['), part.size());
    const std::string name = part.substr(0, bracket);
    std::string attribute = part.substr(bracket);
    std::erase_if(attribute,
                  [](char c) { return c == '[' || c == ']' || c == '@' || c == '\'' || c == '"'; });
    const std::vector<std::string> key = split(attribute, "=");
    std::vector<const JubeNode*> inner;
    for (const JubeNode* node : found) {
      for (const JubeNode& child : node->children) {
        if (name != "*" && child.name != name) continue;
        if (key.size() == 2 && child.attribute(key[0]) != key[1]) continue;
        inner.push_back(&child);
      }
    }
    found = std::move(inner);
  }
  return found;
}

base::Result<JubeNode> jube_tree_of_xml(std::string_view text, const std::string& file) {
  return Parser(file).run(text);
}

}  // namespace pathline::campaign
