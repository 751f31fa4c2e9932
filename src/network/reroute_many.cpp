// SPDX-License-Identifier: BSD-3-Clause
#include "network/reroute_many.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/cpu_time.hpp"
#include "network/cheapest_way.hpp"

namespace pathline::network {
namespace {

/// Routes whose links change.
class Moving {
 public:
  Moving(const Network& network, const Routes& routes, const RerouteOptions& options)
      : network_(&network),
        routes_(&routes),
        options_(&options),
        loads_(link_loads(network, routes)) {
    links_.resize(routes.size());
  }

  [[nodiscard]] std::span<const Link> links_of(uint32_t route) const {
    return links_[route].empty() ? routes_->links_of(route) : std::span<const Link>(links_[route]);
  }
  [[nodiscard]] RouteInNeed need_of(uint32_t route) const {
    const auto recorded = routes_->links_of(route);
    const Vertex to = routes_->incomplete[route] != 0 && !recorded.empty()
                          ? network_->target(recorded.back())
                          : routes_->to[route];
    const Vertex from = routes_->incomplete[route] != 0 && !recorded.empty()
                            ? network_->source(recorded.front())
                            : routes_->from[route];
    return {from, to, routes_->bytes[route], links_of(route)};
  }
  /// Links that the route may be longer than it is now.
  [[nodiscard]] uint32_t slack(uint32_t route) const {
    return most_hops(route) - static_cast<uint32_t>(links_of(route).size());
  }
  [[nodiscard]] uint32_t most_hops(uint32_t route) const {
    return routes_->length(route) + std::min(options_->delta, network_->vertex_count());
  }
  /// A route with a gap is no way that could be replaced.
  [[nodiscard]] bool can_move(uint32_t route) const {
    Vertex at = need_of(route).from;
    for (const Link link : routes_->links_of(route)) {
      if (network_->source(link) != at) return false;
      at = network_->target(link);
    }
    return routes_->length(route) > 0;
  }
  void move(uint32_t route, std::span<const Link> way) {
    for (const Link link : links_of(route)) {
      loads_.bytes[link] -= routes_->bytes[route];
      --loads_.routes[link];
    }
    for (const Link link : way) {
      loads_.bytes[link] += routes_->bytes[route];
      ++loads_.routes[link];
    }
    links_[route].assign(way.begin(), way.end());
  }
  [[nodiscard]] const LinkLoads& loads() const { return loads_; }
  [[nodiscard]] Routes result() const {
    Routes out;
    for (uint32_t r = 0; r < routes_->size(); ++r) {
      out.add(routes_->from[r], routes_->to[r], routes_->bytes[r], routes_->messages[r],
              links_of(r), routes_->incomplete[r] != 0);
    }
    out.sender = routes_->sender;
    out.receiver = routes_->receiver;
    return out;
  }

