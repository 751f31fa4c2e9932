// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <unordered_map>

#include "base/result.hpp"
#include "network/network.hpp"

namespace pathline::network {

/// A tree of switches with nodes below them, each with a name. A route goes up to the lowest switch
/// above both ends and down again.
///
/// Nodes are numbered as the file names them, switches follow. Links: two for each child, up and
/// down, by the child's number. The address of a node is the number of the switch above it at each
/// level from below the root on (the lowest one repeated where its branch is shorter), then its
/// own.
class Tree : public Network {
 public:
  /// One switch and what hangs on it.
  struct Branch {
    std::string parent;
    std::vector<std::string> children;
    size_t line = 0;  ///< Of the file, for messages.
  };
  /// errors  kInvalidArgument naming file and line: a child with two parents, a ring, more than one
  ///         root, a switch without anything below it, more than 2^20 vertices.
  static base::Result<std::unique_ptr<Tree>> make(std::vector<Branch> branches, std::string spec,
                                                  const std::string& file);

  [[nodiscard]] std::string spec() const override { return spec_; }
  [[nodiscard]] uint32_t distance(Vertex from, Vertex to) const override;
  [[nodiscard]] uint32_t fewest_hops(Vertex from, Vertex to) const override {
    return distance(from, to);
  }
  void route(Vertex from, Vertex to, std::vector<Link>& links) const override;
  [[nodiscard]] uint32_t diameter() const override { return diameter_; }
  void coordinates(Vertex node, std::span<uint32_t> address) const override;
  [[nodiscard]] Vertex node(std::span<const uint32_t> address) const override;
  [[nodiscard]] std::string name(Vertex vertex) const override { return names_[vertex]; }
  [[nodiscard]] Vertex find(std::string_view name) const override;

 private:
  Tree() = default;
  std::string spec_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, uint32_t> vertex_of_name_;  // Nodes only.
  std::vector<uint32_t> parent_;                              // Of the root: itself.
  std::vector<uint32_t> depth_;
  uint32_t diameter_ = 0;
};

/// A tree from a text of lines `PARENT CHILD...` (a colon behind the parent is allowed, names may
/// be host lists such as n[0-7], # begins a comment). What has no children is a node.
base::Result<std::unique_ptr<Tree>> read_tree(std::string_view text, const std::string& file);

/// The lines of Slurm's topology.conf (plug-in topology/tree), whatever they make up: switches may
/// have several parents, or be no tree at all.
/// errors  kCorrupt naming file and line; kUnsupported for the blocks of topology/block.
base::Result<std::vector<Tree::Branch>> parse_slurm_topology(std::string_view text,
                                                             const std::string& file);

/// A tree from Slurm's topology.conf (plug-in topology/tree): SwitchName= with Nodes= or Switches=.
/// errors  kUnsupported for the blocks of topology/block.
base::Result<std::unique_ptr<Tree>> read_slurm_topology(std::string_view text,
                                                        const std::string& file);

}  // namespace pathline::network
