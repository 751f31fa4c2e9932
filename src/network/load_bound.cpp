// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numeric>

#include "network/cheapest_way.hpp"
#include "network/reroute_many.hpp"

namespace pathline::network {
namespace {

/// A movable route and the ways it may take.
struct Demand {
  Vertex from;
  Vertex to;
  uint32_t max_hops;
  double bytes;
};

constexpr size_t kDemandsAtATime = 256;
// With these the bounds of the four cases of MiniMD in doc/networks.md come within 0.6 % of the
// linear programme's in 300 rounds; steps of 1 to 20 and powers of 4 to 30 were tried.
constexpr double kFirstPower = 30;
constexpr double kFirstStep = 8;
// Rounding must not lift a bound above what can be reached.
constexpr double kRounding = 1e-9;

/// The lightest way of each demand under `weight`; adds its bytes to the loads of a chunk.
struct Chunk {
  double weighted = 0;  ///< Sum of bytes times weight of the way.
  std::vector<std::pair<Link, double>> loads;
  size_t reached = 0;  ///< Vertices, by all searches.
};

}  // namespace

uint64_t max_load_bound(const Network& network, const Routes& routes,
                        std::span<const uint32_t> movable, uint32_t delta, uint64_t reached,
                        size_t most_reached, base::ThreadPool& pool) {
  std::vector<bool> moves(routes.size(), false);
  std::vector<Demand> demands;
  uint64_t largest = 0;
  for (const uint32_t r : movable) {
    moves[r] = true;
    const auto links = routes.links_of(r);
    largest = std::max(largest, routes.bytes[r]);
    demands.push_back({network.source(links.front()), network.target(links.back()),
                       routes.length(r) + std::min(delta, network.vertex_count()),
                       static_cast<double>(routes.bytes[r])});
  }
  std::vector<double> fixed(network.link_limit(), 0);
  for (size_t r = 0; r < routes.size(); ++r) {
    if (moves[r]) continue;
    for (const Link link : routes.links_of(r)) fixed[link] += static_cast<double>(routes.bytes[r]);
  }
  // These hold for each whole route; the weights below also let routes be shared out.
  const uint64_t certain =
      std::max(largest, static_cast<uint64_t>(*std::max_element(fixed.begin(), fixed.end())));
  if (demands.empty() || certain >= reached) return certain;
  double bound = 0;

  const LinkLoads now = link_loads(network, routes);
  const double most = static_cast<double>(*std::max_element(now.bytes.begin(), now.bytes.end()));
  std::vector<double> logs(network.link_limit());
  std::vector<double> weight(network.link_limit());
  for (size_t link = 0; link < logs.size(); ++link) {
    logs[link] = kFirstPower * static_cast<double>(now.bytes[link]) / most;
  }
  std::vector<Chunk> chunks((demands.size() + kDemandsAtATime - 1) / kDemandsAtATime);
  std::vector<double> loads(network.link_limit());
  size_t reached_count = 0;
  constexpr uint32_t kMostRounds = 300;
  for (uint32_t round = 0; round < kMostRounds; ++round) {
    const double top = *std::max_element(logs.begin(), logs.end());
    double sum = 0;
    double weighted = 0;
    for (size_t link = 0; link < logs.size(); ++link) {
      weight[link] = std::exp(logs[link] - top);
      // Numbers without a link weigh nothing, as nothing can cross them.
      if (!network.source(Link(link)).valid()) weight[link] = 0;
      sum += weight[link];
      weighted += weight[link] * fixed[link];
    }
    pool.for_each(chunks.size(), [&](size_t c) {
      Chunk& chunk = chunks[c];
      chunk = {};
      CheapestWay search(network);
      std::vector<Link> way;
      const size_t end = std::min((c + 1) * kDemandsAtATime, demands.size());
      for (size_t i = c * kDemandsAtATime; i < end; ++i) {
        const Demand& demand = demands[i];
        search.find(demand.from, demand.to, demand.max_hops, HUGE_VAL,
                    [&](Link link) { return weight[link]; });
        search.links(way);
        chunk.weighted += demand.bytes * search.cost();
        chunk.reached += search.reached_count();
        for (const Link link : way) chunk.loads.emplace_back(link, demand.bytes);
      }
    });
    loads = fixed;
    for (const Chunk& chunk : chunks) {
      weighted += chunk.weighted;
      reached_count += chunk.reached;
      for (const auto& [link, bytes] : chunk.loads) loads[link] += bytes;
    }
    bound = std::max(bound, weighted / sum);
    if (std::ceil(bound * (1 - kRounding)) >= static_cast<double>(reached)) break;
    if (reached_count >= most_reached) break;
    const double highest = *std::max_element(loads.begin(), loads.end());
    const double step = kFirstStep / std::sqrt(1.0 + round);
    for (size_t link = 0; link < logs.size(); ++link) logs[link] += step * loads[link] / highest;
  }
  return std::max(certain, static_cast<uint64_t>(std::ceil(bound * (1 - kRounding))));
}

}  // namespace pathline::network
