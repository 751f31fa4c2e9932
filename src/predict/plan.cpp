// SPDX-License-Identifier: BSD-3-Clause
#include "predict/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "predict/cores.hpp"

namespace pathline::predict {
namespace {

constexpr uint32_t kSizes = 23;
constexpr double kFieldsBytes = 13.0 * 8;
constexpr uint64_t kSmallestMessage = 8;
constexpr uint64_t kLargestMessage = 1U << 20U;
constexpr uint64_t kSmallestCache = 32U << 10U;  // Where the hardware tells of none.
constexpr uint64_t kLargestCache = 32U << 20U;

/// 1, 2, 4 ... and `most` itself.
std::vector<uint32_t> doubled(uint32_t most) {
  std::vector<uint32_t> counts;
  for (uint32_t count = 1; count < most; count *= 2) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

std::vector<uint64_t> message_sizes() {
  std::vector<uint64_t> sizes;
  for (uint64_t bytes = kSmallestMessage; bytes <= kLargestMessage; bytes *= 2) {
    sizes.push_back(bytes);
    // Whole doubles only.
    if (bytes >= 16 && bytes < kLargestMessage) sizes.push_back(bytes + bytes / 2);
  }
  return sizes;
}

std::vector<std::pair<uint32_t, uint32_t>> grid_sizes(const host::Node& node) {
  std::set<uint64_t> caches;
  for (const host::NodeLevel& level : node.levels) {
    if (level.bytes > 0) caches.insert(level.bytes);
  }
  if (caches.empty()) caches = {kSmallestCache, kLargestCache};
  const double first = static_cast<double>(*caches.begin()) / 3;
  const double last = 4 * static_cast<double>(*caches.rbegin());
  std::set<double> sets;
  for (uint32_t i = 0; i < kSizes; ++i) {
    sets.insert(first * std::pow(last / first, static_cast<double>(i) / (kSizes - 1)));
  }
  for (const uint64_t cache : caches) {
    for (const double share : {0.7, 0.9, 1.1, 1.4}) sets.insert(share * static_cast<double>(cache));
  }
  std::set<uint32_t> sides;
  for (const double bytes : sets) {
    const double side = std::sqrt(bytes / kFieldsBytes) - 2;
    sides.insert(static_cast<uint32_t>(std::max(2.0, std::round(side))));
  }
  std::vector<std::pair<uint32_t, uint32_t>> sizes;
  for (const uint32_t side : sides) sizes.emplace_back(side, side);
  return sizes;
}

void add_computes(const host::Node& node, Plan& plan) {
  const auto sizes = grid_sizes(node);
  std::set<std::vector<uint32_t>> seen;
  for (const uint32_t count : doubled(static_cast<uint32_t>(node.units.size()))) {
    for (const Bind bind : {Bind::kCompact, Bind::kSpread}) {
      std::vector<uint32_t> cores = core_order(node, bind);
      cores.resize(count);
      std::sort(cores.begin(), cores.end());
      if (!seen.insert(cores).second) continue;
      const char* how = count == 1 || count == node.units.size() ? ""
                        : bind == Bind::kCompact                 ? ", neighbours"
                                                                 : ", far apart";
      plan.computes.push_back(
          {.scenario = {.cores = cores, .description = base::counted(count, "core", "cores") + how},
           .sizes = sizes});
    }
  }
}

/// Pairs of cores that share `level` and nothing inside it, all in one unit of it, as two lists:
/// first all of two neighbouring units, then of the next two. None where no unit has two.
std::optional<std::pair<std::vector<uint32_t>, std::vector<uint32_t>>> pairs_in(
    const host::Node& node, size_t level) {
  if (level + 1 >= node.levels.size()) return std::nullopt;
  std::map<uint32_t, std::map<uint32_t, std::vector<uint32_t>>> inside;
  for (uint32_t core = 0; core < node.units.size(); ++core) {
    inside[node.units[core][level]][node.units[core][level + 1]].push_back(core);
  }
  for (const auto& [unit, children] : inside) {
    if (children.size() < 2) continue;
    std::pair<std::vector<uint32_t>, std::vector<uint32_t>> pairs;
    for (auto first = children.begin(); first != children.end(); ++first) {
      const auto second = std::next(first);
      if (second == children.end()) break;
      const size_t count = std::min(first->second.size(), second->second.size());
      for (size_t i = 0; i < count; ++i) {
        pairs.first.push_back(first->second[i]);
        pairs.second.push_back(second->second[i]);
      }
      first = second;
    }
    return pairs;
  }
  return std::nullopt;
}

void add_inside(const host::Node& node, uint32_t per_core, Plan& plan) {
  const auto bytes = message_sizes();
  plan.halos.push_back({.way = {.connection = node.levels.back().type},
                        .lanes = 1,
                        .places = 1,
                        .seats = {{}},
                        .bytes = bytes});
  for (size_t level = node.levels.size(); level-- > 0;) {
    const auto pair = pairs_in(node, level);
    if (!pair) continue;
    const auto most = static_cast<uint32_t>(pair->first.size());
    for (const uint32_t lanes : doubled(per_core * most)) {
      HaloJob job{.way = {.connection = node.levels[level].type},
                  .lanes = lanes,
                  .places = 2,
                  .seats = {},
                  .bytes = bytes};
      for (const auto* side : {&pair->first, &pair->second}) {
        for (uint32_t lane = 0; lane < lanes; ++lane)
          job.seats.push_back({0, (*side)[lane % most]});
      }
      plan.halos.push_back(std::move(job));
    }
  }
}

/// A ring of nodes from node 0 on, neighbours in which are `hops` apart, with the most places up to
/// four and no link twice.
std::vector<uint32_t> ring_of(const network::Network& network, uint32_t node_count, uint32_t hops) {
  using network::Vertex;
  const auto is_step = [&](uint32_t a, uint32_t b) {
    return a != b && network.distance(Vertex(a), Vertex(b)) == hops;
  };
  const auto has_own_links = [&](const std::vector<uint32_t>& ring) {
    std::vector<network::Link> links;
    for (size_t i = 0; i < ring.size(); ++i) {
      network.route(Vertex(ring[i]), Vertex(ring[(i + 1) % ring.size()]), links);
    }
    std::sort(links.begin(), links.end());
    return std::adjacent_find(links.begin(), links.end()) == links.end();
  };
  std::vector<uint32_t> steps;  // From node 0.
  for (uint32_t node = 1; node < node_count; ++node) {
    if (is_step(0, node)) steps.push_back(node);
  }
  constexpr size_t kTried = 64;  // Of each step: a regular network shows its rings soon.
  if (steps.size() > kTried) steps.resize(kTried);
  for (const uint32_t a : steps) {
    for (uint32_t b = 1; b < node_count; ++b) {
      if (!is_step(a, b)) continue;
      for (const uint32_t c : steps) {
        if (c == a || c == b || !is_step(b, c)) continue;
        if (has_own_links({0, a, b, c})) return {0, a, b, c};
      }
    }
  }
  for (const uint32_t a : steps) {
    for (const uint32_t b : steps) {
      if (is_step(a, b) && has_own_links({0, a, b})) return {0, a, b};
    }
  }
  return steps.empty() ? steps : std::vector<uint32_t>{0, steps.front()};
}

void add_between(const host::Node& node, const network::Network* network, uint32_t node_count,
                 uint32_t per_core, Plan& plan) {
  std::vector<std::pair<uint32_t, std::vector<uint32_t>>> rings;
  if (network == nullptr) {
    std::vector<uint32_t> ring;
    for (uint32_t i = 0; i < std::min(node_count, 4U); ++i) ring.push_back(i);
    rings.emplace_back(1, ring);
  } else {
    std::set<uint32_t> distances;
    for (uint32_t other = 1; other < node_count; ++other) {
      distances.insert(network->distance(network::Vertex(0), network::Vertex(other)));
    }
    // The nearest and one in the middle of the others: a line goes through two.
    std::vector<uint32_t> chosen(distances.begin(), distances.end());
    if (chosen.size() > 2) chosen = {chosen.front(), chosen[chosen.size() / 2]};
    for (const uint32_t hops : chosen) {
      const auto ring = ring_of(*network, node_count, hops);
      if (!ring.empty()) rings.emplace_back(hops, ring);
    }
  }
  const auto cores = static_cast<uint32_t>(node.units.size());
  for (const auto& [hops, ring] : rings) {
    for (const uint32_t lanes : doubled(per_core * cores)) {
      HaloJob job{.way = {.connection = "network", .hops = hops},
                  .lanes = lanes,
                  .places = static_cast<uint32_t>(ring.size()),
                  .seats = {},
                  .bytes = message_sizes()};
      for (const uint32_t place : ring) {
        for (uint32_t lane = 0; lane < lanes; ++lane) job.seats.push_back({place, lane % cores});
      }
      plan.halos.push_back(std::move(job));
    }
  }
}

}  // namespace

Plan plan_benchmarks(const host::Node& node, const network::Network* network, uint32_t node_count,
                     uint32_t per_core) {
  Plan plan;
  if (node.units.empty()) return plan;
  add_computes(node, plan);
  add_inside(node, per_core, plan);
  if (network != nullptr) node_count = std::min(node_count, network->node_count());
  if (node_count > 1) add_between(node, network, node_count, per_core, plan);
  return plan;
}

}  // namespace pathline::predict
