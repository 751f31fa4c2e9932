// SPDX-License-Identifier: BSD-3-Clause
#include "bundle/quadtree_router.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "base/column.hpp"
#include "base/radix_sort.hpp"
#include "bundle/router_input.hpp"

namespace pathline::bundle {
namespace {

constexpr size_t kMinSearches = 64;
constexpr size_t kSearchesPerPiece = 8;
constexpr uint32_t kNoVertex = UINT32_MAX;

/// All messages from one leaf to another.
struct Bundle {
  uint64_t key = 0;  ///< sending leaf * 2^32 + receiving leaf; 0 is none: nobody sends to itself
  uint64_t weight = 0;

  uint32_t source() const { return static_cast<uint32_t>(key >> 32); }
  uint32_t target() const { return static_cast<uint32_t>(key); }
};

/// The way of a bundle; no vertices where it is straight.
struct Way {
  std::vector<uint32_t> vertices;
  double length_px = 0;  ///< from the first to the last vertex
};

base::Column<Bundle> bundle_up(const WeightedPoints& from, const WeightedPoints& to,
                               const QuadtreeGraph& graph, base::ThreadPool& pool) {
  const std::span<const uint64_t> units = from.weight;
  const size_t count = units.size();
  const size_t slices = part_count(count, pool);
  base::Column<Bundle> bundles(count);
  pool.for_each(slices, [&](size_t slice) {
    for (size_t i = count * slice / slices; i < count * (slice + 1) / slices; ++i) {
      bundles[i] = {};
      if (units[i] == 0) continue;
      const uint64_t source = graph.leaf_at({from.x[i], from.y[i]});
      const uint64_t target = graph.leaf_at({to.x[i], to.y[i]});
      if (source != target) bundles[i] = {source << 32 | target, units[i]};
    }
  });
  base::radix_sort(bundles, [](const Bundle& bundle) { return bundle.key; });
  size_t kept = 0;
  for (const Bundle& bundle : bundles) {
    if (bundle.key == 0) continue;
    if (kept > 0 && bundles[kept - 1].key == bundle.key) {
      bundles[kept - 1].weight += bundle.weight;
    } else {
      bundles[kept++] = bundle;
    }
  }
  bundles.resize(kept);
  return bundles;
}

/// Weighted mean of the events of each leaf; its middle where there are none.
std::vector<layout::Point> mean_events(std::span<const WeightedPoints> ends,
                                       const QuadtreeGraph& graph, base::ThreadPool& pool) {
  struct Sum {
    uint64_t weight = 0, x = 0, y = 0;
  };
  std::vector<layout::Rect> rects;
  for (const QuadtreeGraph::Leaf& leaf : graph.leaves()) rects.push_back(graph.rect(leaf));
  const size_t slices = part_count(ends[0].weight.size(), pool);
  std::vector<std::vector<Sum>> sums(slices);
  pool.for_each(slices, [&](size_t slice) {
    sums[slice].resize(rects.size());
    for (const WeightedPoints& points : ends) {
      const size_t count = points.weight.size();
      for (size_t i = count * slice / slices; i < count * (slice + 1) / slices; ++i) {
        const uint64_t weight = points.weight[i];
        if (weight == 0) continue;
        const uint32_t leaf = graph.leaf_at({points.x[i], points.y[i]});
        Sum& sum = sums[slice][leaf];
        sum.weight += weight;
        sum.x += weight * fraction((points.x[i] - rects[leaf].x) / rects[leaf].w);
        sum.y += weight * fraction((points.y[i] - rects[leaf].y) / rects[leaf].h);
      }
    }
  });
  std::vector<layout::Point> means;
  for (size_t leaf = 0; leaf < rects.size(); ++leaf) {
    Sum all;
    for (const std::vector<Sum>& part : sums) {
      all.weight += part[leaf].weight;
      all.x += part[leaf].x;
      all.y += part[leaf].y;
    }
    const double steps = kFractionSteps * static_cast<double>(all.weight);
    const double across = all.weight == 0 ? 0.5 : static_cast<double>(all.x) / steps;
    const double down = all.weight == 0 ? 0.5 : static_cast<double>(all.y) / steps;
    means.push_back({rects[leaf].x + across * rects[leaf].w, rects[leaf].y + down * rects[leaf].h});
  }
  return means;
}

/// Finds the cheapest ways from one leaf after the other; one per piece of kSearchesPerPiece
/// leaves, for its states of all vertices are used again.
class Search {
 public:
  struct Costs {
    std::vector<double> of_edge;
    double length_power = 1;
    double max_detour = 1;
  };

