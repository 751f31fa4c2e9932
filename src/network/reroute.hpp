// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/network.hpp"
#include "network/routes.hpp"

namespace pathline::network {

/// What makes a route better.
enum class Criterion : uint8_t {
  kLoad,    ///< A lower maximum load on its links.
  kLength,  ///< Fewer links, none loaded more than the most loaded link of the old route.
};

/// A route to be replaced. `links` are its old ones; those of a cut route lead from `from` to the
/// last vertex that was recorded.
struct RouteInNeed {
  Vertex from;
  Vertex to;
  uint64_t bytes = 0;
  std::span<const Link> links;
};

/// Finds for one route after the other the best way through the loads of the others.
///
/// With the old route taken off, a link costs its load plus the bytes of the route. The way of at
/// most old length + delta links with the smallest maximum is a bottleneck path with a limit of
/// links: B[h][y] = min over links (x, y) of max(B[h - 1][x], cost(x, y)), exact, as a cycle never
/// lowers a maximum. Only vertices from which the rest of the limit still reaches the end are
/// looked at. Among equals the way has the fewest links, then the smallest sum of loads, then the
/// smallest numbers of vertices.
///
/// Keeps O(vertices) scratch; one object per thread.
class Rerouter {
 public:
  explicit Rerouter(const Network& network);

  /// The links of a better way; empty if there is none.
  /// load_of_link  bytes, the route itself included on its old links.
  /// cost          O(limit * links that are not too far from both ends).
  std::span<const Link> better_way(const RouteInNeed& route, std::span<const uint64_t> load_of_link,
                                   Criterion criterion, uint32_t delta);

 private:
  struct Label {
    Vertex at;
    uint64_t worst;  ///< Highest cost on the way.
  };
  struct Step {
    Vertex at;
    Link link;
    uint32_t before;  ///< Index of the step before in the level before.
    uint64_t sum;
  };
  struct Bottleneck {
    uint64_t worst = 0;
    uint32_t hops = 0;
  };
  [[nodiscard]] uint64_t cost(Link link, std::span<const uint64_t> load_of_link,
                              uint64_t bytes) const;
  void mark_old(const RouteInNeed& route);
  /// hops 0: there is no way whose worst link costs less than `limit`.
  Bottleneck find_bottleneck(const RouteInNeed& route, std::span<const uint64_t> load_of_link,
                             uint64_t limit, uint32_t max_hops);
  /// hops 0: there is none of at most `max_hops` links that cost no more than `worst`.
  uint32_t fewest_hops_within(const RouteInNeed& route, std::span<const uint64_t> load_of_link,
                              uint64_t worst, uint32_t max_hops);
  void find_lightest(const RouteInNeed& route, std::span<const uint64_t> load_of_link,
                     Bottleneck bottleneck);

  const Network& network_;
  std::vector<uint32_t> old_stamp_;  // Per link: == stamp_ if the old route uses it.
  std::vector<uint32_t> seen_;       // Per vertex: the stamp of the level that wrote its slot.
  std::vector<uint64_t> best_;       // Per vertex: the lowest maximum so far.
  std::vector<uint32_t> slot_;       // Per vertex: its place in the level that is being made.
  uint32_t stamp_ = 0;
  std::vector<Label> level_;
  std::vector<Label> next_;
  std::vector<std::vector<Step>> steps_;  // Per level.
  std::vector<Link> way_;
};

}  // namespace pathline::network
