// SPDX-License-Identifier: BSD-3-Clause
#include "network/fat_tree.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pathline::network {

base::Result<std::unique_ptr<FatTree>> FatTree::make(uint32_t arity, uint32_t levels) {
  constexpr uint64_t kMaxNodes = uint64_t{1} << 20;
  constexpr uint32_t kMaxLevels = 20;
  uint64_t nodes = 1;
  for (uint32_t l = 0; l < std::min(levels, kMaxLevels + 1) && nodes <= kMaxNodes; ++l) {
    nodes *= arity;
  }
  if (arity == 0 || levels == 0 || levels > kMaxLevels || nodes > kMaxNodes) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("a fat tree of {},{} must have at least one port and level, at "
                                   "most {} levels and {} nodes",
                                   arity, levels, kMaxLevels, kMaxNodes)};
  }
  return std::unique_ptr<FatTree>(new FatTree(arity, levels));
}

FatTree::FatTree(uint32_t arity, uint32_t levels) : arity_(arity), levels_(levels) {
  power_.assign(1, 1);
  for (uint32_t l = 0; l < levels; ++l) power_.push_back(power_.back() * arity);
  const uint32_t nodes = power_[levels];
  const uint32_t words = power_[levels - 1];
  const auto vertex = [&](uint32_t level, uint32_t word) {
    return Vertex(nodes + level * words + word);
  };
  std::vector<Ends> ends;
  ends.reserve(size_t{2} * levels * nodes);
  const auto join = [&](Vertex lower, Vertex upper) {
    ends.push_back({lower, upper});
    ends.push_back({upper, lower});
  };
  for (uint32_t v = 0; v < nodes; ++v) join(Vertex(v), vertex(0, v / arity));
  for (uint32_t level = 0; level + 1 < levels; ++level) {
    for (uint32_t word = 0; word < words; ++word) {
      const uint32_t rest = word - digit(word, level) * power_[level];
      for (uint32_t port = 0; port < arity; ++port) {
        join(vertex(level, word), vertex(level + 1, rest + port * power_[level]));
      }
    }
  }
  std::vector<Dimension> dimensions;
  for (uint32_t d = levels; d-- > 0;) dimensions.push_back({fmt::format("p{}", d), arity});
  set_links(nodes, nodes + levels * words, std::move(ends), std::move(dimensions));
}

std::string FatTree::spec() const { return fmt::format("fattree:{},{}", arity_, levels_); }

uint32_t FatTree::climb(uint32_t from, uint32_t to) const {
  uint32_t level = 0;
  for (; from != to; ++level) {
    from /= arity_;
    to /= arity_;
  }
  return level;
}

uint32_t FatTree::distance(Vertex from, Vertex to) const { return 2 * climb(from, to); }

uint32_t FatTree::fewest_hops(Vertex from, Vertex to) const {
  if (from == to) return 0;
  // A way visits every tier whose digit differs, and is a walk up and down the levels otherwise.
  uint32_t hops = 0;
  const auto place = [&](Vertex v, int64_t& level, uint32_t& word) {
    if (v < node_count()) {
      ++hops;
      level = 0;
      word = v / arity_;
    } else {
      const uint32_t words = power_[levels_ - 1];
      level = (v - node_count()) / words;
      word = (v - node_count()) % words;
    }
  };
  int64_t a = 0;
  int64_t b = 0;
  uint32_t from_word = 0;
  uint32_t to_word = 0;
  place(from, a, from_word);
  place(to, b, to_word);
  int64_t low = std::min(a, b);
  int64_t high = std::max(a, b);
  const int64_t between = high - low;
  for (uint32_t d = 0; d + 1 < levels_; ++d) {
    if (digit(from_word, d) == digit(to_word, d)) continue;
    low = std::min<int64_t>(low, d);
    high = std::max<int64_t>(high, d + 1);
  }
  return hops + static_cast<uint32_t>(2 * (high - low) - between);
}

void FatTree::route(Vertex from, Vertex to, std::vector<Link>& links) const {
  const uint32_t top = climb(from, to);
  if (top == 0) return;
  const uint32_t per_tier = power_[levels_];
  // Links of tier t from the lower end: number (t * k^n + lower * k + port), of nodes just v.
  const auto number = [&](uint32_t tier, uint32_t lower, uint32_t port, bool down) {
    const uint32_t edge = tier == 0 ? lower : tier * per_tier + lower * arity_ + port;
    return Link(2 * edge + (down ? 1 : 0));
  };
  links.push_back(number(0, from, 0, false));
  uint32_t word = from / arity_;
  for (uint32_t level = 0; level + 1 < top; ++level) {
    const uint32_t port = digit(to, level);
    links.push_back(number(level + 1, word, port, false));
    word += port * power_[level] - digit(word, level) * power_[level];
  }
  for (uint32_t level = top - 1; level-- > 0;) {
    // The lower switch has the destination's digit in its word, the upper one keeps its own.
    const uint32_t upper = word;
    word += digit(to, level + 1) * power_[level] - digit(word, level) * power_[level];
    links.push_back(number(level + 1, word, digit(upper, level), true));
  }
  links.push_back(number(0, to, 0, true));
}

uint32_t FatTree::diameter() const { return arity_ == 1 ? 0 : 2 * levels_; }

void FatTree::coordinates(Vertex node, std::span<uint32_t> address) const {
  for (uint32_t d = 0; d < levels_; ++d) address[levels_ - 1 - d] = digit(node, d);
}

Vertex FatTree::node(std::span<const uint32_t> address) const {
  if (address.size() != levels_) return Vertex::none();
  uint32_t v = 0;
  for (const uint32_t value : address) {
    if (value >= arity_) return Vertex::none();
    v = v * arity_ + value;
  }
  return Vertex(v);
}

std::string FatTree::name(Vertex vertex) const {
  if (vertex < node_count()) return Network::name(vertex);
  const uint32_t words = power_[levels_ - 1];
  return fmt::format("switch {}.{}", (vertex - node_count()) / words,
                     (vertex - node_count()) % words);
}

}  // namespace pathline::network
