// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/files/node_names.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::mapping {

base::Result<NodeNames> NodeNames::make(const network::Network& network,
                                        std::vector<std::string> hosts) {
  if (hosts.size() > network.node_count()) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("there are {} for the {} of {}",
                    base::counted(hosts.size(), "host name", "host names"),
                    base::counted(network.node_count(), "node", "nodes"), network.spec())};
  }
  NodeNames names;
  names.network_ = &network;
  for (size_t node = 0; node < hosts.size(); ++node) {
    const auto [first, is_new] = names.node_of_host_.emplace(hosts[node], network::Vertex(node));
    if (!is_new) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         fmt::format("the list of host names gives nodes {} and {} the same name "
                                     "'{}'",
                                     uint32_t{first->second}, node, base::printable(hosts[node]))};
    }
  }
  names.hosts_ = std::move(hosts);
  return names;
}

std::optional<std::string> NodeNames::host(network::Vertex node) const {
  if (!hosts_.empty()) {
    return node < hosts_.size() ? std::optional(hosts_[node]) : std::nullopt;
  }
  std::string name = network_->name(node);
  if (network_->find(name) != node) return std::nullopt;
  return name;
}

network::Vertex NodeNames::find(std::string_view host) const {
  std::string name(host);
  const network::Vertex node = find_exactly(name);
  const size_t dot = name.find('.');
  if (node.valid() || dot == std::string::npos) return node;
  name.resize(dot);
  return find_exactly(name);
}

network::Vertex NodeNames::find_exactly(const std::string& host) const {
  if (hosts_.empty()) {
    const network::Vertex node = network_->find(host);
    return node.valid() && node < network_->node_count() ? node : network::Vertex::none();
  }
  const auto found = node_of_host_.find(host);
  return found == node_of_host_.end() ? network::Vertex::none() : found->second;
}

std::string_view NodeNames::nearest(std::string_view host) const {
  return base::nearest(host, hosts_);
}

}  // namespace pathline::mapping
