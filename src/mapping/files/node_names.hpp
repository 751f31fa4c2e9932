// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "network/network.hpp"

namespace pathline::mapping {

/// What a batch system calls the nodes of a network: by a list, else as the network does.
class NodeNames {
 public:
  /// hosts   in the order of nodes; fewer than nodes when the last are not used; empty: the
  ///         network's own names, if it has any.
  /// network must live longer than this.
  /// errors  kInvalidArgument for more hosts than nodes, and for one that comes twice.
  static base::Result<NodeNames> make(const network::Network& network,
                                      std::vector<std::string> hosts);

  [[nodiscard]] const network::Network& network() const { return *network_; }
  /// nullopt if the node has only a number or an address.
  [[nodiscard]] std::optional<std::string> host(network::Vertex node) const;
  /// none() if no node is called so. A name with a domain is found without it, too.
  [[nodiscard]] network::Vertex find(std::string_view host) const;
  /// A name like `host`, "" if there is none.
  [[nodiscard]] std::string_view nearest(std::string_view host) const;

 private:
  [[nodiscard]] network::Vertex find_exactly(const std::string& host) const;

  const network::Network* network_ = nullptr;
  std::vector<std::string> hosts_;
  std::unordered_map<std::string, network::Vertex> node_of_host_;
};

}  // namespace pathline::mapping
