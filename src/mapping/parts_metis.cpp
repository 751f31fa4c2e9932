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

base::Status call_metis(const WeightedGraph& graph, std::span<const uint32_t> part_sizes,
                        uint64_t seed, std::vector<uint32_t>& part_of_vertex) {
  MetisGraph input = metis_graph(graph);
  auto vertex_count = static_cast<idx_t>(graph.size());
  auto parts = static_cast<idx_t>(part_sizes.size());
  idx_t constraint_count = 1;
  idx_t cut = 0;
  std::vector<idx_t> part(graph.size());
  std::vector<real_t> shares;  // None wanted means equal ones.
  const auto [least, most] = std::minmax_element(part_sizes.begin(), part_sizes.end());
  if (*most > *least + 1) {
    for (const uint32_t size : part_sizes) {
      shares.push_back(static_cast<real_t>(size) / static_cast<real_t>(graph.size()));
    }
  }
  std::array<idx_t, METIS_NOPTIONS> options{};
  const std::lock_guard lock(metis_mutex());
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed % INT32_MAX);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_UFACTOR] = 1;
  const int code = METIS_PartGraphKway(&vertex_count, &constraint_count, input.row.data(),
                                       input.to.data(), nullptr, nullptr, input.weight.data(),
                                       &parts, shares.empty() ? nullptr : shares.data(), nullptr,
                                       options.data(), &cut, part.data());
  if (code != METIS_OK) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("METIS could not cut {} vertices into {} parts (code {})",
                                   graph.size(), part_sizes.size(), code)};
  }
  part_of_vertex.assign(part.begin(), part.end());
  return {};
}

}  // namespace

base::Result<std::vector<uint32_t>> cut_into_parts(const WeightedGraph& graph,
                                                   std::span<const uint32_t> part_sizes,
                                                   uint64_t seed) {
  constexpr uint64_t kMostEdges = INT32_MAX / 2;
  constexpr uint32_t kSweeps = 8;
  const auto part_count = static_cast<uint32_t>(part_sizes.size());
  const uint64_t total = std::accumulate(part_sizes.begin(), part_sizes.end(), uint64_t{0});
  if (total != graph.size()) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("parts of together {} do not fit to {} vertices", total, graph.size())};
  }
  if (graph.edges.size() > kMostEdges || graph.size() > kMostEdges) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("a graph of {} vertices and {} edges is too large to cut",
                                   graph.size(), graph.edges.size())};
  }
  std::vector<uint32_t> part_of_vertex;
  if (part_count > 1 && part_count < graph.size() && !graph.edges.empty()) {
    if (auto status = call_metis(graph, part_sizes, seed, part_of_vertex); !status) {
      return status.error();
    }
  } else {  // Nothing to decide.
    for (uint32_t part = 0; part < part_count; ++part) {
      part_of_vertex.insert(part_of_vertex.end(), part_sizes[part], part);
    }
  }
  fit_sizes(graph, part_sizes, part_of_vertex);
  swap_refine(graph, part_count, kSweeps, part_of_vertex);
  return part_of_vertex;
}

}  // namespace pathline::mapping
