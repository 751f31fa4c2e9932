// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/jube_files.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/file.hpp"
#include "campaign/jube_text.hpp"

namespace pathline::campaign {
namespace {

namespace fs = std::filesystem;

constexpr int kMostIncludes = 16;  // Inside each other.
constexpr size_t kMostReads = 200;

bool is_set(std::string_view name) {
  return name == "parameterset" || name == "fileset" || name == "substituteset" ||
         name == "patternset";
}

class Loader {
 public:
  Loader(const fs::path& file, const std::vector<std::string>& tags,
         const std::vector<StudyText>& kept)
      : file_(file), tags_(tags.begin(), tags.end()), kept_(kept) {}

  base::Result<JubeBenchmark> run() {
    auto root = tree(file_, 0);
    if (!root) return root.error();
    if (auto status = settle(root.value()); !status) return status.error();
    auto chosen = choose(root.value());
    if (!chosen) return chosen.error();
    JubeBenchmark result{.node = std::move(chosen).value()};
    if (auto status = resolve_uses(result.node, result.node); !status) return status.error();
    for (JubeNode* around : {&root.value(), &result.node}) {
      for (JubeNode& node : around->children) {
        if (!is_set(node.name)) continue;
        if (auto status = add_set(std::move(node), result); !status) return status.error();
      }
      std::erase_if(around->children,
                    [](const JubeNode& node) { return node.name.empty() || is_set(node.name); });
    }
    result.texts = std::move(texts_);
    return result;
  }

 private:
  // Files.

