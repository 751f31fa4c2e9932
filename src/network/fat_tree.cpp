// SPDX-License-Identifier: BSD-3-Clause
#include "network/fat_tree.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pathline::network {
namespace {

constexpr uint64_t kMaxNodes = uint64_t{1} << 20;
constexpr uint32_t kMaxLevels = 20;
constexpr uint64_t kMaxCables = kMaxNodes * kMaxLevels;

base::Error invalid(std::string message) {
  return {base::ErrorCode::kInvalidArgument, std::move(message)};
}

/// Whether nodes, vertices of each level and cables are within the limits. None of the numbers is
/// 0.
bool fits(const FatTreeShape& shape) {
  const size_t levels = shape.children.size();
  uint64_t nodes = 1;
  for (const uint32_t m : shape.children) {
    nodes *= m;
    if (nodes > kMaxNodes) return false;
  }
  uint64_t count = nodes;  // Of vertices of a level; every one has a cable at least.
  uint64_t cables = 0;
  for (size_t l = 0; l < levels; ++l) {
    if (shape.parents[l] > kMaxCables || shape.cables[l] > kMaxCables) return false;
    const uint64_t ports = uint64_t{shape.parents[l]} * shape.cables[l];
    if (ports > kMaxCables) return false;
    cables += count * ports;
    if (cables > kMaxCables) return false;
    count = count / shape.children[l] * shape.parents[l];
  }
  return true;
}

bool is_kary(const FatTreeShape& shape) {
  const uint32_t k = shape.children.front();
  const auto all = [](auto begin, auto end, uint32_t value) {
    return std::all_of(begin, end, [&](uint32_t n) { return n == value; });
  };
  return shape.parents.front() == 1 && all(shape.children.begin(), shape.children.end(), k) &&
         all(shape.parents.begin() + 1, shape.parents.end(), k) &&
         all(shape.cables.begin(), shape.cables.end(), 1);
}

}  // namespace

base::Result<std::unique_ptr<FatTree>> FatTree::make(FatTreeShape shape) {
  const size_t levels = shape.children.size();
  if (levels == 0 || levels > kMaxLevels) {
    return invalid(fmt::format("a fat tree has 1 to {} levels, not {}", kMaxLevels, levels));
  }
  if (shape.cables.empty()) shape.cables.assign(levels, 1);
  if (shape.parents.size() != levels || shape.cables.size() != levels) {
    return invalid(fmt::format("children of {} levels, but parents of {} and cables of {}", levels,
                               shape.parents.size(), shape.cables.size()));
  }
  for (const auto* numbers : {&shape.children, &shape.parents, &shape.cables}) {
    if (std::find(numbers->begin(), numbers->end(), 0U) != numbers->end()) {
      return invalid("a fat tree has at least one child, parent and cable everywhere");
    }
  }
  if (!fits(shape)) {
    return invalid(
        fmt::format("a fat tree has at most {} nodes and {} cables", kMaxNodes, kMaxCables));
  }
  return std::unique_ptr<FatTree>(new FatTree(std::move(shape)));
}

base::Result<std::unique_ptr<FatTree>> FatTree::make(uint32_t arity, uint32_t levels) {
  FatTreeShape shape;
  const size_t count = std::min(levels, kMaxLevels + 1);
  shape.children.assign(count, arity);
  shape.parents.assign(count, arity);
  if (count > 0) shape.parents.front() = 1;
  auto made = make(std::move(shape));
  if (made) return made;
  return invalid(fmt::format(
      "a fat tree of {},{} must have at least one port and level, at most {} levels and {} nodes",
      arity, levels, kMaxLevels, kMaxNodes));
}

FatTree::FatTree(FatTreeShape shape) : shape_(std::move(shape)) {
  parents_below_.assign(1, 1);
  children_below_.assign(1, 1);
  for (uint32_t l = 0; l < levels(); ++l) {
    parents_below_.push_back(parents_below_.back() * shape_.parents[l]);
    children_below_.push_back(children_below_.back() * shape_.children[l]);
  }
  const uint32_t nodes = children_below_.back();
  first_vertex_.assign(1, 0);
  first_cable_.assign(1, 0);
  std::vector<uint32_t> counts;
  for (uint32_t l = 0; l <= levels(); ++l) {
    counts.push_back(nodes / children_below_[l] * parents_below_[l]);
    first_vertex_.push_back(first_vertex_.back() + counts.back());
    if (l < levels()) first_cable_.push_back(first_cable_.back() + counts.back() * ports(l));
  }
  std::vector<Ends> ends;
  ends.reserve(size_t{2} * first_cable_.back());
  for (uint32_t tier = 0; tier < levels(); ++tier) {
    for (uint32_t number = 0; number < counts[tier]; ++number) {
      const Vertex lower(first_vertex_[tier] + number);
      for (uint32_t port = 0; port < ports(tier); ++port) {
        const Vertex upper(first_vertex_[tier + 1] +
                           above(tier, number, port % shape_.parents[tier]));
        ends.push_back({lower, upper});
        ends.push_back({upper, lower});
      }
    }
  }
  std::vector<Dimension> dimensions;
  for (uint32_t d = levels(); d-- > 0;) {
    dimensions.push_back({fmt::format("p{}", d), shape_.children[d]});
  }
  set_links(nodes, first_vertex_.back(), std::move(ends), std::move(dimensions));
}

