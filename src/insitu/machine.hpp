// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "host/topology.hpp"
#include "network/tree.hpp"

// The part of a machine that a run used, ready to be drawn: its nodes with the hardware inside, the
// ranks on it, and the switches between the nodes.

namespace pathline::insitu {

/// Where a rank runs.
struct RankPlace {
  std::string host;           ///< "" when it is not known.
  std::vector<uint32_t> pus;  ///< It may run on these, in the system's numbers; empty: not known.
};

/// A package, a cache, a core ... of a node. Widths are in PUs that the run uses, or in ranks where
/// the hardware is not known.
struct HardwareCell {
  std::string type;  ///< hwloc's name of it.
  uint32_t row = 0;  ///< From 0, the machine, inwards.
  uint32_t logical_index = 0;
  uint32_t os_index = UINT32_MAX;
  double begin = 0;            ///< From the left edge of the node.
  double end = 0;              ///< Its right edge.
  uint32_t rank = UINT32_MAX;  ///< The rank that runs here if it is the only one.
};

/// The place of a rank in its node.
struct RankCell {
  uint32_t rank = 0;
  double begin = 0;
  double end = 0;
};

struct Node {
  std::string host;  ///< "" where hosts are not known: all ranks are on one node.
  double width = 0;  ///< Right edge of what is in it.
  uint32_t row_count = 0;
  std::vector<HardwareCell> hardware;  ///< By row, then from left to right.
  std::vector<RankCell> ranks;         ///< From left to right.
  std::vector<uint32_t> switches;      ///< Those that it hangs on; empty when none is known.
};

struct Switch {
  std::string name;
  uint32_t level = 1;             ///< 1 above nodes, one more than the highest below it.
  std::vector<uint32_t> parents;  ///< In Machine::switches.
  uint32_t first_node = 0;        ///< In Machine::nodes, as all nodes below it lie in one row.
  uint32_t last_node = 0;         ///< The last one.
};

struct Machine {
  /// By the switches above them, those with the smaller host first, then by the name of the host,
  /// numbers in it as numbers.
  std::vector<Node> nodes;
  std::vector<uint32_t> node_of_rank;
  std::vector<Switch> switches;  ///< Those above used nodes, by level, then by the nodes below.
  std::vector<std::string> remarks;

  [[nodiscard]] uint32_t rank_count() const { return static_cast<uint32_t>(node_of_rank.size()); }
  /// Whether another switch begins between a node and the one before it.
  [[nodiscard]] bool new_switch(size_t node) const {
    return node > 0 && nodes[node].switches != nodes[node - 1].switches;
  }
};

/// Switches above hosts, before it is known which of them a run uses.
struct SwitchTree {
  std::map<std::string, std::vector<std::string>> parents;  ///< Of a switch or a host, by name.

  [[nodiscard]] bool empty() const { return parents.empty(); }
};

/// The lines of a topology.conf.
/// errors  kCorrupt when a switch is above itself.
base::Result<SwitchTree> switch_tree(std::span<const network::Tree::Branch> branches,
                                     const std::string& file);

/// What Slurm tells each task of a job in SLURM_TOPOLOGY_ADDR: "spine.leaf1.n2", the switches from
/// the top and the node.
/// errors  kCorrupt as above.
base::Result<SwitchTree> switch_tree(const std::map<std::string, std::string>& address_of_host);

/// Puts the parts together.
///
/// places      one of each rank
/// topologies  of the hosts; a host without one is drawn with nothing but its ranks, and noted
/// cost        O(ranks log ranks + objects of the hardware).
Machine build_machine(std::span<const RankPlace> places,
                      const std::map<std::string, const host::Topology*>& topologies,
                      const SwitchTree& switches);

}  // namespace pathline::insitu
