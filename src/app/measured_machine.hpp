// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "network/network.hpp"
#include "predict/model.hpp"
#include "store/database.hpp"

namespace pathline::app {

/// What ranks are started on: a host for each node, or, where there are as many times more of them
/// than the network has nodes as a node has cores, one for each core, node by node (SimGrid's
/// machines with links inside of nodes).
class HostNames {
 public:
  HostNames(std::vector<std::string> names, const network::Network* network, size_t core_count)
      : names_(std::move(names)) {
    if (network != nullptr && core_count > 1 &&
        names_.size() == size_t{network->node_count()} * core_count) {
      per_node_ = core_count;
    }
  }
  /// At least 1.
  [[nodiscard]] uint32_t node_count() const {
    return static_cast<uint32_t>(std::max<size_t>(names_.size() / per_node_, 1));
  }
  /// "localhost" where nothing is known.
  [[nodiscard]] std::string of(uint32_t node, uint32_t core) const {
    const size_t at = node * per_node_ + (per_node_ > 1 ? core : 0);
    return at < names_.size() ? names_[at] : "localhost";
  }

 private:
  std::vector<std::string> names_;
  size_t per_node_ = 1;
};

/// A machine of a database, with all that was measured of it.
struct MeasuredMachine {
  store::Machine row;
  std::unique_ptr<network::Network> network;  ///< nullptr: how nodes are joined is not known.
  predict::Machine tables;                    ///< Its `network` is the one above.
  uint64_t rows = 0;                          ///< Of benchmarks.
  uint32_t launches = 0;
  uint32_t noisy = 0;  ///< Of these.
};

/// name    "": the only machine of the database
/// errors  kNotFound when there is no such machine or none; kInvalidArgument naming them when there
///         are several to choose from; those of the database and of network::parse_network().
base::Result<MeasuredMachine> open_machine(store::Database& database,
                                           const std::filesystem::path& path,
                                           const std::string& name);

/// The machine of this name, without what was measured of it.
/// errors  as above
base::Result<store::Machine> find_machine(store::Database& database,
                                          const std::filesystem::path& path,
                                          const std::string& name);

}  // namespace pathline::app