std::string FatTree::spec() const {
  if (is_kary(shape_)) return fmt::format("fattree:{},{}", shape_.children.front(), levels());
  std::string text =
      fmt::format("xgft:{};{}", fmt::join(shape_.children, ","), fmt::join(shape_.parents, ","));
  if (std::any_of(shape_.cables.begin(), shape_.cables.end(), [](uint32_t p) { return p > 1; })) {
    text += fmt::format(";{}", fmt::join(shape_.cables, ","));
  }
  return text;
}

uint32_t FatTree::climb(uint32_t from, uint32_t to) const {
  uint32_t level = 0;
  for (; from != to; ++level) {
    from /= shape_.children[level];
    to /= shape_.children[level];
  }
  return level;
}

FatTree::Place FatTree::place(Vertex vertex) const {
  const auto next = std::upper_bound(first_vertex_.begin(), first_vertex_.end(), uint32_t{vertex});
  const auto level = static_cast<uint32_t>(next - first_vertex_.begin() - 1);
  return {level, vertex - first_vertex_[level]};
}

uint32_t FatTree::digit(Place place, uint32_t d) const {
  if (d < place.level) return place.number / parents_below_[d] % shape_.parents[d];
  const uint32_t stride =
      parents_below_[place.level] * (children_below_[d] / children_below_[place.level]);
  return place.number / stride % shape_.children[d];
}

uint32_t FatTree::above(uint32_t tier, uint32_t number, uint32_t value) const {
  const uint32_t stride = parents_below_[tier];
  const uint32_t high = number / stride / shape_.children[tier];
  return number % stride + stride * (value + shape_.parents[tier] * high);
}

uint32_t FatTree::below(uint32_t tier, uint32_t number, uint32_t value) const {
  const uint32_t stride = parents_below_[tier];
  const uint32_t high = number / stride / shape_.parents[tier];
  return number % stride + stride * (value + shape_.children[tier] * high);
}

uint32_t FatTree::distance(Vertex from, Vertex to) const { return 2 * climb(from, to); }

uint32_t FatTree::fewest_hops(Vertex from, Vertex to) const {
  Place lower = place(from);
  Place upper = place(to);
  if (lower.level > upper.level) std::swap(lower, upper);
  // A way crosses every tier whose digit differs, and is a walk up and down the levels otherwise;
  // the digits between the levels of its ends are free.
  uint32_t low = lower.level;
  uint32_t high = upper.level;
  for (uint32_t d = 0; d < levels(); ++d) {
    if (digit(lower, d) == digit(upper, d)) continue;
    if (d < lower.level) low = std::min(low, d);
    if (d >= upper.level) high = std::max(high, d + 1);
  }
  return 2 * (high - low) - (upper.level - lower.level);
}

void FatTree::route(Vertex from, Vertex to, std::vector<Link>& links) const {
  const uint32_t top = climb(from, to);
  const auto cable = [&](uint32_t tier, uint32_t lower, uint32_t port) {
    return 2 * (first_cable_[tier] + lower * ports(tier) + port);
  };
  uint32_t at = from;
  for (uint32_t tier = 0; tier < top; ++tier) {
    const uint32_t port = to / parents_below_[tier] % ports(tier);
    links.emplace_back(cable(tier, at, port));
    at = above(tier, at, port % shape_.parents[tier]);
  }
  // SimGrid numbers the ports of a switch downwards by child + m * cable and looks for one that
  // leads to the destination from cable source mod p on. At the next switch it goes on behind the
  // number it has found, and begins anew if there is none. That is the same wherever there is one
  // cable.
  uint32_t search_from = UINT32_MAX;
  for (uint32_t tier = top; tier-- > 0;) {
    const uint32_t children = shape_.children[tier];
    const uint32_t child = to / children_below_[tier] % children;
    uint32_t port = from % shape_.cables[tier] * children + child;
    if (search_from < children * shape_.cables[tier]) {
      const uint32_t behind = (search_from + children - 1 - child) / children * children + child;
      if (behind < children * shape_.cables[tier]) port = behind;
    }
    const uint32_t parent_digit = at / parents_below_[tier] % shape_.parents[tier];
    at = below(tier, at, child);
    links.emplace_back(cable(tier, at, parent_digit + shape_.parents[tier] * (port / children)) +
                       1);
    search_from = port + 1;
  }
}

uint32_t FatTree::diameter() const {
  for (uint32_t level = levels(); level > 0; --level) {
    if (shape_.children[level - 1] > 1) return 2 * level;
  }
  return 0;
}

void FatTree::coordinates(Vertex node, std::span<uint32_t> address) const {
  for (uint32_t d = 0; d < levels(); ++d) address[levels() - 1 - d] = digit({0, node}, d);
}

Vertex FatTree::node(std::span<const uint32_t> address) const {
  if (address.size() != levels()) return Vertex::none();
  uint32_t v = 0;
  for (uint32_t d = levels(); d-- > 0;) {
    const uint32_t value = address[levels() - 1 - d];
    if (value >= shape_.children[d]) return Vertex::none();
    v = v * shape_.children[d] + value;
  }
  return Vertex(v);
}

std::string FatTree::name(Vertex vertex) const {
  if (vertex < node_count()) return Network::name(vertex);
  const Place at = place(vertex);
  return fmt::format("switch {}.{}", at.level - 1, at.number);
}

}  // namespace pathline::network