  Search(const QuadtreeGraph& graph, const std::vector<layout::Point>& means, const Costs& costs)
      : graph_(graph), means_(means), costs_(costs), states_(graph.vertices().size()) {}

  /// Ways of `bundles`, which all begin in one leaf, into `ways`, one each.
  void run(std::span<const Bundle> bundles, Way* ways);

 private:
  struct State {
    double cost = HUGE_VAL;
    uint32_t before = kNoVertex;
    uint32_t search = 0;         ///< that the rest is about
    uint32_t wanted_search = 0;  ///< in which this is a corner of a receiver
  };

  double leg_cost(layout::Point event, uint32_t vertex) const {
    return std::pow(distance(event, graph_.vertices()[vertex]), costs_.length_power);
  }
  /// A cost that no search of this number has found yet is infinite.
  double cost(uint32_t vertex) const {
    return states_[vertex].search == search_ ? states_[vertex].cost : HUGE_VAL;
  }
  void reach(uint32_t vertex, double new_cost, uint32_t before) {
    if (!(new_cost < cost(vertex))) return;
    states_[vertex].cost = new_cost;
    states_[vertex].before = before;
    states_[vertex].search = search_;
    open_.push({new_cost, vertex});
  }
  void spread(layout::Point from, double reach_px, size_t wanted_count);
  Way trace(layout::Point from, const Bundle& bundle) const;

  const QuadtreeGraph& graph_;
  const std::vector<layout::Point>& means_;
  const Costs& costs_;
  std::vector<State> states_;
  uint32_t search_ = 0;
  using Entry = std::pair<double, uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open_;
};

void Search::run(std::span<const Bundle> bundles, Way* ways) {
  ++search_;
  open_ = {};
  const layout::Point from = means_[bundles[0].source()];
  size_t wanted_count = 0;
  double farthest_px = 0;
  for (const Bundle& bundle : bundles) {
    farthest_px = std::max(farthest_px, distance(from, means_[bundle.target()]));
    for (const uint32_t corner : graph_.leaves()[bundle.target()].corners) {
      if (std::exchange(states_[corner].wanted_search, search_) != search_) ++wanted_count;
    }
  }
  for (const uint32_t corner : graph_.leaves()[bundles[0].source()].corners) {
    reach(corner, leg_cost(from, corner), kNoVertex);
  }
  // On a route of length d * l to a target l away, |sv| + |vt| <= d * l and |vt| >= |sv| - l.
  spread(from, (1 + costs_.max_detour) / 2 * farthest_px, wanted_count);
  for (size_t i = 0; i < bundles.size(); ++i) ways[i] = trace(from, bundles[i]);
}

void Search::spread(layout::Point from, double reach_px, size_t wanted_count) {
  while (!open_.empty() && wanted_count > 0) {
    const auto [so_far, vertex] = open_.top();
    open_.pop();
    if (so_far > states_[vertex].cost) continue;
    if (states_[vertex].wanted_search == search_) --wanted_count;
    for (const QuadtreeGraph::Arc& arc : graph_.arcs(vertex)) {
      const layout::Point p = graph_.vertices()[arc.to];
      const double dx = p.x - from.x;
      const double dy = p.y - from.y;
      if (dx * dx + dy * dy > reach_px * reach_px) continue;
      reach(arc.to, so_far + costs_.of_edge[arc.edge], vertex);
    }
  }
}

Way Search::trace(layout::Point from, const Bundle& bundle) const {
  const layout::Point to = means_[bundle.target()];
  double least = HUGE_VAL;
  uint32_t last = kNoVertex;
  for (const uint32_t corner : graph_.leaves()[bundle.target()].corners) {
    const double all = cost(corner) + leg_cost(to, corner);
    if (all < least) {
      least = all;
      last = corner;
    }
  }
  Way way;
  if (last == kNoVertex) return way;
  for (uint32_t v = last; v != kNoVertex; v = states_[v].before) way.vertices.push_back(v);
  std::reverse(way.vertices.begin(), way.vertices.end());
  const std::vector<layout::Point>& at = graph_.vertices();
  for (size_t i = 1; i < way.vertices.size(); ++i) {
    way.length_px += distance(at[way.vertices[i - 1]], at[way.vertices[i]]);
  }
  const double legs_px = distance(from, at[way.vertices.front()]) + distance(at[last], to);
  if (way.length_px + legs_px > costs_.max_detour * distance(from, to)) return {};
  return way;
}

class QuadtreeRouter final : public Router {
 public:
  using Ends = std::array<WeightedPoints, 2>;  // sending, receiving

