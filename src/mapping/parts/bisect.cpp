// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/parts/bisect.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "mapping/search/gain_heap.hpp"

namespace pathline::mapping {
namespace {

constexpr uint32_t kSmallest = 40;  // Vertices of a graph that is bisected without coarsening.
constexpr uint32_t kNone = UINT32_MAX;

/// One graph, its sides, and the moves of vertices that improve them.
class Refiner {
 public:
  Refiner(const BisectGraph& graph, uint32_t side_0_size)
      : graph_(graph),
        target_(side_0_size),
        largest_(*std::max_element(graph.size.begin(), graph.size.end())),
        tolerance_(largest_ == 1 ? 0 : largest_),
        gain_(graph.vertex_count()),
        heap_{GainHeap(graph.vertex_count()), GainHeap(graph.vertex_count())} {}

  /// Everything to side 1, then from a random vertex on what is best moved to side 0.
  void grow(Random& random) {
    side.assign(graph_.vertex_count(), 1);
    start();
    uint32_t seed = random.below(graph_.vertex_count());
    while (imbalance_ < 0) {
      if (seed == kNone) seed = heap_[1].top();
      if (imbalance_ + graph_.size[seed] > tolerance_) {
        heap_[1].remove(seed);
        if (heap_[1].empty()) break;
      } else {
        move(seed);
      }
      seed = kNone;
    }
  }

  /// Passes of moves until one does not help. Returns the cost.
  double refine() {
    double cost = this->cost();
    for (int pass = 0; pass < kMostPasses; ++pass) {
      start();
      const double better = run_pass();
      if (!(better > 1e-6 * std::abs(cost)) && !forced_) break;
      cost -= better;
    }
    return this->cost();
  }

  [[nodiscard]] double cost() const {
    double sum = 0;
    for (uint32_t v = 0; v < graph_.vertex_count(); ++v) {
      if (side[v] == 1) sum += graph_.pull[v];
      for (uint32_t i = graph_.row[v]; i < graph_.row[v + 1]; ++i) {
        const BisectGraph::Edge& edge = graph_.edges[i];
        if (edge.to < v && side[edge.to] != side[v]) sum += edge.weight;
      }
    }
    return sum;
  }
  [[nodiscard]] bool balanced() const {
    int64_t filled = -target_;
    for (uint32_t v = 0; v < graph_.vertex_count(); ++v)
      filled += side[v] == 0 ? graph_.size[v] : 0;
    return std::abs(filled) <= tolerance_;
  }

  std::vector<uint8_t> side;

 private:
  static constexpr int kMostPasses = 8;

  void start() {
    heap_[0].clear();
    heap_[1].clear();
    imbalance_ = -target_;
    for (uint32_t v = 0; v < graph_.vertex_count(); ++v) {
      float gain = side[v] == 1 ? graph_.pull[v] : -graph_.pull[v];
      for (uint32_t i = graph_.row[v]; i < graph_.row[v + 1]; ++i) {
        const BisectGraph::Edge& edge = graph_.edges[i];
        gain += side[edge.to] == side[v] ? -edge.weight : edge.weight;
      }
      gain_[v] = gain;
      heap_[side[v]].set(v, gain);
      if (side[v] == 0) imbalance_ += graph_.size[v];
    }
  }

  void move(uint32_t v) {
    const uint8_t from = side[v];
    heap_[from].remove(v);
    side[v] ^= 1;
    imbalance_ += from == 0 ? -int64_t{graph_.size[v]} : int64_t{graph_.size[v]};
    for (uint32_t i = graph_.row[v]; i < graph_.row[v + 1]; ++i) {
      const BisectGraph::Edge& edge = graph_.edges[i];
      const uint8_t other = side[edge.to];
      gain_[edge.to] += other == from ? 2 * edge.weight : -2 * edge.weight;
      if (heap_[other].contains(edge.to)) heap_[other].set(edge.to, gain_[edge.to]);
    }
  }

  /// The vertex to move next: the one with most gain that leaves the sides near their sizes.
  uint32_t choose() {
    // Side 0 may be off by one vertex while moves go to and fro.
    const int64_t room = tolerance_ + largest_;
    for (;;) {
      const bool zero = !heap_[0].empty() && imbalance_ > -room;
      const bool one = !heap_[1].empty() && imbalance_ < room;
      if (!zero && !one) return kNone;
      uint8_t from = zero ? 0 : 1;
      if (zero && one) {
        from = heap_[0].top_gain() >= heap_[1].top_gain() ? 0 : 1;
        if (imbalance_ > tolerance_) from = 0;
        if (imbalance_ < -tolerance_) from = 1;
      }
      const uint32_t v = heap_[from].top();
      const int64_t after = imbalance_ + (from == 0 ? -int64_t{graph_.size[v]} : graph_.size[v]);
      if (std::abs(after) <= room || std::abs(after) < std::abs(imbalance_)) return v;
      heap_[from].remove(v);
    }
  }

  /// Moves vertices, each once at most, and goes back to the best state seen. Returns what it is
  /// better than the first; forced_ says that the first was not balanced.
  double run_pass() {
    std::vector<uint32_t> moved;
    double sum = 0;
    double best = 0;
    size_t best_count = 0;
    int64_t best_imbalance = std::abs(imbalance_);
    forced_ = best_imbalance > tolerance_;
    const size_t patience = std::max<size_t>(50, graph_.vertex_count() / 16);
    while (moved.size() < best_count + patience || best_imbalance > tolerance_) {
      const uint32_t v = choose();
      if (v == kNone) break;
      sum += gain_[v];
      move(v);
      moved.push_back(v);
      const int64_t off = std::abs(imbalance_);
      const bool closer = off < best_imbalance && best_imbalance > tolerance_;
      if (closer || (off <= tolerance_ && sum > best + 1e-9 * std::abs(best))) {
        best = sum;
        best_count = moved.size();
        best_imbalance = off;
      }
    }
    for (size_t i = moved.size(); i > best_count; --i) side[moved[i - 1]] ^= 1;
    return best;
  }