  static bool has(const std::vector<StudyText>& texts, const fs::path& path) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const StudyText& text) { return text.path == path.string(); });
  }
  [[nodiscard]] bool exists(const fs::path& path) const {
    if (kept_.empty()) {
      std::error_code code;
      return fs::is_regular_file(path, code);
    }
    return has(kept_, path);
  }

  base::Result<StudyText> read(const fs::path& path) {
    if (++reads_ > kMostReads) {
      return base::Error{
          base::ErrorCode::kInvalidArgument,
          fmt::format("{}: files include one another without an end", file_.string())};
    }
    StudyText result{.path = path.string()};
    if (kept_.empty()) {
      const auto text = base::MappedFile::open(path);
      if (!text) return text.error();
      result.text = std::string(text.value().text());
    } else {
      if (!exists(path)) {
        return base::Error{base::ErrorCode::kCorrupt,
                           fmt::format("{} is not among the texts that were kept", path.string())};
      }
      for (const StudyText& text : kept_) {
        if (text.path == path.string()) result.text = text.text;
      }
    }
    if (!has(texts_, path)) texts_.push_back(result);
    return result;
  }

  /// In the folders of include-path, and beside the study.
  base::Result<fs::path> find(const std::string& name) const {
    std::vector<fs::path> folders = folders_;
    folders.push_back(file_.parent_path());
    for (const fs::path& folder : folders) {
      if (exists(folder / name)) return folder / name;
    }
    return base::Error{base::ErrorCode::kNotFound, fmt::format("there is no file {}", name),
                       "It is looked for beside the study and in the folders of include-path."};
  }

  base::Result<JubeNode> tree(const fs::path& path, int depth) {
    if (depth > kMostIncludes) {
      return base::Error{
          base::ErrorCode::kInvalidArgument,
          fmt::format("{}: files include one another without an end", path.string())};
    }
    auto text = read(path);
    if (!text) return text.error();
    const std::string extension = path.extension().string();
    if (extension != ".yaml" && extension != ".yml") {
      return jube_tree_of_xml(text.value().text, path.string());
    }
    const JubeYamlSource source{
        .include = [&](const std::string& name) -> base::Result<StudyText> {
          const auto found = find(name);
          if (!found) return found.error();
          return read(found.value());
        },
        .search_in = [&](const std::string& folder) { search_in(path.parent_path() / folder); }};
    return jube_tree_of_yaml(text.value().text, path.string(), source);
  }

  void search_in(const fs::path& folder) {
    if (std::find(folders_.begin(), folders_.end(), folder) == folders_.end()) {
      folders_.push_back(folder);
    }
  }

  // Tags and <include>.

  [[nodiscard]] base::Result<bool> is_in(const JubeNode& node) const {
    const auto tag = node.attribute("tag");
    if (!tag) return true;
    const auto holds = jube_tags_hold(*tag, tags_);
    if (!holds) return wrong(node, holds.error().message, holds.error().advice);
    return holds;
  }

  base::Status remove_by_tags(JubeNode& node) const {
    std::optional<base::Error> error;
    std::erase_if(node.children, [&](const JubeNode& child) {
      const auto holds = is_in(child);
      if (!holds && !error) error = holds.error();
      return holds && !holds.value();
    });
    if (error) return *error;
    for (JubeNode& child : node.children) {
      if (auto status = remove_by_tags(child); !status) return status;
    }
    return {};
  }

  /// Takes out what tags exclude and brings in what is included, which may bring in more tags.
  base::Status settle(JubeNode& root) {
    for (int round = 0; round < 2; ++round) {
      if (auto status = take_selection(root); !status) return status;
    }
    if (auto status = remove_by_tags(root); !status) return status;
    for (const JubeNode& node : root.children) {
      if (node.name != "include-path") continue;
      std::vector<std::string> paths;
      if (!node.text.empty()) paths.push_back(node.text);
      for (const JubeNode& path : node.children) paths.push_back(path.text);
      for (const std::string& path : paths) {
        if (path.find('$') != std::string::npos || path.starts_with('~')) {
          return unsupported(node, "a variable in <include-path>", "paths are taken as they are",
                             "Write the path itself.");
        }
        search_in(file_.parent_path() / path);
      }
    }
    size_t count = 0;
    if (auto status = include(root, 0, count); !status) return status;
    return remove_by_tags(root);
  }

  base::Status take_selection(const JubeNode& root) {
    for (const JubeNode& selection : root.children) {
      if (selection.name != "selection") continue;
      JubeNode chosen = selection;
      if (auto status = remove_by_tags(chosen); !status) return status;
      const auto holds = is_in(selection);
      if (!holds) return holds.error();
      if (!holds.value()) continue;
      for (const JubeNode& node : chosen.children) {
        for (const std::string& name : split(node.text)) {
          if (node.name == "tag") tags_.insert(name);
          if (node.name == "only") only_.insert(name);
          if (node.name == "not") not_.insert(name);
        }
      }
    }
    return {};
  }

  base::Status include(JubeNode& node, int depth, size_t& count) {
    if (depth > kMostJubeDepth) {
      return wrong(node, "files include one another without an end");
    }
    for (size_t i = 0; i < node.children.size();) {
      JubeNode& child = node.children[i];
      if (++count > kMostJubeNodes) return wrong(child, "files include too many elements");
      if (child.name != "include") {
        if (auto status = include(child, depth + 1, count); !status) return status;
        ++i;
        continue;
      }
      const auto holds = is_in(child);
      if (!holds) return holds.error();
      if (!holds.value()) {
        node.children.erase(node.children.begin() + static_cast<ptrdiff_t>(i));
        continue;
      }
      const auto path = find(child.attribute("from", ""));
      if (!path) return wrong(child, path.error().message, path.error().advice);
      const auto other = tree(path.value(), 1);
      if (!other) return other.error();
      std::vector<JubeNode> found;
      for (const JubeNode* one : jube_nodes_at(other.value(), child.attribute("path", "."))) {
        found.push_back(*one);
      }
      if (found.empty()) {
        return wrong(child, fmt::format("{} has no element '{}'", path.value().string(),
                                        child.attribute("path", ".")));
      }
      const auto place = node.children.erase(node.children.begin() + static_cast<ptrdiff_t>(i));
      node.children.insert(place, std::make_move_iterator(found.begin()),
                           std::make_move_iterator(found.end()));
    }
    return {};
  }

  // Sets.

  base::Result<JubeNode> choose(JubeNode& root) {
    if (root.name == "benchmark") return std::move(root);
    for (JubeNode& node : root.children) {
      if (node.name != "benchmark") continue;
      const std::string name = node.attribute("name", "");
      if (not_.contains(name) || (!only_.empty() && !only_.contains(name))) continue;
      JubeNode chosen = std::move(node);
      node.name.clear();
      return chosen;
    }
    return wrong(root, "there is no <benchmark> to run",
                 "A <jube> has a <benchmark>; <selection> and tags may leave it out.");
  }

  static const JubeNode* with_name(const JubeNode& node, std::string_view element,
                                   const std::string& name) {
    if ((element.empty() ? is_set(node.name) : node.name == element) &&
        node.attribute("name") == name) {
      return &node;
    }
    for (const JubeNode& child : node.children) {
      if (const JubeNode* found = with_name(child, element, name)) return found;
    }
    return nullptr;
  }

  /// A set of another file, with what it is initialised with.
  /// element  "": any kind of set.
  base::Result<JubeNode> set_from(const JubeNode& asks, const std::string& file,
                                  std::string_view element, const std::string& name, int depth) {
    const auto path = file.empty() ? base::Result<fs::path>(file_) : find(file);
    if (!path) return wrong(asks, path.error().message, path.error().advice);
    auto root = tree(path.value(), depth);
    if (!root) return root.error();
    if (auto status = remove_by_tags(root.value()); !status) return status.error();
    size_t count = 0;
    if (auto status = include(root.value(), 0, count); !status) return status.error();
    const JubeNode* found = with_name(root.value(), element, name);
    if (found == nullptr) {
      return wrong(asks, fmt::format("{} has no set '{}'", path.value().string(), name));
    }
    JubeNode set = *found;
    // Its files are beside it.
    const fs::path folder =
        path.value().parent_path().lexically_relative(file_.parent_path()).lexically_normal();
    for (JubeNode& child : set.children) {
      if (child.name != "copy" && child.name != "link") continue;
      child.set("file_path_ref", (folder / child.attribute("file_path_ref", "")).string());
    }
    if (auto status = initialise(set, depth); !status) return status.error();
    return set;
  }

  base::Status initialise(JubeNode& set, int depth) {
    const auto from = set.attribute("init_with");
    if (!from) return {};
    const std::vector<std::string> parts = split(*from, ":");
    const std::string name = parts.size() > 1 ? parts[1] : set.attribute("name", "");
    auto first = set_from(set, parts[0], set.name, name, depth + 1);
    if (!first) return first.error();
    if (set.name == "parameterset" && !set.attribute("duplicate") &&
        first.value().attribute("duplicate")) {
      set.set("duplicate", *first.value().attribute("duplicate"));
    }
    set.children.insert(set.children.begin(), first.value().children.begin(),
                        first.value().children.end());
    std::erase_if(set.attributes, [](const auto& entry) { return entry.first == "init_with"; });
    return {};
  }

  base::Status add_set(JubeNode set, JubeBenchmark& to) {
    const std::string name = set.attribute("name", "");
    if (name.empty()) return wrong(set, fmt::format("a <{}> needs a 'name'", set.name));
    if (auto status = initialise(set, 0); !status) return status;
    const Place place = set.place;
    const auto [found, is_new] = to.sets.emplace(name, std::move(set));
    if (is_new) return {};
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("{}: there are two sets '{}', the other in {}", place.text(),
                                   name, found->second.place.text())};
  }

  /// <use from="file">a,b</use> uses sets that the benchmark has under names of their own.
  base::Status resolve_uses(JubeNode& node, JubeNode& benchmark) {
    std::vector<JubeNode> sets;
    const auto walk = [&](const auto& self, JubeNode& at) -> base::Status {
      for (JubeNode& child : at.children) {
        if (child.name == "use" && child.attribute("from") && !child.text.empty()) {
          if (auto status = resolve_use(child, sets); !status) return status;
        }
        if (auto status = self(self, child); !status) return status;
      }
      return {};
    };
    if (auto status = walk(walk, node); !status) return status;
    for (JubeNode& set : sets) benchmark.children.push_back(std::move(set));
    return {};
  }

  base::Status resolve_use(JubeNode& use, std::vector<JubeNode>& sets) {
    const std::string from = *use.attribute("from");
    const std::vector<std::string> names = split(use.text);
    if (use.text.find('$') != std::string::npos) {
      return unsupported(use, "a parameter in the name of a set",
                         "all runs of a step use the same sets",
                         "Name all sets, or choose one by a tag.");
    }
    // What is used is split at commas again.
    std::string where = from;
    std::replace(where.begin(), where.end(), ',', ';');
    const auto own_name = [&](const std::string& name) {
      return fmt::format("{} of {}", name, where);
    };
    for (const std::string& source : split(from)) {
      const std::vector<std::string> parts = split(source, ":");
      const std::vector<std::string> wanted =
          parts.size() > 1 ? std::vector<std::string>(parts.begin() + 1, parts.end()) : names;
      for (const std::string& name : wanted) {
        const bool is_there = std::any_of(sets.begin(), sets.end(), [&](const JubeNode& set) {
          return set.attribute("name") == own_name(name);
        });
        if (is_there) continue;
        auto set = set_from(use, parts[0], "", name, 1);
        if (!set) return set.error();
        set.value().set("name", own_name(name));
        sets.push_back(std::move(set).value());
      }
    }
    use.text.clear();
    for (const std::string& name : names) {
      use.text += (use.text.empty() ? "" : ",") + own_name(name);
    }
    return {};
  }

  const fs::path& file_;
  std::set<std::string> tags_;
  const std::vector<StudyText>& kept_;
  std::vector<fs::path> folders_;
  std::vector<StudyText> texts_;
  std::set<std::string> only_;
  std::set<std::string> not_;
  size_t reads_ = 0;
};

}  // namespace

base::Result<JubeBenchmark> read_jube_benchmark(const fs::path& file,
                                                const std::vector<std::string>& tags,
                                                const std::vector<StudyText>& kept) {
  return Loader(file, tags, kept).run();
}

}  // namespace pathline::campaign
