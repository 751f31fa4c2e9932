// SPDX-License-Identifier: BSD-3-Clause
#include "network/reroute.hpp"

#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_scale.hpp"
#include "network/cheapest_way.hpp"
#include "network/edge_graph.hpp"
#include "network/reroute_many.hpp"
#include "network/spec.hpp"

namespace pathline::network {
namespace {

std::unique_ptr<Network> network_of(const std::string& spec) {
  auto machine = parse_network(spec);
  EXPECT_TRUE(machine.ok()) << machine.error().message;
  return std::move(machine.value().network);
}

/// A small network of a random kind: rings, meshes, trees of switches, graphs with extra edges.
std::unique_ptr<Network> random_network(std::mt19937& random) {
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  switch (below(4)) {
    case 0:
      return network_of("torus:" + std::to_string(2 + below(3)) + "x" +
                        std::to_string(2 + below(2)) + (below(2) == 0 ? "m" : "") + "x" +
                        std::to_string(1 + below(2)));
    case 1: return network_of("dragonfly:2,1,1");
    case 2: return network_of("fattree:2,2");
    default: break;
  }
  std::string edges;
  const uint32_t count = 4 + below(5);
  for (uint32_t v = 1; v < count; ++v) {
    edges += std::to_string(v) + " " + std::to_string(below(v)) + "\n";
  }
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t a = below(count);
    const uint32_t b = below(count);
    if (a != b) edges += std::to_string(a) + " " + std::to_string(b) + "\n";
  }
  auto graph = read_edges(edges, "random");
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return std::move(graph).value();
}

/// Calls use(links) for every way without a vertex twice, of at most max_hops links.
void for_each_way(const Network& network, Vertex from, Vertex to, uint32_t max_hops,
                  const std::function<void(std::span<const Link>)>& use) {
  std::vector<Link> way;
  std::vector<bool> on_way(network.vertex_count(), false);
  const std::function<void(Vertex)> go = [&](Vertex at) {
    if (at == to) return use(way);
    if (way.size() == max_hops) return;
    on_way[at] = true;
    for (const Network::Hop& hop : network.hops(at)) {
      if (on_way[hop.to]) continue;
      way.push_back(hop.link);
      go(hop.to);
      way.pop_back();
    }
    on_way[at] = false;
  };
  go(from);
}

struct Best {
  uint64_t worst = UINT64_MAX;
  size_t hops = 0;
  uint64_t sum = 0;
};

class RandomRoutes {
 public:
  explicit RandomRoutes(uint32_t seed) : random_(seed), network(random_network(random_)) {
    const uint32_t nodes = network->node_count();
    const size_t count = 3 + random_() % 12;
    std::vector<Link> links;
    for (size_t i = 0; i < count; ++i) {
      const Vertex from(random_() % nodes);
      const Vertex to(random_() % nodes);
      if (from == to) continue;
      links.clear();
      network->route(from, to, links);
      routes.add(from, to, 1 + random_() % 100, 1, links);
    }
    loads = link_loads(*network, routes);
  }
  /// The load of a link with the route taken off and put on it.
  [[nodiscard]] uint64_t cost(size_t route, Link link) const {
    const auto own = routes.links_of(route);
    const bool is_own = std::find(own.begin(), own.end(), link) != own.end();
    return loads.bytes[link] + (is_own ? 0 : routes.bytes[route]);
  }
  [[nodiscard]] Best brute_force(size_t route, Criterion criterion, uint32_t delta) const {
    Best best;
    const uint64_t old = max_load(routes.links_of(route), loads.bytes);
    for_each_way(
        *network, routes.from[route], routes.to[route], routes.length(route) + delta,
        [&](std::span<const Link> way) {
          Best now{0, way.size(), 0};
          for (const Link link : way) {
            now.worst = std::max(now.worst, cost(route, link));
            now.sum += cost(route, link);
          }
          if (criterion == Criterion::kLength) {
            if (now.worst > old) return;
            now.worst = 0;
          }
          if (std::tie(now.worst, now.hops, now.sum) < std::tie(best.worst, best.hops, best.sum)) {
            best = now;
          }
        });
    return best;
  }
  [[nodiscard]] RouteInNeed need(size_t route) const {
    return {routes.from[route], routes.to[route], routes.bytes[route], routes.links_of(route)};
  }

 private:
  std::mt19937 random_;

