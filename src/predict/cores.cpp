// SPDX-License-Identifier: BSD-3-Clause
#include "predict/cores.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "predict/tables.hpp"

namespace pathline::predict {
namespace {

using store::Id;

/// How many of `active` are in the same unit of each level as `core`.
std::vector<uint32_t> company(const host::Node& node, std::span<const uint32_t> active,
                              uint32_t core) {
  std::vector<uint32_t> counts(node.levels.size());
  for (const uint32_t other : active) {
    if (other >= node.units.size()) continue;
    for (size_t level = 0; level < counts.size(); ++level) {
      counts[level] += node.units[other][level] == node.units[core][level] ? 1 : 0;
    }
  }
  return counts;
}

}  // namespace

std::vector<uint32_t> core_order(const host::Node& node, Bind bind) {
  std::vector<uint32_t> order(node.units.size());
  std::iota(order.begin(), order.end(), 0U);
  if (bind == Bind::kCompact) return order;
  // Of each unit of the outermost level that has several one core, then a second one of each; the
  // same within them.
  std::vector<std::vector<uint32_t>> turn(order.size());
  for (size_t level = 0; level < node.levels.size(); ++level) {
    std::map<std::pair<uint32_t, uint32_t>, uint32_t>
        within;  // Units inside one of the level above.
    std::map<uint32_t, uint32_t> next;
    for (uint32_t core = 0; core < order.size(); ++core) {
      const uint32_t above = level == 0 ? 0 : node.units[core][level - 1];
      const auto [at, is_new] = within.try_emplace({above, node.units[core][level]}, 0);
      if (is_new) at->second = next[above]++;
      turn[core].push_back(at->second);
    }
  }
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    // The innermost turn counts most: it is what a unit takes last.
    return std::pair(std::vector(turn[a].rbegin(), turn[a].rend()), a) <
           std::pair(std::vector(turn[b].rbegin(), turn[b].rend()), b);
  });
  return order;
}

size_t shared_level(const host::Node& node, uint32_t a, uint32_t b) {
  size_t level = node.levels.size() - 1;
  while (level > 0 && node.units[a][level] != node.units[b][level]) --level;
  return level;
}

base::Result<std::pair<Id, Id>> scenarios_between(const host::Node& node,
                                                  std::span<const store::Scenario> scenarios,
                                                  std::span<const uint32_t> active, uint32_t core) {
  const std::vector<uint32_t> wanted = company(node, active, core);
  std::optional<Id> less, more;
  uint64_t most = 0;
  uint64_t fewest = std::numeric_limits<uint64_t>::max();
  for (const store::Scenario& scenario : scenarios) {
    for (const uint32_t other : scenario.cores) {
      if (other >= node.units.size()) continue;
      const std::vector<uint32_t> found = company(node, scenario.cores, other);
      if (found == wanted) return std::pair(scenario.id, scenario.id);
      bool is_less = true;
      bool is_more = true;
      uint64_t sum = 0;
      for (size_t level = 0; level < wanted.size(); ++level) {
        is_less = is_less && found[level] <= wanted[level];
        is_more = is_more && found[level] >= wanted[level];
        sum += found[level];
      }
      if (is_less && sum > most) {
        most = sum;
        less = scenario.id;
      }
      if (is_more && sum < fewest) {
        fewest = sum;
        more = scenario.id;
      }
    }
  }
  if (less && more) return std::pair(*less, *more);
  return refusal(fmt::format(
      "computation was not measured with {} of a node's cores at work, nor with fewer and more",
      active.size()));
}

}  // namespace pathline::predict
