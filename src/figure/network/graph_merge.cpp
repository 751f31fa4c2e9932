// SPDX-License-Identifier: BSD-3-Clause
#include "figure/network/graph_merge.hpp"

#include <algorithm>
#include <map>

#include "figure/network/graph_clusters.hpp"

namespace pathline::figure {
namespace {

constexpr uint64_t kMostGroups = 64;      // So many have room for their names.
constexpr size_t kMostApart = 4096;       // Nodes that are drawn one by one for their clusters.
constexpr double kLargestCluster = 0.75;  // Of the nodes: above there is but one to be seen.
constexpr double kHardlyAny = 0.02;       // Of the bytes on links.
constexpr size_t kMostDimensions = 12;

/// The bytes on links by the dimensions, a bit each, in which their ends differ; a link to a switch
/// is always between groups.
std::map<uint32_t, double> loads_by_dimensions(const network::Network& network,
                                               const network::LinkLoads& loads) {
  const size_t count = network.dimensions().size();
  std::vector<uint32_t> from(count);
  std::vector<uint32_t> to(count);
  std::map<uint32_t, double> result;
  for (uint32_t number = 0; number < network.link_limit(); ++number) {
    if (loads.routes[number] == 0) continue;
    const network::Link link(number);
    uint32_t differ = UINT32_MAX;
    const network::Vertex source = network.source(link);
    const network::Vertex target = network.target(link);
    if (source < network.node_count() && target < network.node_count()) {
      network.coordinates(source, from);
      network.coordinates(target, to);
      differ = 0;
      for (size_t d = 0; d < count; ++d) differ |= from[d] != to[d] ? 1U << d : 0U;
    }
    result[differ] += static_cast<double>(loads.bytes[number]);
  }
  return result;
}

void add_pairs(const network::Routes& routes, std::vector<GroupPair>& pairs) {
  for (size_t r = 0; r < routes.size(); ++r) {
    pairs.push_back({routes.from[r], routes.to[r], routes.bytes[r]});
  }
}

}  // namespace

std::optional<std::vector<size_t>> dimensions_to_keep(const network::Network& network,
                                                      const network::Routes& routes,
                                                      const network::Routes* after) {
  const auto& dimensions = network.dimensions();
  if (dimensions.size() < 2 || dimensions.size() > kMostDimensions) return {};
  std::vector<GroupPair> pairs;
  add_pairs(routes, pairs);
  if (after != nullptr) add_pairs(*after, pairs);
  std::vector<bool> talks(network.node_count(), false);
  for (const GroupPair& pair : pairs) talks[pair.from] = talks[pair.to] = true;
  const auto talking = static_cast<size_t>(std::count(talks.begin(), talks.end(), true));
  if (talking <= kMergedFrom) return {};
  const auto apart = clusters(pairs, network.node_count());
  if (talking <= kMostApart && apart.size() > 1 &&
      static_cast<double>(apart[0].size()) <= kLargestCluster * static_cast<double>(talking)) {
    return {};
  }

  const std::map<uint32_t, double> loads =
      loads_by_dimensions(network, network::link_loads(network, routes));
  double all = 0;
  for (const auto& [differ, bytes] : loads) all += bytes;
  struct Choice {
    uint32_t kept = 0;  // Dimensions, a bit each.
    uint64_t count = 1;
    double between = 0;
  };
  std::vector<Choice> choices;
  double most = 0;
  for (uint32_t kept = 1; kept < 1U << dimensions.size(); ++kept) {
    Choice choice{.kept = kept};
    for (size_t d = 0; d < dimensions.size(); ++d) {
      if ((kept >> d & 1U) == 0) continue;
      choice.count = std::min(choice.count * dimensions[d].size, kMostGroups + 1);
    }
    if (choice.count > kMostGroups) continue;
    for (const auto& [differ, bytes] : loads) choice.between += (differ & kept) != 0 ? bytes : 0;
    most = std::max(most, choice.between);
    choices.push_back(choice);
  }
  const Choice* best = nullptr;
  for (const Choice& choice : choices) {
    if (choice.between < most - kHardlyAny * all) continue;
    const bool better = best == nullptr || choice.count < best->count ||
                        (choice.count == best->count && choice.between > best->between);
    if (better) best = &choice;
  }
  if (best == nullptr) return {};
  std::vector<size_t> result;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if ((best->kept >> d & 1U) != 0) result.push_back(d);
  }
  return result;
}

std::string dimension_names(const network::Network& network, std::span<const size_t> dimensions,
                            const char* between) {
  std::string text;
  for (const size_t d : dimensions) {
    if (!text.empty()) text += between;
    text += network.dimensions()[d].name;
  }
  return text;
}

}  // namespace pathline::figure