  QuadtreeRouter(const Ends& ends, const layout::Rect& clip, const QuadtreeOptions& options,
                 base::ThreadPool& pool)
      : options_(options), graph_(ends, clip, options.limits, pool) {
    means_ = mean_events(ends, graph_, pool);
    choose(bundle_up(ends[0], ends[1], graph_, pool));
    std::vector<uint64_t> use(graph_.edges().size());
    for (uint32_t round = 0; round < std::max(1U, options_.round_count); ++round) {
      if (round > 0) use = used();
      find_ways(use, pool);
    }
    means_ = {};
  }

  void route(layout::Point from, layout::Point to,
             std::vector<layout::Point>& control) const override {
    control.assign(1, from);
    if (is_finite(from) && is_finite(to)) add_way(from, to, control);
    add_last(to, control);
  }

  std::vector<Node> nodes() const override {
    std::vector<Node> nodes;
    for (const layout::Point& vertex : graph_.vertices()) nodes.push_back({vertex, 0});
    return nodes;
  }

 private:
  void choose(base::Column<Bundle> all);
  void find_ways(const std::vector<uint64_t>& use, base::ThreadPool& pool);
  std::vector<uint64_t> used() const;
  void add_way(layout::Point from, layout::Point to, std::vector<layout::Point>& control) const;

