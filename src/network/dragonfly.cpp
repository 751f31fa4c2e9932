// SPDX-License-Identifier: BSD-3-Clause
#include "network/dragonfly.hpp"

#include <array>

#include <fmt/format.h>

namespace pathline::network {
namespace {

base::Error invalid(std::string message) {
  return {base::ErrorCode::kInvalidArgument, std::move(message)};
}

// Coordinates of an XC40 as its addresses have them, outermost first.
enum : size_t { kGroup, kCabinet, kChassis, kBlade, kNode, kXc40Dimensions };
constexpr uint32_t kCabinets = 2;
constexpr uint32_t kChassisCount = 3;
constexpr uint32_t kBlades = 16;
constexpr uint32_t kNodes = 4;

/// Node numbers between neighbours of a coordinate. The cabinet is the outermost.
std::array<uint32_t, kXc40Dimensions> xc40_strides(uint32_t group_count) {
  constexpr uint32_t kPerGroup = kChassisCount * kBlades * kNodes;
  return {kPerGroup, kPerGroup * group_count, kBlades * kNodes, kNodes, 1};
}

std::array<uint32_t, kXc40Dimensions> xc40_sizes(uint32_t group_count) {
  return {group_count, kCabinets, kChassisCount, kBlades, kNodes};
}

}  // namespace

base::Result<std::unique_ptr<Xc40>> Xc40::make(uint32_t group_count) {
  if (group_count == 0 || group_count > kMaxGroups) {
    return invalid(fmt::format("an XC40 has 1 to {} groups, not {}", kMaxGroups, group_count));
  }
  return std::unique_ptr<Xc40>(new Xc40(group_count));
}

Xc40::Xc40(uint32_t group_count) : group_count_(group_count) {
  const auto sizes = xc40_sizes(group_count_);
  const auto strides = xc40_strides(group_count_);
  const uint32_t nodes = group_count_ * kCabinets * kChassisCount * kBlades * kNodes;
  std::vector<Ends> ends;
  for (uint32_t v = 0; v < nodes; ++v) {
    for (size_t d = kXc40Dimensions; d-- > 0;) {
      const uint32_t at = v / strides[d] % sizes[d];
      for (uint32_t other = 0; other < sizes[d]; ++other) {
        if (other != at)
          ends.push_back({Vertex(v), Vertex(v - at * strides[d] + other * strides[d])});
      }
    }
  }
  set_links(nodes, nodes, std::move(ends),
            {{"group", sizes[kGroup]},
             {"cabinet", sizes[kCabinet]},
             {"chassis", sizes[kChassis]},
             {"blade", sizes[kBlade]},
             {"node", sizes[kNode]}});
}

std::string Xc40::spec() const { return fmt::format("xc40:{}", group_count_); }

uint32_t Xc40::distance(Vertex from, Vertex to) const {
  const auto sizes = xc40_sizes(group_count_);
  const auto strides = xc40_strides(group_count_);
  uint32_t differing = 0;
  for (size_t d = 0; d < kXc40Dimensions; ++d) {
    differing += from / strides[d] % sizes[d] != to / strides[d] % sizes[d] ? 1 : 0;
  }
  return differing;
}

void Xc40::route(Vertex from, Vertex to, std::vector<Link>& links) const {
  const auto sizes = xc40_sizes(group_count_);
  const auto strides = xc40_strides(group_count_);
  Vertex at = from;
  for (size_t d = kXc40Dimensions; d-- > 0;) {
    const uint32_t here = at / strides[d] % sizes[d];
    const uint32_t there = to / strides[d] % sizes[d];
    if (here == there) continue;
    const Vertex next(at - here * strides[d] + there * strides[d]);
    links.push_back(link(at, next));
    at = next;
  }
}

uint32_t Xc40::diameter() const { return group_count_ > 1 ? 5 : 4; }

void Xc40::coordinates(Vertex node, std::span<uint32_t> address) const {
  const auto sizes = xc40_sizes(group_count_);
  const auto strides = xc40_strides(group_count_);
  for (size_t d = 0; d < kXc40Dimensions; ++d) address[d] = node / strides[d] % sizes[d];
}

Vertex Xc40::node(std::span<const uint32_t> address) const {
  const auto sizes = xc40_sizes(group_count_);
  const auto strides = xc40_strides(group_count_);
  if (address.size() != kXc40Dimensions) return Vertex::none();
  uint32_t v = 0;
  for (size_t d = 0; d < kXc40Dimensions; ++d) {
    if (address[d] >= sizes[d]) return Vertex::none();
    v += address[d] * strides[d];
  }
  return Vertex(v);
}

base::Result<std::unique_ptr<Dragonfly>> Dragonfly::make(Shape shape) {
  const uint64_t a = shape.routers_per_group;
  const uint64_t p = shape.nodes_per_router;
  const uint64_t h = shape.globals_per_router;
  constexpr uint64_t kMost = uint64_t{1} << 20;
  if (a == 0 || p == 0 || h == 0) {
    return invalid(
        "a dragonfly has at least one router in a group, node and global link at a router");
  }
  const bool small = a <= kMost && p <= kMost && h <= kMost && a * h < kMost;
  const uint64_t routers = small ? a * (a * h + 1) : kMost + 1;
  if (routers > kMost || routers * p > kMost || routers * (a - 1 + h) > kMost * 16) {
    return invalid(
        fmt::format("a dragonfly of {},{},{} is too large: at most {} nodes", a, p, h, kMost));
  }
  return std::unique_ptr<Dragonfly>(new Dragonfly(shape));
}

Dragonfly::Dragonfly(Shape shape) : shape_(shape) {
  const uint32_t a = shape_.routers_per_group;
  const uint32_t groups = group_count();
  const uint32_t routers = groups * a;
  const uint32_t nodes = routers * shape_.nodes_per_router;
  const auto vertex = [&](uint32_t router) { return Vertex(nodes + router); };
  std::vector<Ends> ends;
  for (uint32_t v = 0; v < nodes; ++v) {
    ends.push_back({Vertex(v), vertex(v / shape_.nodes_per_router)});
    ends.push_back({vertex(v / shape_.nodes_per_router), Vertex(v)});
  }
  for (uint32_t router = 0; router < routers; ++router) {
    const uint32_t group = router / a;
    for (uint32_t other = 0; other < a; ++other) {
      if (group * a + other != router) ends.push_back({vertex(router), vertex(group * a + other)});
    }
    for (uint32_t i = 0; i < shape_.globals_per_router; ++i) {
      const uint32_t k = router % a * shape_.globals_per_router + i;
      const uint32_t other = k < group ? k : k + 1;
      ends.push_back({vertex(router), vertex(other * a + gateway(other, group))});
    }
  }
  set_links(nodes, nodes + routers, std::move(ends),
            {{"group", groups}, {"router", a}, {"place", shape_.nodes_per_router}});
}

uint32_t Dragonfly::gateway(uint32_t group, uint32_t other) const {
  return (other < group ? other : other - 1) / shape_.globals_per_router;
}

std::string Dragonfly::spec() const {
  return fmt::format("dragonfly:{},{},{}", shape_.routers_per_group, shape_.nodes_per_router,
                     shape_.globals_per_router);
}

uint32_t Dragonfly::distance(Vertex from, Vertex to) const {
  if (from == to) return 0;
  const uint32_t a = shape_.routers_per_group;
  const uint32_t source = router_of(from);
  const uint32_t target = router_of(to);
  if (source == target) return 2;
  if (source / a == target / a) return 3;
  return 3 + (gateway(source / a, target / a) != source % a ? 1 : 0) +
         (gateway(target / a, source / a) != target % a ? 1 : 0);
}

uint32_t Dragonfly::fewest_hops(Vertex from, Vertex to) const {
  if (from == to) return 0;
  const uint32_t a = shape_.routers_per_group;
  const uint32_t ends = (from < node_count() ? 1 : 0) + (to < node_count() ? 1 : 0);
  const uint32_t source = router_of(from);
  const uint32_t target = router_of(to);
  if (source == target) return ends;
  // Two global links through a third group may be shorter than local, global, local.
  const bool neighbours =
      source / a == target / a || (gateway(source / a, target / a) == source % a &&
                                   gateway(target / a, source / a) == target % a);
  return ends + (neighbours ? 1 : 2);
}

void Dragonfly::route(Vertex from, Vertex to, std::vector<Link>& links) const {
  if (from == to) return;
  const uint32_t a = shape_.routers_per_group;
  const uint32_t source = router_of(from);
  const uint32_t target = router_of(to);
  uint32_t at = source;
  const auto go = [&](uint32_t router) {
    if (router == at) return;
    links.push_back(link(router_vertex(at), router_vertex(router)));
    at = router;
  };
  links.push_back(link(from, router_vertex(source)));
  const uint32_t group = source / a;
  const uint32_t other = target / a;
  if (group != other) {
    go(group * a + gateway(group, other));
    go(other * a + gateway(other, group));
  }
  go(target);
  links.push_back(link(router_vertex(target), to));
}

uint32_t Dragonfly::diameter() const { return shape_.routers_per_group > 1 ? 5 : 3; }

void Dragonfly::coordinates(Vertex node, std::span<uint32_t> address) const {
  const uint32_t router = router_of(node);
  address[0] = router / shape_.routers_per_group;
  address[1] = router % shape_.routers_per_group;
  address[2] = node % shape_.nodes_per_router;
}

Vertex Dragonfly::node(std::span<const uint32_t> address) const {
  if (address.size() != 3 || address[0] >= group_count() ||
      address[1] >= shape_.routers_per_group || address[2] >= shape_.nodes_per_router) {
    return Vertex::none();
  }
  return Vertex((address[0] * shape_.routers_per_group + address[1]) * shape_.nodes_per_router +
                address[2]);
}

std::string Dragonfly::name(Vertex vertex) const {
  if (vertex < node_count()) return Network::name(vertex);
  const uint32_t router = router_of(vertex);
  return fmt::format("router ({} {})", router / shape_.routers_per_group,
                     router % shape_.routers_per_group);
}

}  // namespace pathline::network
