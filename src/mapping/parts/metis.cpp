// SPDX-License-Identifier: BSD-3-Clause
//
// The only file that calls METIS.
#include <algorithm>
#include <array>
#include <metis.h>
#include <mutex>
#include <numeric>

#include <fmt/format.h>

#include "mapping/parts/parts.hpp"

namespace pathline::mapping {
namespace {

/// METIS adds up weights as idx_t, which has 32 bits in most builds.
constexpr double kLargestWeightSum = 1 << 29;

struct MetisGraph {
  std::vector<idx_t> row;
  std::vector<idx_t> to;
  std::vector<idx_t> weight;
};

MetisGraph metis_graph(const WeightedGraph& graph) {
  double sum = 0;
  for (const WeightedGraph::Edge& edge : graph.edges) sum += static_cast<double>(edge.weight);
  const double scale = std::min(1.0, kLargestWeightSum / std::max(sum, 1.0));
  MetisGraph result;
  result.row.assign(graph.row.begin(), graph.row.end());
  result.to.reserve(graph.edges.size());
  result.weight.reserve(graph.edges.size());
  for (const WeightedGraph::Edge& edge : graph.edges) {
    result.to.push_back(static_cast<idx_t>(edge.to));
    result.weight.push_back(
        std::max<idx_t>(1, static_cast<idx_t>(static_cast<double>(edge.weight) * scale)));
  }
  return result;
}

/// METIS keeps the state of its random numbers in rand(), and its signal handlers in the process.
std::mutex& metis_mutex() {
  static std::mutex mutex;
  return mutex;
}

using Method = decltype(&METIS_PartGraphKway);

/// input  is not changed, whatever METIS' types say.
base::Result<std::vector<uint32_t>> call_metis(Method method, MetisGraph& input,
                                               std::span<const uint32_t> part_sizes,
                                               uint64_t seed) {
  auto vertex_count = static_cast<idx_t>(input.row.size() - 1);
  auto parts = static_cast<idx_t>(part_sizes.size());
  idx_t constraint_count = 1;
  idx_t cut = 0;
  std::vector<idx_t> part(input.row.size() - 1);
  std::vector<real_t> shares;  // None wanted means equal ones.
  const auto [least, most] = std::minmax_element(part_sizes.begin(), part_sizes.end());
  if (*most > *least + 1) {
    for (const uint32_t size : part_sizes) {
      shares.push_back(static_cast<real_t>(size) / static_cast<real_t>(part.size()));
    }
  }
  std::array<idx_t, METIS_NOPTIONS> options{};
  const std::lock_guard lock(metis_mutex());
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed % INT32_MAX);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_UFACTOR] = 1;
  const int code =
      method(&vertex_count, &constraint_count, input.row.data(), input.to.data(), nullptr, nullptr,
             input.weight.data(), &parts, shares.empty() ? nullptr : shares.data(), nullptr,
             options.data(), &cut, part.data());
  if (code != METIS_OK) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("METIS could not cut {} vertices into {} parts (code {})",
                                   part.size(), part_sizes.size(), code)};
  }
  return std::vector<uint32_t>(part.begin(), part.end());
}

/// Part after part, as many vertices as it takes.
std::vector<uint32_t> in_order(std::span<const uint32_t> part_sizes) {
  std::vector<uint32_t> part_of_vertex;
  for (uint32_t part = 0; part < part_sizes.size(); ++part) {
    part_of_vertex.insert(part_of_vertex.end(), part_sizes[part], part);
  }
  return part_of_vertex;
}

constexpr uint32_t kSweeps = 8;

/// Cuts into two halves and these again. METIS would do so by itself, but then prints complaints
/// when a half has fewer vertices than parts; here each half has exactly what its parts need.
class Bisection {
 public:
  Bisection(const WeightedGraph& graph, std::span<const uint32_t> part_sizes, uint64_t seed)
      : graph_(graph), part_sizes_(part_sizes), seed_(seed), position_(graph.size()) {}

  base::Result<std::vector<uint32_t>> run() {
    part_of_vertex_.assign(graph_.size(), 0);
    std::vector<uint32_t> all(graph_.size());
    std::iota(all.begin(), all.end(), 0U);
    if (auto status = cut(all, 0, part_sizes_.size()); !status) return status.error();
    return std::move(part_of_vertex_);
  }

