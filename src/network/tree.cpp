// SPDX-License-Identifier: BSD-3-Clause
#include "network/tree.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::network {
namespace {

constexpr size_t kMaxVertices = size_t{1} << 20;

base::Error invalid(const std::string& file, size_t line, std::string_view fact) {
  return {base::ErrorCode::kInvalidArgument,
          fmt::format("cannot use {}: line {}: {}", base::printable(file), line, fact)};
}

/// Who is above whom, while it is read. Vertices are in the order in which the file names them.
struct Parents {
  std::unordered_map<std::string, uint32_t> number;
  std::vector<std::string> names;
  std::vector<uint32_t> parent;  // UINT32_MAX: none yet.
  std::vector<size_t> line;      // Where it was named first.
  std::vector<bool> is_switch;

  uint32_t vertex(const std::string& name, size_t at_line) {
    const auto [found, added] = number.emplace(name, static_cast<uint32_t>(names.size()));
    if (added) {
      names.push_back(name);
      parent.push_back(UINT32_MAX);
      line.push_back(at_line);
      is_switch.push_back(false);
    }
    return found->second;
  }
};

base::Status add_branch(Parents& tree, const Tree::Branch& branch, const std::string& file) {
  const uint32_t above = tree.vertex(branch.parent, branch.line);
  tree.is_switch[above] = true;
  for (const std::string& child : branch.children) {
    const uint32_t below = tree.vertex(child, branch.line);
    if (tree.names.size() > kMaxVertices) {
      return invalid(file, branch.line, fmt::format("more than {} names", kMaxVertices));
    }
    if (tree.parent[below] != UINT32_MAX) {
      return invalid(file, branch.line,
                     fmt::format("{} is below {}, but was below {} already", base::printable(child),
                                 base::printable(branch.parent),
                                 base::printable(tree.names[tree.parent[below]])));
    }
    tree.parent[below] = above;
  }
  return {};
}

/// errors  a ring, no root, more than one.
base::Result<uint32_t> root_of(const Parents& tree, const std::string& file) {
  uint32_t root = UINT32_MAX;
  for (uint32_t v = 0; v < tree.parent.size(); ++v) {
    if (tree.parent[v] != UINT32_MAX) continue;
    if (root != UINT32_MAX) {
      base::Error error =
          invalid(file, tree.line[v],
                  fmt::format("{} and {} have nothing above them, so no message can go from one to "
                              "the other",
                              base::printable(tree.names[root]), base::printable(tree.names[v])));
      error.advice =
          "Add the switch that joins them, or give the part of the machine that is used.";
      return error;
    }
    root = v;
  }
  if (root == UINT32_MAX) {
    return invalid(file, tree.line.empty() ? 1 : tree.line[0],
                   tree.line.empty() ? "no switch and no node" : "the switches form a ring");
  }
  return root;
}

/// Depth below the root per vertex; UINT32_MAX for what is in a ring.
std::vector<uint32_t> depths(const std::vector<uint32_t>& parent, uint32_t root) {
  std::vector<uint32_t> depth(parent.size(), UINT32_MAX);
  depth[root] = 0;
  std::vector<uint32_t> path;
  for (uint32_t v = 0; v < parent.size(); ++v) {
    path.clear();
    uint32_t at = v;
    while (depth[at] == UINT32_MAX && path.size() <= parent.size()) {
      path.push_back(at);
      at = parent[at];
    }
    if (depth[at] == UINT32_MAX) break;  // One ring is enough to refuse the file.
    for (size_t i = path.size(); i-- > 0;) depth[path[i]] = depth[parent[path[i]]] + 1;
  }
  return depth;
}

}  // namespace

