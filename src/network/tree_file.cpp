// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "network/host_list.hpp"
#include "network/lines.hpp"
#include "network/tree.hpp"

namespace pathline::network {
namespace {

base::Error at_line(const std::string& file, size_t line, std::string_view fact) {
  return {base::ErrorCode::kCorrupt,
          fmt::format("cannot read {}: line {}: {}", base::printable(file), line, fact)};
}

/// Appends the names of a host list.
base::Status expand(std::string_view list, std::vector<std::string>& names, const std::string& file,
                    size_t line) {
  auto expanded = expand_host_list(list);
  if (!expanded) return at_line(file, line, expanded.error().message);
  for (std::string& name : expanded.value()) names.push_back(std::move(name));
  return {};
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

base::Result<std::unique_ptr<Tree>> read_tree(std::string_view text, const std::string& file) {
  std::vector<Tree::Branch> branches;
  for (Lines lines(text, '#'); lines.next();) {
    if (lines.words().empty()) continue;
    Tree::Branch branch;
    branch.line = lines.number();
    std::string_view parent = lines.words()[0];
    if (parent.ends_with(':')) parent.remove_suffix(1);
    branch.parent = std::string(parent);
    for (const std::string_view word : lines.words().subspan(1)) {
      if (word == ":") continue;
      if (auto status = expand(word, branch.children, file, branch.line); !status) {
        return status.error();
      }
    }
    if (branch.children.empty()) {
      return at_line(file, branch.line,
                     fmt::format("'{}' stands alone: expected PARENT CHILD...",
                                 base::printable(branch.parent)));
    }
    branches.push_back(std::move(branch));
  }
  return Tree::make(std::move(branches), "tree:" + file, file);
}

base::Result<std::vector<Tree::Branch>> parse_slurm_topology(std::string_view text,
                                                             const std::string& file) {
  std::vector<Tree::Branch> branches;
  std::map<std::string, size_t> listed_switches;  // Name, first line.
  std::map<std::string, size_t> listed_nodes;
  for (Lines lines(text, '#', '\\'); lines.next();) {
    if (lines.words().empty()) continue;
    Tree::Branch branch;
    branch.line = lines.number();
    for (const std::string_view word : lines.words()) {
      const size_t equals = word.find('=');
      const std::string key = lower(word.substr(0, equals));
      const std::string_view value =
          equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
      if (key == "blockname" || key == "blocksizes") {
        base::Error error = at_line(file, branch.line, "this is a topology of blocks, not a tree");
        error.code = base::ErrorCode::kUnsupported;
        return error;
      }
      if (equals == std::string_view::npos || value.empty()) {
        return at_line(file, branch.line,
                       fmt::format("'{}' is not KEY=VALUE", base::printable(word)));
      }
      if (key == "switchname") {
        branch.parent = std::string(value);
      } else if (key == "nodes" || key == "switches") {
        const size_t before = branch.children.size();
        if (auto status = expand(value, branch.children, file, branch.line); !status) {
          return status.error();
        }
        auto& listed = key == "nodes" ? listed_nodes : listed_switches;
        for (size_t i = before; i < branch.children.size(); ++i) {
          listed.emplace(branch.children[i], branch.line);
        }
      } else if (key != "linkspeed") {
        return at_line(file, branch.line,
                       fmt::format("unknown key '{}'; expected SwitchName, Nodes, Switches or "
                                   "LinkSpeed",
                                   base::printable(word.substr(0, equals))));
      }
    }
    if (branch.parent.empty()) return at_line(file, branch.line, "no SwitchName");
    if (branch.children.empty()) {
      return at_line(
          file, branch.line,
          fmt::format("switch {} has neither Nodes nor Switches", base::printable(branch.parent)));
    }
    branches.push_back(std::move(branch));
  }
  std::set<std::string> switches;
  for (const Tree::Branch& branch : branches) switches.insert(branch.parent);
  for (const auto& [name, line] : listed_switches) {
    if (!switches.contains(name)) {
      return at_line(file, line,
                     fmt::format("switch {} has no line of its own", base::printable(name)));
    }
  }
  for (const auto& [name, line] : listed_nodes) {
    if (switches.contains(name)) {
      return at_line(
          file, line,
          fmt::format("{} is a node here and a switch elsewhere", base::printable(name)));
    }
  }
  return branches;
}

base::Result<std::unique_ptr<Tree>> read_slurm_topology(std::string_view text,
                                                        const std::string& file) {
  auto branches = parse_slurm_topology(text, file);
  if (!branches) return branches.error();
  return Tree::make(std::move(branches).value(), "slurm:" + file, file);
}

}  // namespace pathline::network
