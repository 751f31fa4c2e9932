// SPDX-License-Identifier: BSD-3-Clause
#include "network/reroute.hpp"

#include <algorithm>

namespace pathline::network {

Rerouter::Rerouter(const Network& network)
    : network_(network),
      old_stamp_(network.link_limit(), 0),
      seen_(network.vertex_count(), 0),
      best_(network.vertex_count()),
      slot_(network.vertex_count()) {}

uint64_t Rerouter::cost(Link link, std::span<const uint64_t> load_of_link, uint64_t bytes) const {
  return old_stamp_[link] == stamp_ ? load_of_link[link] : load_of_link[link] + bytes;
}

std::span<const Link> Rerouter::better_way(const RouteInNeed& route,
                                           std::span<const uint64_t> load_of_link,
                                           Criterion criterion, uint32_t delta) {
  way_.clear();
  if (route.links.empty() || route.from == route.to) return way_;
  const uint64_t old_load = max_load(route.links, load_of_link);
  const auto old_hops = static_cast<uint32_t>(route.links.size());
  // No simple way is longer than the number of vertices.
  const uint32_t max_hops = old_hops + std::min(delta, network_.vertex_count());
  // Each call has a mark of its own, and one for each level of the second search.
  if (stamp_ > UINT32_MAX - max_hops - 2) {
    std::fill(old_stamp_.begin(), old_stamp_.end(), 0);
    std::fill(seen_.begin(), seen_.end(), 0);
    stamp_ = 0;
  }
  ++stamp_;
  for (const Link link : route.links) old_stamp_[link] = stamp_;

  Bottleneck bottleneck;
  if (criterion == Criterion::kLoad) {
    bottleneck = find_bottleneck(route, load_of_link, old_load, max_hops);
  } else {
    bottleneck = {old_load, fewest_hops_within(route, load_of_link, old_load, old_hops - 1)};
  }
  if (bottleneck.hops > 0) find_lightest(route, load_of_link, bottleneck);
  return way_;
}

Rerouter::Bottleneck Rerouter::find_bottleneck(const RouteInNeed& route,
                                               std::span<const uint64_t> load_of_link,
                                               uint64_t limit, uint32_t max_hops) {
  Bottleneck found{limit, 0};
  level_.assign(1, {route.from, 0});
  const uint32_t stamp = stamp_;
  seen_[route.from] = stamp;
  best_[route.from] = 0;
  for (uint32_t hops = 1; hops <= max_hops && !level_.empty(); ++hops) {
    next_.clear();
    for (const Label& label : level_) {
      // A better label of the same vertex may have come in this level.
      if (label.worst >= found.worst) continue;
      for (const Network::Hop& hop : network_.hops(label.at)) {
        const uint64_t worst = std::max(label.worst, cost(hop.link, load_of_link, route.bytes));
        if (worst >= found.worst) continue;
        if (hop.to == route.to) {
          found = {worst, hops};
          continue;
        }
        if (seen_[hop.to] == stamp && best_[hop.to] <= worst) continue;
        const uint32_t rest = network_.fewest_hops(hop.to, route.to);
        if (rest > max_hops - hops) continue;
        seen_[hop.to] = stamp;
        best_[hop.to] = worst;
        next_.push_back({hop.to, worst});
      }
    }
    std::swap(level_, next_);
  }
  return found;
}

uint32_t Rerouter::fewest_hops_within(const RouteInNeed& route,
                                      std::span<const uint64_t> load_of_link, uint64_t worst,
                                      uint32_t max_hops) {
  level_.assign(1, {route.from, 0});
  seen_[route.from] = stamp_;
  for (uint32_t hops = 1; hops <= max_hops && !level_.empty(); ++hops) {
    next_.clear();
    for (const Label& label : level_) {
      for (const Network::Hop& hop : network_.hops(label.at)) {
        if (cost(hop.link, load_of_link, route.bytes) > worst) continue;
        if (hop.to == route.to) return hops;
        if (seen_[hop.to] == stamp_) continue;
        const uint32_t rest = network_.fewest_hops(hop.to, route.to);
        if (rest > max_hops - hops) continue;
        seen_[hop.to] = stamp_;
        next_.push_back({hop.to, 0});
      }
    }
    std::swap(level_, next_);
  }
  return 0;
}

void Rerouter::find_lightest(const RouteInNeed& route, std::span<const uint64_t> load_of_link,
                             Bottleneck bottleneck) {
  const uint32_t old = stamp_;
  steps_.resize(std::max<size_t>(steps_.size(), bottleneck.hops + 1));
  steps_[0].assign(1, {route.from, Link::none(), 0, 0});
  for (uint32_t hops = 1; hops <= bottleneck.hops; ++hops) {
    ++stamp_;
    std::vector<Step>& level = steps_[hops];
    level.clear();
    for (uint32_t i = 0; i < steps_[hops - 1].size(); ++i) {
      const Step before = steps_[hops - 1][i];
      for (const Network::Hop& hop : network_.hops(before.at)) {
        const bool is_old = old_stamp_[hop.link] == old;
        const uint64_t load = load_of_link[hop.link] - (is_old ? route.bytes : 0);
        if (load + route.bytes > bottleneck.worst) continue;
        const Step step{hop.to, hop.link, i, before.sum + load};
        if (seen_[hop.to] == stamp_) {
          Step& other = level[slot_[hop.to]];
          if (step.sum < other.sum) other = step;
          continue;
        }
        if (network_.fewest_hops(hop.to, route.to) > bottleneck.hops - hops) continue;
        seen_[hop.to] = stamp_;
        slot_[hop.to] = static_cast<uint32_t>(level.size());
        level.push_back(step);
      }
    }
  }
  // Only the end itself has no links left to go.
  const Step* step = &steps_[bottleneck.hops][0];
  way_.resize(bottleneck.hops);
  for (uint32_t hops = bottleneck.hops; hops > 0; --hops) {
    way_[hops - 1] = step->link;
    step = &steps_[hops - 1][step->before];
  }
}

}  // namespace pathline::network
