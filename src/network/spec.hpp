// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "network/network.hpp"

namespace pathline::network {

/// What `--network` says.
struct Machine {
  std::unique_ptr<Network> network;
  uint32_t ranks_per_node = 1;
};

/// Understands torus:4x4x4x8mx2, mesh:8x8, dragonfly:A,P,H, xc40:G, fattree:K,N,
/// xgft:16,16;1,8;1,1 (children, parents and, where not 1, cables of each tier of a fat tree),
/// tree:FILE, slurm:FILE and edges:FILE, each with `,order=DACBE`, `,ties=parity` or `simgrid`
/// (torus and mesh) and `,ranks-per-node=2` behind it. Without an order a torus has that of
/// known_torus_order(), without ties Ties::kParity.
///
/// errors  kInvalidArgument naming the part that is wrong and what was expected; those of the
/// files.
base::Result<Machine> parse_network(std::string_view spec);

}  // namespace pathline::network
