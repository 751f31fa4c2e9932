// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/parts/parts.hpp"

#include <algorithm>

namespace pathline::mapping {
namespace {

/// Weight to each part, for one vertex at a time.
class PartWeights {
 public:
  explicit PartWeights(uint32_t part_count) : weight_(part_count, 0) {}

  void set(const WeightedGraph& graph, const std::vector<uint32_t>& part_of_vertex,
           uint32_t vertex) {
    for (const uint32_t part : parts_) weight_[part] = 0;
    parts_.clear();
    for (const WeightedGraph::Edge& edge : graph.of(vertex)) {
      const uint32_t part = part_of_vertex[edge.to];
      if (weight_[part] == 0) parts_.push_back(part);
      weight_[part] += edge.weight;
    }
  }
  [[nodiscard]] int64_t to(uint32_t part) const { return weight_[part]; }
  /// Those with any weight.
  [[nodiscard]] const std::vector<uint32_t>& parts() const { return parts_; }

 private:
  std::vector<int64_t> weight_;
  std::vector<uint32_t> parts_;
};

class SwapRefinement {
 public:
  SwapRefinement(const WeightedGraph& graph, uint32_t part_count,
                 std::vector<uint32_t>& part_of_vertex)
      : graph_(graph),
        part_of_(part_of_vertex),
        members_(part_count),
        own_(graph.size(), 0),
        to_part_(graph.size(), 0),
        to_vertex_(graph.size(), 0),
        weights_(part_count) {
    for (uint32_t v = 0; v < graph.size(); ++v) {
      members_[part_of_[v]].push_back(v);
      for (const WeightedGraph::Edge& edge : graph.of(v)) {
        if (part_of_[edge.to] == part_of_[v]) own_[v] += edge.weight;
      }
    }
  }

  /// One pass over all vertices; false if there was nothing to gain.
  bool sweep() {
    bool any = false;
    for (uint32_t part = 0; part < members_.size(); ++part) {
      add_to_part(part, 1);
      for (size_t m = 0; m < members_[part].size(); ++m) any |= improve(part, m);
      add_to_part(part, -1);
    }
    return any;
  }

 private:
  /// Of all vertices the weight to the members of `part`, in to_part_.
  void add_to_part(uint32_t part, int64_t sign) {
    for (const uint32_t member : members_[part]) add_edges(member, sign, to_part_);
  }
  void add_edges(uint32_t vertex, int64_t sign, std::vector<int64_t>& sums) {
    for (const WeightedGraph::Edge& edge : graph_.of(vertex)) {
      sums[edge.to] += sign * edge.weight;
    }
  }

  /// Swaps a member of `part` with the vertex of another part that gains most.
  bool improve(uint32_t part, size_t member) {
    const uint32_t u = members_[part][member];
    weights_.set(graph_, part_of_, u);
    add_edges(u, 1, to_vertex_);
    int64_t most = 0;
    uint32_t best_part = part;
    size_t best_member = 0;
    for (const uint32_t other : weights_.parts()) {
      if (other == part) continue;
      const int64_t gain_of_u = weights_.to(other) - own_[u];
      for (size_t m = 0; m < members_[other].size(); ++m) {
        const uint32_t v = members_[other][m];
        const int64_t gain = gain_of_u + to_part_[v] - own_[v] - 2 * to_vertex_[v];
        if (gain > most) {
          most = gain;
          best_part = other;
          best_member = m;
        }
      }
    }
    add_edges(u, -1, to_vertex_);
    if (most == 0) return false;
    swap(part, member, best_part, best_member);
    return true;
  }

  void swap(uint32_t part, size_t member, uint32_t other, size_t other_member) {
    const uint32_t u = members_[part][member];
    const uint32_t v = members_[other][other_member];
    add_edges(u, -1, to_part_);
    add_edges(v, 1, to_part_);
    move(u, part, other);
    move(v, other, part);
    members_[part][member] = v;
    members_[other][other_member] = u;
  }

  void move(uint32_t vertex, uint32_t from, uint32_t to) {
    own_[vertex] = 0;
    for (const WeightedGraph::Edge& edge : graph_.of(vertex)) {
      if (part_of_[edge.to] == from) own_[edge.to] -= edge.weight;
      if (part_of_[edge.to] == to) {
        own_[edge.to] += edge.weight;
        own_[vertex] += edge.weight;
      }
    }
    part_of_[vertex] = to;
  }