 public:
  std::unique_ptr<Network> network;
  Routes routes;
  LinkLoads loads;
};

/// The links lead from one end to the other.
bool is_way(const Network& network, Vertex from, Vertex to, std::span<const Link> links) {
  for (const Link link : links) {
    if (network.source(link) != from) return false;
    from = network.target(link);
  }
  return from == to;
}

TEST(Reroute, EqualsBruteForceOnAThousandSmallNetworks) {
  size_t improved = 0;
  size_t kept = 0;
  for (uint32_t seed = 0; seed < base::scaled(1000); ++seed) {
    const RandomRoutes random(seed);
    Rerouter rerouter(*random.network);
    for (size_t r = 0; r < random.routes.size(); ++r) {
      for (const uint32_t delta : {0U, 1U, 2U, 5U}) {
        const Best best = random.brute_force(r, Criterion::kLoad, delta);
        const auto way =
            rerouter.better_way(random.need(r), random.loads.bytes, Criterion::kLoad, delta);
        const uint64_t old = max_load(random.routes.links_of(r), random.loads.bytes);
        if (best.worst >= old) {
          EXPECT_TRUE(way.empty()) << "seed " << seed << ", route " << r << ", delta " << delta;
          ++kept;
          continue;
        }
        ++improved;
        ASSERT_TRUE(is_way(*random.network, random.routes.from[r], random.routes.to[r], way))
            << "seed " << seed << ", route " << r << ", delta " << delta;
        Best found{0, way.size(), 0};
        for (const Link link : way) {
          found.worst = std::max(found.worst, random.cost(r, link));
          found.sum += random.cost(r, link);
        }
        EXPECT_EQ(found.worst, best.worst) << "seed " << seed << ", route " << r;
        EXPECT_EQ(found.hops, best.hops) << "seed " << seed << ", route " << r;
        EXPECT_EQ(found.sum, best.sum) << "seed " << seed << ", route " << r;
      }
    }
  }
  // Otherwise the networks are no test.
  EXPECT_GT(improved, base::scaled(1000));
  EXPECT_GT(kept, base::scaled(1000));
}

TEST(Reroute, ShortensAsBruteForceDoes) {
  size_t shorter = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    RandomRoutes random(seed);
    Rerouter rerouter(*random.network);
    // A route of the rule is the shortest: take detours for the old ones.
    Routes detours;
    for (size_t r = 0; r < random.routes.size(); ++r) {
      std::vector<Link> longest;
      for_each_way(*random.network, random.routes.from[r], random.routes.to[r], 5,
                   [&](std::span<const Link> way) {
                     if (way.size() > longest.size()) longest.assign(way.begin(), way.end());
                   });
      if (longest.empty()) continue;
      detours.add(random.routes.from[r], random.routes.to[r], random.routes.bytes[r], 1, longest);
    }
    random.routes = detours;
    random.loads = link_loads(*random.network, random.routes);
    for (size_t r = 0; r < random.routes.size(); ++r) {
      const Best best = random.brute_force(r, Criterion::kLength, 0);
      const auto way =
          rerouter.better_way(random.need(r), random.loads.bytes, Criterion::kLength, 0);
      if (best.hops >= random.routes.length(r)) {
        EXPECT_TRUE(way.empty());
        continue;
      }
      ++shorter;
      EXPECT_EQ(way.size(), best.hops) << "seed " << seed << ", route " << r;
      uint64_t sum = 0;
      for (const Link link : way) sum += random.cost(r, link);
      EXPECT_EQ(sum, best.sum);
    }
  }
  EXPECT_GT(shorter, 300U);
}

TEST(Reroute, CheapestWayIsThatOfBruteForce) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const RandomRoutes random(seed);
    CheapestWay search(*random.network);
    for (size_t r = 0; r < random.routes.size(); ++r) {
      const uint32_t limit = random.routes.length(r) + 2;
      const auto cost = [&](Link link) {
        return static_cast<double>(random.loads.bytes[link]) + 1;
      };
      double best = HUGE_VAL;
      for_each_way(*random.network, random.routes.from[r], random.routes.to[r], limit,
                   [&](std::span<const Link> way) {
                     double sum = 0;
                     for (const Link link : way) sum += cost(link);
                     best = std::min(best, sum);
                   });
      ASSERT_TRUE(search.find(random.routes.from[r], random.routes.to[r], limit, HUGE_VAL, cost));
      EXPECT_DOUBLE_EQ(search.cost(), best) << "seed " << seed << ", route " << r;
      std::vector<Link> way;
      search.links(way);
      EXPECT_TRUE(is_way(*random.network, random.routes.from[r], random.routes.to[r], way));
      EXPECT_FALSE(search.find(random.routes.from[r], random.routes.to[r], limit, best, cost));
    }
  }
}

