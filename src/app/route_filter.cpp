// SPDX-License-Identifier: BSD-3-Clause
#include "app/route_filter.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/route_choice.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "mapping/files/node_names.hpp"

namespace pathline::app {
namespace {

using network::Vertex;

base::Error invalid(std::string message) {
  return {base::ErrorCode::kInvalidArgument, std::move(message)};
}

/// A vertex by its host, its name or its number.
base::Result<Vertex> vertex_called(const std::string& text, const NetworkInput& input) {
  const network::Network& network = *input.machine.network;
  const auto names = mapping::NodeNames::make(network, input.host_of_node);
  if (names) {
    const Vertex node = names.value().find(text);
    if (node.valid()) return node;
  }
  for (uint32_t vertex = 0; vertex < network.vertex_count(); ++vertex) {
    if (network.name(Vertex(vertex)) == text) return Vertex(vertex);
  }
  const auto number = base::number_in<uint32_t>(text);
  if (number && *number < network.vertex_count()) return Vertex(*number);
  return base::Error{
      base::ErrorCode::kNotFound,
      fmt::format("--through: {} has no node '{}'", network.spec(), base::printable(text)),
      "Name it as --list nodes does, or by its number; a link as FROM->TO."};
}

/// Keeps the routes that `is_kept` says.
template <class Kept>
void keep(std::vector<uint32_t>& routes, Kept is_kept) {
  std::erase_if(routes, [&](uint32_t route) { return !is_kept(route); });
}

base::Status keep_through(const std::string& text, const NetworkInput& input,
                          std::vector<uint32_t>& routes) {
  const network::Network& network = *input.machine.network;
  const size_t arrow = text.find("->");
  const auto from = vertex_called(text.substr(0, arrow), input);
  if (!from) return from.error();
  if (arrow == std::string::npos) {
    keep(routes, [&](uint32_t route) {
      const auto links = input.routes.links_of(route);
      return std::any_of(links.begin(), links.end(), [&](network::Link link) {
        return network.source(link) == from.value() || network.target(link) == from.value();
      });
    });
    return {};
  }
  const auto to = vertex_called(text.substr(arrow + 2), input);
  if (!to) return to.error();
  keep(routes, [&](uint32_t route) {
    const auto links = input.routes.links_of(route);
    return std::any_of(links.begin(), links.end(), [&](network::Link link) {
      return network.source(link) == from.value() && network.target(link) == to.value();
    });
  });
  return {};
}

/// Per node, whether it has the coordinates of "A=0,C=3".
base::Result<std::vector<bool>> nodes_with(const std::string& text,
                                           const network::Network& network) {
  std::vector<std::pair<size_t, uint32_t>> wanted;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const size_t equals = part.find('=');
    const auto value = equals == std::string::npos
                           ? std::nullopt
                           : base::number_in<uint32_t>(part.substr(equals + 1));
    if (!value) {
      return invalid(fmt::format("--nodes is '{}', expected coordinates such as A=0,C=3", text));
    }
    const auto dimension = parse_dimensions(part.substr(0, equals), network);
    if (!dimension) return dimension.error();
    const size_t index = dimension.value().front();
    if (*value >= network.dimensions()[index].size) {
      return invalid(fmt::format("--nodes {}: {} of {} runs from 0 to {}", part,
                                 part.substr(0, equals), network.spec(),
                                 network.dimensions()[index].size - 1));
    }
    wanted.emplace_back(index, *value);
    begin = end + 1;
  }
  std::vector<bool> nodes(network.node_count());
  std::vector<uint32_t> address(network.dimensions().size());
  for (uint32_t node = 0; node < network.node_count(); ++node) {
    network.coordinates(Vertex(node), address);
    nodes[node] = std::all_of(wanted.begin(), wanted.end(),
                              [&](const auto& one) { return address[one.first] == one.second; });
  }
  return nodes;
}

base::Status keep_top(const RouteFilter& filter, const NetworkInput& input,
                      std::vector<uint32_t>& routes) {
  const auto share = parse_percent(filter.top_routes, "--top-routes");
  if (!share) return share.error();
  const auto value = [&](uint32_t route) {
    const auto bytes = static_cast<double>(input.routes.bytes[route]);
    const auto length = static_cast<double>(input.routes.length(route));
    return filter.by == "bytes" ? bytes : filter.by == "length" ? length : bytes * length;
  };
  std::vector<uint32_t> order = routes;
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return value(a) > value(b); });
  const double wanted = std::round(share.value() * static_cast<double>(order.size()));
  order.resize(std::min(order.size(), std::max<size_t>(1, static_cast<size_t>(wanted))));
  std::sort(order.begin(), order.end());
  routes = std::move(order);
  return {};
}

}  // namespace

base::Result<std::vector<uint32_t>> filter_routes(const RouteFilter& filter,
                                                  const NetworkInput& input,
                                                  std::vector<uint32_t> routes) {
  if (filter.nodes.empty() && (filter.within || filter.crossing)) {
    return invalid(fmt::format("{} belongs to --nodes", filter.within ? "--within" : "--crossing"));
  }
  if (filter.top_routes.empty() && !filter.by.empty())
    return invalid("--by belongs to --top-routes");
  if (filter.within && filter.crossing) {
    return invalid("a route cannot both stay --within nodes and be --crossing their border");
  }
  if (!filter.through.empty()) {
    if (auto status = keep_through(filter.through, input, routes); !status) return status.error();
  }
  if (!filter.nodes.empty()) {
    const auto nodes = nodes_with(filter.nodes, *input.machine.network);
    if (!nodes) return nodes.error();
    keep(routes, [&](uint32_t route) {
      const bool from = nodes.value()[input.routes.from[route]];
      const bool to = nodes.value()[input.routes.to[route]];
      return filter.within ? from && to : filter.crossing ? from != to : from || to;
    });
  }
  if (!filter.top_routes.empty() && !routes.empty()) {
    if (auto status = keep_top(filter, input, routes); !status) return status.error();
  }
  if (routes.empty()) {
    return base::Error{base::ErrorCode::kNotFound, "no route meets all the conditions given"};
  }
  return routes;
}

}  // namespace pathline::app
