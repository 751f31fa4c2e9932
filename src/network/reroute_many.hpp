// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "network/network.hpp"
#include "network/reroute.hpp"
#include "network/routes.hpp"

namespace pathline::network {

struct RerouteOptions {
  Criterion criterion = Criterion::kLoad;
  uint32_t delta = 0;      ///< Links that a route may be longer than it was.
  uint32_t passes = 1000;  ///< Over the routes in need; 1: each is looked at once.
  /// Lowers the maximum over the network, all routes allowed to move, instead of that of each route
  /// selected.
  bool global = false;
};

/// What became of the routes in need.
struct Rerouting {
  Routes routes;  ///< All of them, with the new links where they moved.
  LinkLoads before;
  LinkLoads after;
  std::vector<uint32_t> selected;  ///< In the order in which they were looked at.
  /// Per selected route what the criterion measures, before and after all have moved: the maximum
  /// load on its links in bytes, or its number of links.
  std::vector<uint64_t> value_before;
  std::vector<uint64_t> value_after;
  uint64_t moved = 0;        ///< Routes with new links.
  uint64_t worsened = 0;     ///< Routes, of all, whose maximum load rose.
  uint64_t bound_bytes = 0;  ///< No choice of routes under the limits has a lower maximum load.
  uint64_t searches = 0;
  double search_seconds = 0;  ///< CPU time of the searches.
};

/// Reroutes the selected routes one after the other, those with the most loaded links first (for
/// kLength the longest first), each by the exact search of Rerouter and with the loads that the
/// ones before it left, and again until no route improves. Each move lowers the list of all link
/// loads, sorted falling, in the order of words, so it ends. For `global`, all routes descend on
/// the sum of load^q, q from 2 to 64, which cannot cycle, before the same search on those over the
/// most loaded links.
///
/// A cut route (incomplete) leads to the last vertex that was recorded.
/// cost  about 10 us for a search on 2,048 nodes with delta 2.
Rerouting reroute(const Network& network, const Routes& routes, std::vector<uint32_t> selected,
                  const RerouteOptions& options, base::ThreadPool& pool);

/// A lower bound of the maximum link load when the `movable` routes may take any ways of at most
/// their length + delta links, shared out even among several: for any weights of links,
/// (sum of weight * fixed load + sum of bytes * length of the lightest way) / sum of weights, the
/// dual of the linear programme, with weights found by multiplicative updates (Plotkin, Shmoys,
/// Tardos, 1995). At least the largest message that has to leave its node.
///
/// reached       a maximum that is known to be possible: a bound as high is not improved any more.
/// most_reached  vertices that the searches may reach, 50 to 100 ns each, one per movable route in
///               each of at most 300 rounds, the first of which is always finished.
uint64_t max_load_bound(const Network& network, const Routes& routes,
                        std::span<const uint32_t> movable, uint32_t delta, uint64_t reached,
                        size_t most_reached, base::ThreadPool& pool);

}  // namespace pathline::network