  QuadtreeOptions options_;
  QuadtreeGraph graph_;
  std::vector<layout::Point> means_;  // of leaves, while ways are searched
  std::vector<Bundle> bundles_;       // sorted by key
  std::vector<Way> ways_;             // of bundles
  std::vector<size_t> first_;         // bundle of each leaf as sender, and the end
  std::vector<uint32_t> senders_;     // leaves with bundles
  double mean_weight_ = 1;            // of a bundle
};

/// Keeps the heaviest bundles, within the limits.
void QuadtreeRouter::choose(base::Column<Bundle> all) {
  std::vector<Bundle> by_weight(all.begin(), all.end());
  std::sort(by_weight.begin(), by_weight.end(), [](const Bundle& a, const Bundle& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.key < b.key;
  });
  if (by_weight.size() > options_.max_bundle_count) by_weight.resize(options_.max_bundle_count);
  size_t searches_left =
      std::max(kMinSearches, options_.max_search_effort / graph_.vertices().size());
  std::vector<uint8_t> is_source(graph_.leaves().size());
  uint64_t weight = 0;
  for (const Bundle& bundle : by_weight) {
    if (is_source[bundle.source()] == 0) {
      if (searches_left == 0) continue;
      --searches_left;
      is_source[bundle.source()] = 1;
    }
    bundles_.push_back(bundle);
    weight += bundle.weight;
  }
  std::sort(bundles_.begin(), bundles_.end(),
            [](const Bundle& a, const Bundle& b) { return a.key < b.key; });
  first_.assign(graph_.leaves().size() + 1, 0);
  for (const Bundle& bundle : bundles_) ++first_[bundle.source() + 1];
  for (uint32_t leaf = 0; leaf < graph_.leaves().size(); ++leaf) {
    if (first_[leaf + 1] > 0) senders_.push_back(leaf);
    first_[leaf + 1] += first_[leaf];
  }
  ways_.resize(bundles_.size());
  if (!bundles_.empty()) {
    mean_weight_ = static_cast<double>(weight) / static_cast<double>(bundles_.size());
  }
}

void QuadtreeRouter::find_ways(const std::vector<uint64_t>& use, base::ThreadPool& pool) {
  Search::Costs costs{{}, options_.length_power, options_.max_detour};
  for (size_t e = 0; e < use.size(); ++e) {
    costs.of_edge.push_back(
        std::pow(graph_.edges()[e].length_px, options_.length_power) *
        std::pow(1 + static_cast<double>(use[e]) / mean_weight_, -options_.use_power));
  }
  const size_t pieces = (senders_.size() + kSearchesPerPiece - 1) / kSearchesPerPiece;
  pool.for_each(pieces, [&](size_t piece) {
    Search search(graph_, means_, costs);
    const size_t end = std::min(senders_.size(), (piece + 1) * kSearchesPerPiece);
    for (size_t s = piece * kSearchesPerPiece; s < end; ++s) {
      const uint32_t leaf = senders_[s];
      search.run({bundles_.data() + first_[leaf], bundles_.data() + first_[leaf + 1]},
                 ways_.data() + first_[leaf]);
    }
  });
}

std::vector<uint64_t> QuadtreeRouter::used() const {
  std::vector<uint64_t> use(graph_.edges().size());
  for (size_t b = 0; b < bundles_.size(); ++b) {
    const std::vector<uint32_t>& vertices = ways_[b].vertices;
    for (size_t i = 1; i < vertices.size(); ++i) {
      for (const QuadtreeGraph::Arc& arc : graph_.arcs(vertices[i - 1])) {
        if (arc.to == vertices[i]) use[arc.edge] += bundles_[b].weight;
      }
    }
  }
  return use;
}

void QuadtreeRouter::add_way(layout::Point from, layout::Point to,
                             std::vector<layout::Point>& control) const {
  const uint32_t source = graph_.leaf_at(from);
  const uint32_t target = graph_.leaf_at(to);
  const auto begin = bundles_.begin() + static_cast<ptrdiff_t>(first_[source]);
  const auto end = bundles_.begin() + static_cast<ptrdiff_t>(first_[source + 1]);
  const auto bundle = std::lower_bound(
      begin, end, target, [](const Bundle& b, uint32_t leaf) { return b.target() < leaf; });
  if (bundle == end || bundle->target() != target) return;
  const Way& way = ways_[static_cast<size_t>(bundle - bundles_.begin())];
  if (way.vertices.empty()) return;
  const std::vector<layout::Point>& at = graph_.vertices();
  const double length_px = distance(from, at[way.vertices.front()]) + way.length_px +
                           distance(at[way.vertices.back()], to);
  if (length_px > options_.max_detour * distance(from, to)) return;
  for (const uint32_t vertex : way.vertices) add_inner(at[vertex], control);
}

}  // namespace

std::unique_ptr<Router> make_quadtree_router(const layout::Segments& lines,
                                             const QuadtreeOptions& options,
                                             base::ThreadPool& pool) {
  const auto units = weight_units(lines, pool);
  const QuadtreeRouter::Ends ends = {{{lines.x1, lines.y1, units}, {lines.x2, lines.y2, units}}};
  return std::make_unique<QuadtreeRouter>(ends, lines.clip, options, pool);
}

}  // namespace pathline::bundle