/// All routes of a random network in any combination of ways: the lowest maximum there is.
uint64_t lowest_maximum(const RandomRoutes& random, uint32_t delta) {
  uint64_t best = UINT64_MAX;
  std::vector<uint64_t> loads(random.network->link_limit(), 0);
  const std::function<void(size_t, uint64_t)> choose = [&](size_t r, uint64_t worst) {
    if (worst >= best) return;
    if (r == random.routes.size()) {
      best = worst;
      return;
    }
    for_each_way(*random.network, random.routes.from[r], random.routes.to[r],
                 random.routes.length(r) + delta, [&](std::span<const Link> way) {
                   const std::vector<Link> copy(way.begin(), way.end());
                   uint64_t now = worst;
                   for (const Link link : copy) {
                     loads[link] += random.routes.bytes[r];
                     now = std::max(now, loads[link]);
                   }
                   choose(r + 1, now);
                   for (const Link link : copy) loads[link] -= random.routes.bytes[r];
                 });
  };
  choose(0, 0);
  return best;
}

TEST(Reroute, OfAllRoutesLiesBetweenTheBoundAndTheOldMaximum) {
  base::ThreadPool pool;
  size_t optimal = 0;
  size_t tight = 0;
  size_t cases = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const RandomRoutes random(seed);
    if (random.routes.size() == 0 || random.routes.size() > 6) continue;
    ++cases;
    const auto result =
        reroute(*random.network, random.routes, {}, {.delta = 1, .global = true}, pool);
    const uint64_t best = lowest_maximum(random, 1);
    const auto highest = [](const LinkLoads& loads) {
      return *std::max_element(loads.bytes.begin(), loads.bytes.end());
    };
    EXPECT_LE(highest(result.after), highest(result.before));
    EXPECT_GE(highest(result.after), best) << "seed " << seed;
    EXPECT_LE(result.bound_bytes, best) << "seed " << seed;
    optimal += highest(result.after) == best ? 1 : 0;
    tight += result.bound_bytes == best ? 1 : 0;
    // The loads told are those of the routes told.
    EXPECT_EQ(result.after.bytes, link_loads(*random.network, result.routes).bytes);
    for (size_t r = 0; r < random.routes.size(); ++r) {
      EXPECT_TRUE(is_way(*random.network, random.routes.from[r], random.routes.to[r],
                         result.routes.links_of(r)));
      EXPECT_LE(result.routes.length(r), random.routes.length(r) + 1);
    }
  }
  EXPECT_GT(cases, 40U);
  EXPECT_GT(optimal * 10, cases * 9);
  EXPECT_GT(tight * 10, cases * 5);
}

TEST(Reroute, OfSelectedRoutesIsTheSameForAnyNumberOfThreads) {
  const RandomRoutes random(7);
  std::vector<uint32_t> all(random.routes.size());
  for (uint32_t r = 0; r < all.size(); ++r) all[r] = r;
  // One after the other: a pool of one thread that is alive keeps all others to one.
  const auto with_threads = [&](unsigned count) {
    base::ThreadPool pool(count);
    return reroute(*random.network, random.routes, all, {.delta = 2}, pool);
  };
  const auto a = with_threads(1);
  const auto b = with_threads(4);
  EXPECT_EQ(a.routes.links, b.routes.links);
  EXPECT_EQ(a.bound_bytes, b.bound_bytes);
}

TEST(Reroute, LeavesARouteWithAGapAlone) {
  const auto network = network_of("mesh:5");
  Routes routes;
  const Link first = network->link(Vertex(0), Vertex(1));
  const Link last = network->link(Vertex(3), Vertex(4));
  routes.add(Vertex(0), Vertex(4), 10, 1, std::vector<Link>{first, last}, true);
  base::ThreadPool pool(1);
  const auto result = reroute(*network, routes, {0}, {.delta = 2}, pool);
  EXPECT_EQ(result.moved, 0U);
  EXPECT_EQ(result.routes.links, routes.links);
}

}  // namespace
}  // namespace pathline::network
