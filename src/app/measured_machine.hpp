// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "network/network.hpp"
#include "predict/model.hpp"
#include "store/database.hpp"

namespace pathline::app {

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