 private:
  /// vertices  ascending; as many as the parts first .. end - 1 take.
  base::Status cut(const std::vector<uint32_t>& vertices, size_t first, size_t end) {
    if (end - first == 1) {
      for (const uint32_t v : vertices) part_of_vertex_[v] = static_cast<uint32_t>(first);
      return {};
    }
    const size_t middle = first + (end - first) / 2;
    std::array<uint32_t, 2> sizes{};
    for (size_t part = first; part < end; ++part) sizes[part < middle ? 0 : 1] += part_sizes_[part];
    const WeightedGraph inner = inside(vertices);
    std::vector<uint32_t> side = in_order(sizes);
    if (!inner.edges.empty()) {
      MetisGraph input = metis_graph(inner);
      auto sides = call_metis(METIS_PartGraphRecursive, input, sizes, seed_);
      if (!sides) return sides.error();
      side = std::move(sides).value();
      fit_sizes(inner, sizes, side);
      swap_refine(inner, 2, kSweeps, side);
    }
    std::array<std::vector<uint32_t>, 2> halves;
    for (size_t i = 0; i < vertices.size(); ++i) halves[side[i]].push_back(vertices[i]);
    if (auto status = cut(halves[0], first, middle); !status) return status;
    return cut(halves[1], middle, end);
  }

  /// The vertices and what joins them, numbered in order.
  WeightedGraph inside(const std::vector<uint32_t>& vertices) {
    for (size_t i = 0; i < vertices.size(); ++i) {
      position_[vertices[i]] = static_cast<uint32_t>(i);
    }
    WeightedGraph inner;
    for (const uint32_t v : vertices) {
      for (const WeightedGraph::Edge& edge : graph_.of(v)) {
        const uint32_t at = position_[edge.to];
        if (at < vertices.size() && vertices[at] == edge.to) {
          inner.edges.push_back({at, edge.weight});
        }
      }
      inner.row.push_back(inner.edges.size());
    }
    return inner;
  }

  const WeightedGraph& graph_;
  std::span<const uint32_t> part_sizes_;
  uint64_t seed_;
  std::vector<uint32_t> position_;  // In the vertices that are looked at, if it is among them.
  std::vector<uint32_t> part_of_vertex_;
};

/// All parts at once; for sizes that differ by one at most.
base::Result<std::vector<uint32_t>> cut_k_ways(const WeightedGraph& graph,
                                               std::span<const uint32_t> part_sizes,
                                               uint64_t seed) {
  MetisGraph input = metis_graph(graph);
  auto parts = call_metis(METIS_PartGraphKway, input, part_sizes, seed);
  if (parts) fit_sizes(graph, part_sizes, parts.value());
  return parts;
}

}  // namespace

base::Result<std::vector<uint32_t>> cut_into_parts(const WeightedGraph& graph,
                                                   std::span<const uint32_t> part_sizes,
                                                   uint64_t seed) {
  constexpr uint64_t kMostEdges = INT32_MAX / 2;
  const auto part_count = static_cast<uint32_t>(part_sizes.size());
  const uint64_t total = std::accumulate(part_sizes.begin(), part_sizes.end(), uint64_t{0});
  if (total != graph.size() ||
      std::find(part_sizes.begin(), part_sizes.end(), 0U) != part_sizes.end()) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("parts of together {} do not fit to {} vertices, or one is empty", total,
                    graph.size())};
  }
  if (graph.edges.size() > kMostEdges || graph.size() > kMostEdges) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("a graph of {} vertices and {} edges is too large to cut",
                                   graph.size(), graph.edges.size())};
  }
  if (part_count < 2 || part_count >= graph.size() || graph.edges.empty()) {
    return in_order(part_sizes);
  }
  auto parts = Bisection(graph, part_sizes, seed).run();
  if (!parts) return parts;
  swap_refine(graph, part_count, kSweeps, parts.value());
  // Of 4,096 ranks in groups of 8 to 64 either was the better one; k-way cuts into smaller parts
  // are slow and far from even.
  constexpr uint32_t kSmallPart = 8;
  const auto [least, most] = std::minmax_element(part_sizes.begin(), part_sizes.end());
  if (*least < kSmallPart || *most > *least + 1) return parts;
  auto others = cut_k_ways(graph, part_sizes, seed);
  if (!others) return others;
  swap_refine(graph, part_count, kSweeps, others.value());
  const bool lighter = cut_weight(graph, others.value()) < cut_weight(graph, parts.value());
  return lighter ? std::move(others) : std::move(parts);
}

}  // namespace pathline::mapping
