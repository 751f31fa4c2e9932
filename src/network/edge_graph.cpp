// SPDX-License-Identifier: BSD-3-Clause
#include "network/edge_graph.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

#include <fmt/format.h>

#include "base/text.hpp"
#include "network/lines.hpp"

namespace pathline::network {
namespace {

constexpr uint16_t kNoWay = UINT16_MAX;
// Weights are counted in millionths, so that sums are exact and 0.1 + 0.2 ties with 0.3; the sum of
// a way through all vertices fits into 64 bits.
constexpr double kUnitsOfOne = 1e6;
constexpr double kMaxWeight = 1e9;

base::Error invalid(const std::string& file, size_t line, std::string_view fact) {
  return {base::ErrorCode::kInvalidArgument,
          fmt::format("cannot use {}: line {}: {}", base::printable(file), line, fact)};
}

/// The names of the vertices in their order.
std::vector<std::string> vertex_order(const std::vector<EdgeGraph::Edge>& edges,
                                      const std::vector<std::string>& switches) {
  std::unordered_map<std::string, bool> is_switch;
  for (const std::string& name : switches) is_switch[name] = true;
  std::vector<std::string> names;
  std::unordered_map<std::string, bool> seen;
  bool all_numbers = true;
  for (const EdgeGraph::Edge& edge : edges) {
    for (const std::string* name : {&edge.from, &edge.to}) {
      if (!seen.emplace(*name, true).second) continue;
      names.push_back(*name);
      all_numbers = all_numbers && number_in<uint64_t>(*name).has_value();
    }
  }
  if (all_numbers) {
    std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
      return *number_in<uint64_t>(a) < *number_in<uint64_t>(b);
    });
  }
  std::stable_partition(names.begin(), names.end(),
                        [&](const std::string& name) { return !is_switch.contains(name); });
  return names;
}

}  // namespace

base::Result<std::unique_ptr<EdgeGraph>> EdgeGraph::make(const std::vector<Edge>& edges,
                                                         const std::vector<std::string>& switches,
                                                         std::string spec,
                                                         const std::string& file) {
  std::unique_ptr<EdgeGraph> graph(new EdgeGraph());
  graph->spec_ = std::move(spec);
  graph->names_ = vertex_order(edges, switches);
  const size_t count = graph->names_.size();
  if (count == 0) return invalid(file, 1, "no edge");
  if (count > kMaxVertices) {
    return invalid(file, edges.back().line,
                   fmt::format("{} vertices, but at most {} are supported", count, kMaxVertices));
  }
  for (uint32_t v = 0; v < count; ++v) graph->vertex_of_name_.emplace(graph->names_[v], v);
  size_t switch_count = 0;
  for (const std::string& name : switches) {
    switch_count += graph->vertex_of_name_.contains(name) ? 1 : 0;
  }
  if (switch_count >= count) return invalid(file, 1, "all vertices are switches");

  std::map<std::pair<uint32_t, uint32_t>, double> weights;
  for (const Edge& edge : edges) {
    const uint32_t from = graph->vertex_of_name_.at(edge.from);
    const uint32_t to = graph->vertex_of_name_.at(edge.to);
    if (from == to) {
      return invalid(file, edge.line,
                     fmt::format("an edge from {} to itself", base::printable(edge.from)));
    }
    if (!(edge.weight >= 1 / kUnitsOfOne && edge.weight <= kMaxWeight)) {
      return invalid(file, edge.line,
                     fmt::format("weight {} is not a number from {} to {}", edge.weight,
                                 1 / kUnitsOfOne, kMaxWeight));
    }
    for (const auto& way : {std::pair(from, to), std::pair(to, from)}) {
      const auto [found, added] = weights.emplace(way, edge.weight);
      if (!added && found->second != edge.weight) {
        return invalid(
            file, edge.line,
            fmt::format("the edge from {} to {} has weight {}, but had {} before",
                        base::printable(graph->names_[way.first]),
                        base::printable(graph->names_[way.second]), edge.weight, found->second));
      }
      if (edge.one_way) break;
    }
  }
  std::vector<Ends> ends;
  std::vector<int64_t> weight_of_link;
  for (const auto& [way, weight] : weights) {
    ends.push_back({Vertex(way.first), Vertex(way.second)});
    weight_of_link.push_back(std::llround(weight * kUnitsOfOne));
  }
  const auto nodes = static_cast<uint32_t>(count - switch_count);
  graph->set_links(nodes, static_cast<uint32_t>(count), std::move(ends), {});
  graph->find_routes(weight_of_link);
  for (uint32_t to = 0; to < nodes; ++to) {
    for (uint32_t from = 0; from < nodes; ++from) {
      const uint32_t hops = graph->distance(Vertex(from), Vertex(to));
      if (hops == kNoWay) {
        return invalid(
            file, 1,
            fmt::format("no way leads from {} to {}", base::printable(graph->names_[from]),
                        base::printable(graph->names_[to])));
      }
      graph->diameter_ = std::max(graph->diameter_, hops);
    }
  }
  return graph;
}

