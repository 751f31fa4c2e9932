// SPDX-License-Identifier: BSD-3-Clause
//
// The only file that calls METIS.
#include <algorithm>
#include <array>
#include <metis.h>
#include <mutex>
#include <numeric>

#include <fmt/format.h>

#include "mapping/parts.hpp"

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

}  // namespace

base::Result<std::vector<uint32_t>> cut_into_parts(const WeightedGraph& graph,
                                                   std::span<const uint32_t> part_sizes,
                                                   uint64_t seed) {
  constexpr uint64_t kMostEdges = INT32_MAX / 2;
  constexpr uint32_t kSweeps = 8;
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
  // Of 16 to 4,096 ranks in groups of 2 to 64 either was the better one; k-way cuts of small parts
  // are slow and far from even.
  constexpr uint32_t kSmallPart = 8;
  std::vector<Method> methods = {METIS_PartGraphRecursive};
  if (graph.size() / part_count >= kSmallPart) methods.push_back(METIS_PartGraphKway);
  MetisGraph input = metis_graph(graph);
  std::vector<uint32_t> best;
  int64_t best_weight = INT64_MAX;
  for (const Method method : methods) {
    auto parts = call_metis(method, input, part_sizes, seed);
    if (!parts) return parts.error();
    fit_sizes(graph, part_sizes, parts.value());
    swap_refine(graph, part_count, kSweeps, parts.value());
    const int64_t weight = cut_weight(graph, parts.value());
    if (weight >= best_weight) continue;
    best_weight = weight;
    best = std::move(parts).value();
  }
  return best;
}

}  // namespace pathline::mapping
