// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "network/network.hpp"

namespace pathline::network {

/// The way between two vertices of at most so many links whose costs add up to the least: the
/// dynamic programme of Bellman and Ford, level by level, on the vertices from which the end is
/// still in reach. Of ways of the same cost the one found first, which has the fewest links.
///
/// Keeps O(vertices) scratch; one object per thread.
class CheapestWay {
 public:
  explicit CheapestWay(const Network& network)
      : network_(network), seen_(network.vertex_count(), 0), best_(network.vertex_count()) {}

  /// cost_of  called with a Link, returns its cost as a double, not negative.
  /// limit    a way that costs as much or more is not wanted.
  /// returns  false if there is no way cheaper than `limit`.
  template <class Cost>
  bool find(Vertex from, Vertex to, uint32_t max_hops, double limit, const Cost& cost_of) {
    if (++stamp_ == 0) {
      std::fill(seen_.begin(), seen_.end(), 0);
      stamp_ = 1;
    }
    labels_.assign(1, {from, Link::none(), 0, 0});
    end_ = kNone;
    cost_ = limit;
    seen_[from] = stamp_;
    best_[from] = 0;
    uint32_t level_begin = 0;
    for (uint32_t hops = 1; hops <= max_hops && level_begin < labels_.size(); ++hops) {
      const auto level_end = static_cast<uint32_t>(labels_.size());
      for (uint32_t i = level_begin; i < level_end; ++i) {
        const Label label = labels_[i];
        if (label.cost >= cost_) continue;
        for (const Network::Hop& hop : network_.hops(label.at)) {
          const double cost = label.cost + cost_of(hop.link);
          if (cost >= cost_) continue;
          if (hop.to == to) {
            cost_ = cost;
            end_ = static_cast<uint32_t>(labels_.size());
            labels_.push_back({to, hop.link, i, HUGE_VAL});  // Never left again.
            continue;
          }
          if (seen_[hop.to] == stamp_ && best_[hop.to] <= cost) continue;
          if (network_.fewest_hops(hop.to, to) > max_hops - hops) continue;
          seen_[hop.to] = stamp_;
          best_[hop.to] = cost;
          labels_.push_back({hop.to, hop.link, i, cost});
        }
      }
      level_begin = level_end;
    }
    return end_ != kNone;
  }
  /// Vertices reached by the last search, again where they were reached in a better way.
  [[nodiscard]] size_t reached_count() const { return labels_.size(); }
  /// Of the way found last.
  [[nodiscard]] double cost() const { return cost_; }
  /// Its links, in order.
  void links(std::vector<Link>& out) const {
    out.clear();
    for (uint32_t i = end_; i != 0; i = labels_[i].before) out.push_back(labels_[i].link);
    std::reverse(out.begin(), out.end());
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Label {
    Vertex at;
    Link link;        // That leads here.
    uint32_t before;  // Label it comes from.
    double cost;
  };
  const Network& network_;
  std::vector<uint32_t> seen_;  // Per vertex: == stamp_ if best_ is of this search.
  std::vector<double> best_;
  std::vector<Label> labels_;
  uint32_t stamp_ = 0;
  uint32_t end_ = kNone;
  double cost_ = 0;
};

}  // namespace pathline::network
