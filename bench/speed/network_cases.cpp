// SPDX-License-Identifier: BSD-3-Clause
#include "bench/speed/network_cases.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

namespace pathline::bench {
namespace {

[[noreturn]] void fail(const base::Error& error) {
  fmt::print(stderr, "pathline-bench: {}\n", error.message);
  std::exit(2);
}

}  // namespace

std::string par_comm_file(const char* folder, const char* name) {
  const char* data = std::getenv("PATHLINE_TEST_DATA");
  if (data == nullptr) return "";
  const auto file = std::filesystem::path(data) / "par-comm" / folder / name;
  return std::filesystem::exists(file) ? file.string() : "";
}

std::optional<app::NetworkInput> read_case(const NetworkCase& which, base::ThreadPool& pool) {
  const bool has_routes = *which.routes != '\0';
  app::NetworkRequest request;
  request.network = which.network;
  request.hop_bytes = par_comm_file("hopbyte", which.hop_bytes);
  if (has_routes) request.routes = par_comm_file("route", which.routes);
  if (request.hop_bytes.empty() || (has_routes && request.routes.empty())) return std::nullopt;
  auto input = app::open_network(request, nullptr, pool);
  if (!input) fail(input.error());
  return std::move(input).value();
}

mapping::Problem problem_of(const app::NetworkInput& input, base::ThreadPool& pool) {
  const network::Network& network = *input.machine.network;
  std::vector<network::Vertex> nodes;
  for (uint32_t node = 0; node < network.node_count(); ++node) nodes.emplace_back(node);
  auto problem = mapping::Problem::make(network, input.node_traffic, std::move(nodes), pool);
  if (!problem) fail(problem.error());
  return std::move(problem).value();
}

double reduction_pct(const mapping::Problem& problem, std::span<const uint32_t> place_of_item) {
  const auto before = static_cast<double>(problem.cost(mapping::identity(problem.size())));
  return 100 - 100 * static_cast<double>(problem.cost(place_of_item)) / before;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace pathline::bench
