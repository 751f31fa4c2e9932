// SPDX-License-Identifier: BSD-3-Clause
#include "network/network.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pathline::network {

Link Network::link(Vertex from, Vertex to) const {
  const auto out = hops(from);
  const auto found = std::lower_bound(out.begin(), out.end(), to,
                                      [](const Hop& hop, Vertex v) { return hop.to < v; });
  return found != out.end() && found->to == to ? found->link : Link::none();
}

std::string Network::name(Vertex vertex) const {
  if (dimensions_.empty() || vertex >= node_count_) return fmt::format("{}", uint32_t{vertex});
  std::vector<uint32_t> address(dimensions_.size());
  coordinates(vertex, address);
  return fmt::format("({})", fmt::join(address, " "));
}

Vertex Network::find(std::string_view) const { return Vertex::none(); }

void Network::set_links(uint32_t node_count, uint32_t vertex_count, std::vector<Ends> ends,
                        std::vector<Dimension> dimensions) {
  node_count_ = node_count;
  ends_ = std::move(ends);
  dimensions_ = std::move(dimensions);
  first_.assign(size_t{vertex_count} + 1, 0);
  for (const Ends& end : ends_) {
    if (end.from.valid()) ++first_[end.from + size_t{1}];
  }
  for (size_t v = 0; v < vertex_count; ++v) first_[v + 1] += first_[v];
  hops_.resize(first_.back());
  std::vector<uint64_t> next(first_.begin(), first_.end() - 1);
  for (size_t link = 0; link < ends_.size(); ++link) {
    if (!ends_[link].from.valid()) continue;
    hops_[next[ends_[link].from]++] = {ends_[link].to, Link(link)};
  }
  for (size_t v = 0; v < vertex_count; ++v) {
    std::sort(
        hops_.begin() + static_cast<ptrdiff_t>(first_[v]),
        hops_.begin() + static_cast<ptrdiff_t>(first_[v + 1]),
        [](const Hop& a, const Hop& b) { return a.to != b.to ? a.to < b.to : a.link < b.link; });
  }
}

}  // namespace pathline::network
