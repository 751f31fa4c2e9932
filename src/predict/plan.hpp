// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "host/topology.hpp"
#include "network/network.hpp"
#include "predict/tables.hpp"
#include "store/rows.hpp"

namespace pathline::predict {

/// Kernels on local grids, with some cores of one node at work.
struct ComputeJob {
  store::Scenario scenario;
  std::vector<std::pair<uint32_t, uint32_t>> sizes;  ///< m and n
};

/// Where a rank of a benchmark is.
struct Seat {
  uint32_t node = 0;
  uint32_t core = 0;
  friend bool operator==(const Seat&, const Seat&) = default;
};

/// Shifts along rings, all of one way. Rank p * lanes + l is on the place p of the ring l.
struct HaloJob {
  HaloTable::Way way;
  uint32_t lanes = 1;
  uint32_t places = 2;
  std::vector<Seat> seats;  ///< Of each rank.
  std::vector<uint64_t> bytes;
};

/// What is to be measured of a machine.
struct Plan {
  std::vector<ComputeJob> computes;
  std::vector<HaloJob> halos;
};

/// Cores of a node that differ in whom they share something with are different cases, and so are
/// distances. Measured are
///
///   computation  one core, then twice as many up to all, once as neighbours and once as far apart
///                as can be; 23 working sets from a third of the smallest data cache to four times
///                the largest, and two on either side of what each cache holds
///   messages     between neighbouring units of each level, with one lane and twice as many up to
///                all pairs of a unit's; of a core to itself; between nodes at two distances with
///                up to all cores of a node. From 8 B to 1 MiB, two sizes an octave
///
/// Rings between nodes have four or three places where the network has such a ring, all steps of
/// which are as long, so that each link carries one direction, as in a shift; else two.
///
/// network     nullptr: how nodes are joined is not known
/// node_count  that may be used; 1: nothing between nodes
/// per_core    ranks of a core that messages are measured with at most: an application may have
///             several messages of a rank under way at once. More than one where ranks do not
///             compete for their core: on a simulated machine.
Plan plan_benchmarks(const host::Node& node, const network::Network* network, uint32_t node_count,
                     uint32_t per_core = 1);

}  // namespace pathline::predict