 private:
  const Network* network_;
  const Routes* routes_;
  const RerouteOptions* options_;
  LinkLoads loads_;
  std::vector<std::vector<Link>> links_;  // Empty: as they were.
};

/// One pass of exact searches; returns how many routes moved.
size_t pass(Moving& moving, Rerouter& rerouter, std::span<const uint32_t> order,
            Criterion criterion) {
  size_t moved = 0;
  for (const uint32_t route : order) {
    const auto way = rerouter.better_way(moving.need_of(route), moving.loads().bytes, criterion,
                                         moving.slack(route));
    if (way.empty()) continue;
    moving.move(route, way);
    ++moved;
  }
  return moved;
}

double to_power_of_two(double value, int doublings) {
  for (int i = 0; i < doublings; ++i) value *= value;
  return value;
}

/// Moves routes as long as the sum of (load / scale)^(2^doublings) falls by it.
void descend(const Network& network, Moving& moving, std::span<const uint32_t> order,
             const Routes& routes, int doublings, uint64_t& searches) {
  constexpr int kMaxPasses = 20;
  constexpr double kLeastGain = 1e-9;  // Relative to what the route costs now: rounding is no gain.
  CheapestWay search(network);
  std::vector<Link> way;
  std::vector<bool> is_own(network.link_limit(), false);
  for (int round = 0; round < kMaxPasses; ++round) {
    const auto& loads = moving.loads().bytes;
    const double scale = static_cast<double>(*std::max_element(loads.begin(), loads.end()));
    if (scale == 0) return;
    size_t moved = 0;
    for (const uint32_t route : order) {
      const RouteInNeed need = moving.need_of(route);
      const double share = static_cast<double>(routes.bytes[route]) / scale;
      if (share == 0) continue;
      for (const Link link : need.links) is_own[link] = true;
      const auto cost = [&](Link link) {
        double load = static_cast<double>(loads[link]) / scale;
        if (is_own[link]) load -= share;
        return to_power_of_two(load + share, doublings) - to_power_of_two(load, doublings);
      };
      double now = 0;
      for (const Link link : need.links) now += cost(link);
      ++searches;
      const bool found =
          search.find(need.from, need.to, moving.most_hops(route), now * (1 - kLeastGain), cost);
      for (const Link link : need.links) is_own[link] = false;
      if (!found) continue;
      search.links(way);
      moving.move(route, way);
      ++moved;
    }
    if (moved == 0) return;
  }
}

/// Routes by falling value, ties by number.
void sort_by_need(std::vector<uint32_t>& order, const Moving& moving, Criterion criterion) {
  std::vector<std::pair<uint64_t, uint32_t>> keyed;
  for (const uint32_t route : order) {
    const auto links = moving.links_of(route);
    keyed.emplace_back(
        criterion == Criterion::kLoad ? max_load(links, moving.loads().bytes) : links.size(),
        route);
  }
  std::sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (size_t i = 0; i < order.size(); ++i) order[i] = keyed[i].second;
}

/// A descent with ever sharper powers, then exact searches for the routes over the most loaded
/// links.
void descend_to_maximum(const Network& network, Moving& moving, const Routes& routes,
                        const std::vector<uint32_t>& all, const RerouteOptions& options,
                        uint64_t& searches) {
  constexpr int kMostDoublings = 6;  // Powers 2 to 64.
  for (int doublings = 1; doublings <= kMostDoublings; ++doublings) {
    std::vector<uint32_t> order = all;
    sort_by_need(order, moving, Criterion::kLoad);
    descend(network, moving, order, routes, doublings, searches);
  }
  Rerouter rerouter(network);
  std::vector<uint32_t> order = all;
  for (uint32_t i = 0; i < options.passes; ++i) {
    sort_by_need(order, moving, Criterion::kLoad);
    const uint64_t worst = max_load(moving.links_of(order[0]), moving.loads().bytes);
    size_t count = 0;
    while (count < order.size() &&
           max_load(moving.links_of(order[count]), moving.loads().bytes) == worst) {
      ++count;
    }
    searches += count;
    if (pass(moving, rerouter, std::span(order).first(count), Criterion::kLoad) == 0) break;
  }
}

uint64_t passes(const Network& network, Moving& moving, std::span<const uint32_t> order,
                const RerouteOptions& options) {
  Rerouter rerouter(network);
  uint64_t searches = 0;
  for (uint32_t i = 0; i < options.passes; ++i) {
    searches += order.size();
    if (pass(moving, rerouter, order, options.criterion) == 0) break;
  }
  return searches;
}

uint64_t highest(const LinkLoads& loads) {
  return *std::max_element(loads.bytes.begin(), loads.bytes.end());
}

}  // namespace

Rerouting reroute(const Network& network, const Routes& routes, std::vector<uint32_t> selected,
                  const RerouteOptions& options, base::ThreadPool& pool) {
  Rerouting out;
  Moving moving(network, routes, options);
  out.before = moving.loads();
  const auto value = [&](uint32_t route, std::span<const uint64_t> loads) {
    const auto links = moving.links_of(route);
    return options.criterion == Criterion::kLoad ? max_load(links, loads) : links.size();
  };
  std::vector<uint32_t> movable;
  if (options.global) {
    for (uint32_t r = 0; r < routes.size(); ++r) {
      if (moving.can_move(r)) movable.push_back(r);
    }
  } else {
    std::copy_if(selected.begin(), selected.end(), std::back_inserter(movable),
                 [&](uint32_t r) { return moving.can_move(r); });
  }
  sort_by_need(selected, moving, options.criterion);
  sort_by_need(movable, moving, options.criterion);
  for (const uint32_t r : selected) out.value_before.push_back(value(r, out.before.bytes));
  std::vector<uint64_t> load_before(routes.size());
  for (uint32_t r = 0; r < routes.size(); ++r) {
    load_before[r] = max_load(routes.links_of(r), out.before.bytes);
  }

  base::CpuStopwatch cpu;
  out.searches += passes(network, moving, movable, options);
  if (options.global && !movable.empty()) {
    // Neither way is always the better one: routes moved one by one stay nearer to the old ones.
    Moving other(network, routes, options);
    descend_to_maximum(network, other, routes, movable, options, out.searches);
    if (highest(other.loads()) < highest(moving.loads())) moving = std::move(other);
  }
  out.search_seconds = cpu.lap_ms() / 1e3;

  out.after = moving.loads();
  for (const uint32_t r : selected) out.value_after.push_back(value(r, out.after.bytes));
  for (uint32_t r = 0; r < routes.size(); ++r) {
    out.moved += std::ranges::equal(moving.links_of(r), routes.links_of(r)) ? 0 : 1;
    out.worsened += max_load(moving.links_of(r), out.after.bytes) > load_before[r] ? 1 : 0;
  }
  constexpr size_t kMostReached = 30'000'000;  // Two to three seconds.
  out.bound_bytes = max_load_bound(network, routes, movable, options.delta, highest(out.after),
                                   kMostReached, pool);
  out.selected = std::move(selected);
  out.routes = moving.result();
  return out;
}

}  // namespace pathline::network
