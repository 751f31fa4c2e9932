// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "campaign/study.hpp"

// Files of JUBE, XML or YAML, as one kind of tree: YAML in JUBE is a way to write that XML.
namespace pathline::campaign {

struct JubeNode {
  std::string name;  ///< Of the element: "step".
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string text;  ///< Without that of its children, and without blanks around it.
  std::vector<JubeNode> children;
  Place place;

  /// The value without blanks around it; nullopt if it has no such attribute.
  [[nodiscard]] std::optional<std::string> attribute(std::string_view of) const;
  /// The same, or another text.
  [[nodiscard]] std::string attribute(std::string_view of, std::string_view otherwise) const;
  void set(std::string_view of, std::string value);
};

/// "FILE, line N: ...", the line of the node.
base::Error wrong(const JubeNode& node, std::string_view what, std::string advice = "");

/// "FILE, line N: WHAT is not supported: REASON".
base::Error unsupported(const JubeNode& node, std::string_view what, std::string_view reason,
                        std::string advice = "");

/// Without blanks and line ends around it.
std::string_view stripped(std::string_view text);

/// Parts between separators, without blanks around them. "": the text is one part.
std::vector<std::string> split(std::string_view text, std::string_view separator = ",");

/// Elements at a path: "dos/do", "*", "parameterset[@name='a']"; ".": the root itself.
std::vector<const JubeNode*> jube_nodes_at(const JubeNode& root, std::string_view path);

/// Reads <jube> and what is in it.
/// errors  kCorrupt naming file and line: no XML, a document type with entities of its own, more
///         than 64 elements inside each other, more than 100,000 elements.
base::Result<JubeNode> jube_tree_of_xml(std::string_view text, const std::string& file);

/// What a YAML file asks for by !include, and by its include-path before that.
struct JubeYamlSource {
  /// The path of a file and its text, by the name that the file is asked for by.
  std::function<base::Result<StudyText>(const std::string& name)> include;
  std::function<void(const std::string& folder)> search_in;
};

/// The tree of the XML that the YAML stands for.
/// errors  as for XML; kUnsupported for what !include asks for beside names and numbers of entries.
base::Result<JubeNode> jube_tree_of_yaml(const std::string& text, const std::string& file,
                                         const JubeYamlSource& source);

inline constexpr int kMostJubeDepth = 64;
inline constexpr size_t kMostJubeNodes = 100'000;

}  // namespace pathline::campaign