base::Result<std::unique_ptr<Tree>> Tree::make(std::vector<Branch> branches, std::string spec,
                                               const std::string& file) {
  Parents parents;
  for (const Branch& branch : branches) {
    if (auto status = add_branch(parents, branch, file); !status) return status.error();
  }
  auto root = root_of(parents, file);
  if (!root) return root.error();
  parents.parent[root.value()] = root.value();

  // Nodes first, then switches, each in the order of the file.
  const size_t count = parents.names.size();
  std::vector<uint32_t> vertex_of(count);
  uint32_t node_count = 0;
  for (size_t v = 0; v < count; ++v) {
    if (!parents.is_switch[v]) vertex_of[v] = node_count++;
  }
  uint32_t next = node_count;
  for (size_t v = 0; v < count; ++v) {
    if (parents.is_switch[v]) vertex_of[v] = next++;
  }
  std::unique_ptr<Tree> tree(new Tree());
  tree->spec_ = std::move(spec);
  tree->names_.resize(count);
  tree->parent_.resize(count);
  for (size_t v = 0; v < count; ++v) {
    tree->names_[vertex_of[v]] = parents.names[v];
    tree->parent_[vertex_of[v]] = vertex_of[parents.parent[v]];
    if (!parents.is_switch[v]) tree->vertex_of_name_.emplace(parents.names[v], vertex_of[v]);
  }
  tree->depth_ = depths(tree->parent_, vertex_of[root.value()]);
  for (size_t v = 0; v < count; ++v) {
    if (tree->depth_[vertex_of[v]] == UINT32_MAX) {
      return invalid(file, parents.line[v],
                     fmt::format("{} is above itself", base::printable(parents.names[v])));
    }
  }

  std::vector<Ends> ends(2 * count);
  uint32_t deepest = 0;
  std::vector<uint32_t> reach(count, 0);  // Links down to the farthest node below a switch.
  std::vector<uint32_t> by_depth(count);
  for (uint32_t v = 0; v < count; ++v) {
    by_depth[v] = v;
    deepest = std::max(deepest, tree->depth_[v]);
    if (tree->parent_[v] == v) continue;
    ends[2 * v] = {Vertex(v), Vertex(tree->parent_[v])};
    ends[2 * v + 1] = {Vertex(tree->parent_[v]), Vertex(v)};
  }
  std::sort(by_depth.begin(), by_depth.end(), [&](uint32_t a, uint32_t b) {
    return std::make_pair(tree->depth_[b], b) < std::make_pair(tree->depth_[a], a);
  });
  for (const uint32_t v : by_depth) {
    const uint32_t above = tree->parent_[v];
    if (above == v) continue;
    if (reach[above] > 0) tree->diameter_ = std::max(tree->diameter_, reach[above] + reach[v] + 1);
    reach[above] = std::max(reach[above], reach[v] + 1);
  }
  std::vector<Dimension> dimensions;
  const auto switches = static_cast<uint32_t>(count - node_count);
  for (uint32_t level = 1; level < deepest; ++level) {
    dimensions.push_back({fmt::format("level{}", level), switches});
  }
  dimensions.push_back({"node", node_count});
  tree->set_links(node_count, static_cast<uint32_t>(count), std::move(ends), std::move(dimensions));
  return tree;
}

uint32_t Tree::distance(Vertex from, Vertex to) const {
  uint32_t a = from;
  uint32_t b = to;
  uint32_t hops = 0;
  for (; a != b; ++hops) {
    uint32_t& lower = depth_[a] >= depth_[b] ? a : b;
    lower = parent_[lower];
  }
  return hops;
}

void Tree::route(Vertex from, Vertex to, std::vector<Link>& links) const {
  uint32_t a = from;
  uint32_t b = to;
  const size_t up_begin = links.size();
  size_t up_end = up_begin;
  while (a != b) {
    if (depth_[a] >= depth_[b]) {
      links.insert(links.begin() + static_cast<ptrdiff_t>(up_end++), Link(2 * a));
      a = parent_[a];
    } else {
      links.emplace_back(2 * b + 1);
      b = parent_[b];
    }
  }
  std::reverse(links.begin() + static_cast<ptrdiff_t>(up_end), links.end());
}

void Tree::coordinates(Vertex node, std::span<uint32_t> address) const {
  const size_t levels = dimensions().size() - 1;
  address[levels] = node;
  // Parents from the lowest up; address[k] is the switch of depth k + 1.
  uint32_t above = parent_[node];
  for (size_t level = levels; level-- > 0;) {
    while (depth_[above] > level + 1) above = parent_[above];
    address[level] = above - node_count();
  }
}

Vertex Tree::node(std::span<const uint32_t> address) const {
  if (address.size() != dimensions().size() || address.back() >= node_count()) {
    return Vertex::none();
  }
  const Vertex node(address.back());
  std::vector<uint32_t> own(address.size());
  coordinates(node, own);
  return std::equal(own.begin(), own.end(), address.begin()) ? node : Vertex::none();
}

Vertex Tree::find(std::string_view name) const {
  const auto found = vertex_of_name_.find(std::string(name));
  return found == vertex_of_name_.end() ? Vertex::none() : Vertex(found->second);
}

}  // namespace pathline::network