  const WeightedGraph& graph_;
  std::vector<uint32_t>& part_of_;
  std::vector<std::vector<uint32_t>> members_;
  std::vector<int64_t> own_;        // Per vertex: weight to its own part.
  std::vector<int64_t> to_part_;    // Per vertex: weight to the part that is looked at.
  std::vector<int64_t> to_vertex_;  // Per vertex: weight to the vertex that is looked at.
  PartWeights weights_;
};

}  // namespace

WeightedGraph graph_of(const graph::Traffic& traffic) {
  std::vector<graph::Pair> pairs;
  pairs.reserve(2 * traffic.entry_count());
  for (uint32_t sender = 0; sender < traffic.rank_count(); ++sender) {
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      const uint32_t receiver = traffic.receiver[i];
      if (sender == receiver || traffic.bytes[i] == 0) continue;
      pairs.push_back({sender, receiver, 0, traffic.bytes[i]});
      pairs.push_back({receiver, sender, 0, traffic.bytes[i]});
    }
  }
  graph::Traffic both = graph::traffic_of(traffic.rank_count(), std::move(pairs));
  // The sum of all weights must fit: no more than an equal share of 2^62 each.
  const uint64_t most = (uint64_t{1} << 62) / std::max<uint64_t>(1, 2 * both.entry_count());
  WeightedGraph graph;
  graph.row = std::move(both.row);
  graph.edges.reserve(both.receiver.size());
  for (size_t i = 0; i < both.receiver.size(); ++i) {
    graph.edges.push_back({both.receiver[i], static_cast<int64_t>(std::min(both.bytes[i], most))});
  }
  return graph;
}

int64_t cut_weight(const WeightedGraph& graph, std::span<const uint32_t> part_of_vertex) {
  int64_t twice = 0;
  for (uint32_t v = 0; v < graph.size(); ++v) {
    for (const WeightedGraph::Edge& edge : graph.of(v)) {
      if (part_of_vertex[v] != part_of_vertex[edge.to]) twice += edge.weight;
    }
  }
  return twice / 2;
}

std::vector<uint32_t> even_sizes(uint32_t total, uint32_t count) {
  std::vector<uint32_t> sizes(count, count == 0 ? 0 : total / count);
  for (uint32_t part = 0; count > 0 && part < total % count; ++part) ++sizes[part];
  return sizes;
}

void fit_sizes(const WeightedGraph& graph, std::span<const uint32_t> part_sizes,
               std::vector<uint32_t>& part_of_vertex) {
  const auto part_count = static_cast<uint32_t>(part_sizes.size());
  std::vector<int64_t> room(part_sizes.begin(), part_sizes.end());
  for (const uint32_t part : part_of_vertex) --room[part];
  PartWeights weights(part_count);
  for (;;) {
    const auto any = std::find_if(room.begin(), room.end(), [](int64_t left) { return left > 0; });
    if (any == room.end()) return;
    const auto some_part = static_cast<uint32_t>(any - room.begin());
    uint32_t best = UINT32_MAX;
    uint32_t best_part = 0;
    int64_t best_gain = INT64_MIN;
    for (uint32_t v = 0; v < graph.size(); ++v) {
      if (room[part_of_vertex[v]] >= 0) continue;
      weights.set(graph, part_of_vertex, v);
      const auto offer = [&](uint32_t part) {
        const int64_t gain = weights.to(part) - weights.to(part_of_vertex[v]);
        if (room[part] <= 0 || gain <= best_gain) return;
        best_gain = gain;
        best = v;
        best_part = part;
      };
      for (const uint32_t part : weights.parts()) offer(part);
      offer(some_part);
    }
    if (best == UINT32_MAX) return;
    ++room[part_of_vertex[best]];
    --room[best_part];
    part_of_vertex[best] = best_part;
  }
}

void swap_refine(const WeightedGraph& graph, uint32_t part_count, uint32_t sweeps,
                 std::vector<uint32_t>& part_of_vertex) {
  if (part_count < 2) return;
  SwapRefinement refinement(graph, part_count, part_of_vertex);
  for (uint32_t sweep = 0; sweep < sweeps && refinement.sweep(); ++sweep) {
  }
}

}  // namespace pathline::mapping