  const BisectGraph& graph_;
  int64_t target_;
  int64_t largest_;
  int64_t tolerance_;
  int64_t imbalance_ = 0;  // What side 0 is fuller than it should be.
  bool forced_ = false;
  std::vector<float> gain_;
  GainHeap heap_[2];
};

/// Pairs of vertices to be merged: per vertex its number in the coarser graph. Heavy edges between
/// small vertices first; what has no partner left is paired with the next such.
std::vector<uint32_t> match(const BisectGraph& graph, uint32_t largest, Random& random,
                            uint32_t& coarse_count) {
  const uint32_t n = graph.vertex_count();
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  random.shuffle(order);
  std::vector<uint32_t> coarse(n, kNone);
  coarse_count = 0;
  uint32_t lonely = kNone;
  for (const uint32_t v : order) {
    if (coarse[v] != kNone) continue;
    uint32_t best = kNone;
    float best_rating = 0;
    for (uint32_t i = graph.row[v]; i < graph.row[v + 1]; ++i) {
      const BisectGraph::Edge& edge = graph.edges[i];
      if (coarse[edge.to] != kNone || graph.size[v] + graph.size[edge.to] > largest) continue;
      const float rating = edge.weight / static_cast<float>(graph.size[edge.to]);
      if (rating > best_rating) {
        best_rating = rating;
        best = edge.to;
      }
    }
    if (best == kNone && graph.row[v] == graph.row[v + 1]) {
      if (lonely == kNone || graph.size[v] + graph.size[lonely] > largest) {
        if (lonely == kNone) lonely = v;
        coarse[v] = coarse_count++;
        continue;
      }
      coarse[v] = coarse[lonely];
      lonely = kNone;
      continue;
    }
    coarse[v] = coarse_count++;
    if (best != kNone) coarse[best] = coarse[v];
  }
  return coarse;
}

BisectGraph merge(const BisectGraph& graph, const std::vector<uint32_t>& coarse, uint32_t count) {
  BisectGraph merged;
  merged.size.assign(count, 0);
  merged.pull.assign(count, 0);
  std::vector<uint32_t> first(count, kNone);
  std::vector<uint32_t> second(count, kNone);
  for (uint32_t v = 0; v < graph.vertex_count(); ++v) {
    merged.size[coarse[v]] += graph.size[v];
    merged.pull[coarse[v]] += graph.pull[v];
    (first[coarse[v]] == kNone ? first : second)[coarse[v]] = v;
  }
  std::vector<uint32_t> entry(count, kNone);  // Per neighbour: its edge of the row being made.
  merged.edges.reserve(graph.edges.size());
  merged.row.reserve(count + 1);
  for (uint32_t c = 0; c < count; ++c) {
    const auto begin = static_cast<uint32_t>(merged.edges.size());
    for (const uint32_t v : {first[c], second[c]}) {
      if (v == kNone) continue;
      for (uint32_t i = graph.row[v]; i < graph.row[v + 1]; ++i) {
        const uint32_t to = coarse[graph.edges[i].to];
        if (to == c) continue;
        if (entry[to] == kNone || entry[to] < begin) {
          entry[to] = static_cast<uint32_t>(merged.edges.size());
          merged.edges.push_back({to, graph.edges[i].weight});
        } else {
          merged.edges[entry[to]].weight += graph.edges[i].weight;
        }
      }
    }
    merged.row.push_back(static_cast<uint32_t>(merged.edges.size()));
  }
  return merged;
}

std::vector<uint8_t> bisect_small(const BisectGraph& graph, uint32_t side_0_size, uint32_t starts,
                                  Random& random) {
  std::vector<uint8_t> best;
  double best_cost = std::numeric_limits<double>::infinity();
  bool best_balanced = false;
  Refiner refiner(graph, side_0_size);
  for (uint32_t start = 0; start < starts; ++start) {
    refiner.grow(random);
    const double cost = refiner.refine();
    const bool balanced = refiner.balanced();
    if (best.empty() || (balanced && !best_balanced) ||
        (balanced == best_balanced && cost < best_cost)) {
      best = refiner.side;
      best_cost = cost;
      best_balanced = balanced;
    }
  }
  return best;
}

}  // namespace

std::vector<uint8_t> bisect(const BisectGraph& graph, uint32_t side_0_size, uint32_t starts,
                            Random& random) {
  const uint32_t n = graph.vertex_count();
  if (n > kSmallest) {
    const uint32_t whole = std::accumulate(graph.size.begin(), graph.size.end(), 0U);
    const uint32_t largest = std::max(2U, std::min(side_0_size, whole - side_0_size) / 8);
    uint32_t coarse_count = 0;
    const std::vector<uint32_t> coarse = match(graph, largest, random, coarse_count);
    if (coarse_count < n - n / 10) {
      const std::vector<uint8_t> coarse_side =
          bisect(merge(graph, coarse, coarse_count), side_0_size, starts, random);
      Refiner refiner(graph, side_0_size);
      refiner.side.resize(n);
      for (uint32_t v = 0; v < n; ++v) refiner.side[v] = coarse_side[coarse[v]];
      refiner.refine();
      return std::move(refiner.side);
    }
  }
  return bisect_small(graph, side_0_size, starts, random);
}

}  // namespace pathline::mapping
