// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "network/routes.hpp"
#include "network/spec.hpp"

namespace pathline::figure {

/// A network and routes on it by its rule. For tests only; no program includes this.
struct TestRoutes {
  std::unique_ptr<network::Network> network;
  network::Routes routes;

  explicit TestRoutes(std::string_view spec) {
    network = std::move(network::parse_network(spec).value().network);
  }
  TestRoutes& add(uint32_t from, uint32_t to, uint64_t bytes) {
    std::vector<network::Link> links;
    network->route(network::Vertex(from), network::Vertex(to), links);
    routes.add(network::Vertex(from), network::Vertex(to), bytes, 1, links);
    return *this;
  }
};

}  // namespace pathline::figure