void EdgeGraph::find_routes(const std::vector<int64_t>& weight_of_link) {
  const uint32_t count = vertex_count();
  const bool weighted = std::any_of(weight_of_link.begin(), weight_of_link.end(),
                                    [&](int64_t weight) { return weight != weight_of_link[0]; });
  // Links by the vertex they lead to, for searches from the destination backwards.
  std::vector<std::vector<Hop>> into(count);
  for (uint32_t v = 0; v < count; ++v) {
    for (const Hop& hop : hops(Vertex(v))) into[hop.to].push_back({Vertex(v), hop.link});
  }
  hops_to_.assign(size_t{node_count()} * count, kNoWay);
  next_hop_.assign(size_t{node_count()} * count, 0);
  if (weighted) fewest_to_.assign(size_t{node_count()} * count, kNoWay);

  std::vector<int64_t> weight_to(count);
  std::vector<uint32_t> reached;  // In the order of their weight.
  for (uint32_t to = 0; to < node_count(); ++to) {
    const auto search = [&](bool by_weight) {
      weight_to.assign(count, INT64_MAX);
      weight_to[to] = 0;
      reached.clear();
      std::priority_queue<std::pair<int64_t, uint32_t>, std::vector<std::pair<int64_t, uint32_t>>,
                          std::greater<>>
          queue;
      queue.emplace(0, to);
      while (!queue.empty()) {
        const auto [weight, v] = queue.top();
        queue.pop();
        if (weight > weight_to[v]) continue;
        reached.push_back(v);
        for (const Hop& hop : into[v]) {
          const int64_t longer = weight + (by_weight ? weight_of_link[hop.link] : 1);
          if (longer >= weight_to[hop.to]) continue;
          weight_to[hop.to] = longer;
          queue.emplace(longer, hop.to);
        }
      }
    };
    if (weighted) {
      search(false);
      for (const uint32_t v : reached) {
        fewest_to_[size_t{to} * count + v] = static_cast<uint16_t>(weight_to[v]);
      }
    }
    search(weighted);
    uint16_t* hops_to = hops_to_.data() + size_t{to} * count;
    hops_to[to] = 0;
    for (const uint32_t v : reached) {
      if (v == to) continue;
      const auto out = hops(Vertex(v));
      for (size_t i = 0; i < out.size(); ++i) {
        const int64_t step = weighted ? weight_of_link[out[i].link] : 1;
        if (weight_to[out[i].to] == INT64_MAX || weight_to[out[i].to] + step != weight_to[v]) {
          continue;
        }
        next_hop_[size_t{to} * count + v] = static_cast<uint16_t>(i);
        hops_to[v] = static_cast<uint16_t>(hops_to[out[i].to] + 1);
        break;
      }
    }
  }
}

uint32_t EdgeGraph::fewest_hops(Vertex from, Vertex to) const {
  if (to >= node_count()) return from == to ? 0 : 1;
  const size_t at = size_t{to} * vertex_count() + from;
  const uint16_t hops = fewest_to_.empty() ? hops_to_[at] : fewest_to_[at];
  return hops == kNoWay ? UINT32_MAX : hops;
}

void EdgeGraph::route(Vertex from, Vertex to, std::vector<Link>& links) const {
  for (Vertex at = from; at != to;) {
    const Hop& hop = hops(at)[next_hop_[size_t{to} * vertex_count() + at]];
    links.push_back(hop.link);
    at = hop.to;
  }
}

void EdgeGraph::coordinates(Vertex, std::span<uint32_t>) const {}

Vertex EdgeGraph::node(std::span<const uint32_t>) const { return Vertex::none(); }

Vertex EdgeGraph::find(std::string_view name) const {
  const auto found = vertex_of_name_.find(std::string(name));
  return found == vertex_of_name_.end() || found->second >= node_count() ? Vertex::none()
                                                                         : Vertex(found->second);
}

base::Result<std::unique_ptr<EdgeGraph>> read_edges(std::string_view text,
                                                    const std::string& file) {
  std::vector<EdgeGraph::Edge> edges;
  std::vector<std::string> switches;
  for (Lines lines(text, '#'); lines.next();) {
    std::vector<std::string_view> words(lines.words().begin(), lines.words().end());
    if (words.empty()) continue;
    if (words[0] == "switch") {
      for (size_t i = 1; i < words.size(); ++i) switches.emplace_back(words[i]);
      continue;
    }
    EdgeGraph::Edge edge;
    edge.line = lines.number();
    edge.one_way = words.size() > 1 && words[1] == "->";
    if (edge.one_way) words.erase(words.begin() + 1);
    if (words.size() < 2 || words.size() > 3) {
      return invalid(file, edge.line, "expected A B [WEIGHT], A -> B [WEIGHT] or switch NAME...");
    }
    edge.from = std::string(words[0]);
    edge.to = std::string(words[1]);
    if (words.size() == 3) {
      const auto weight = number_in<double>(words[2]);
      if (!weight) {
        return invalid(file, edge.line,
                       fmt::format("'{}' is no weight", base::printable(words[2])));
      }
      edge.weight = *weight;
    }
    edges.push_back(std::move(edge));
  }
  return EdgeGraph::make(edges, switches, "edges:" + file, file);
}

}  // namespace pathline::network
