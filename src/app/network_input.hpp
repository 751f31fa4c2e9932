// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "comm/matrix.hpp"
#include "graph/traffic.hpp"
#include "mapping/files/node_names.hpp"
#include "mapping/placement.hpp"
#include "network/route_file.hpp"
#include "network/routes.hpp"
#include "network/spec.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// Traffic, and the network it crosses, as the command line names them. Empty: not given.
struct NetworkRequest {
  /// network::parse_network(); "" is the hosts of the run under one switch.
  std::string network;
  std::string hop_bytes;  ///< File of traffic.
  std::string routes;     ///< File of recorded routes.
  std::string placement;  ///< File that says on which node each rank runs.
  std::string hosts;      ///< File with the names of the network's nodes, one each line.
  /// The same names as a list, where there is no file.
  std::vector<std::string> host_names = {};
  bool complete = false;     ///< The rule's route in the place of one that was cut.
  bool ignore_hops = false;  ///< Measured hop counts may differ from the network's.
  bool partial = false;      ///< Leave out and count what does not fit.
};

/// What ranks send each other, and where they ran.
struct RankTraffic {
  graph::Traffic traffic;
  std::vector<std::string> host_of_rank;  ///< Empty where it is not known.
  bool of_summary = false;                ///< From the pairs of a summary, not from messages.
};
/// trace  of a summary it has no events.
RankTraffic rank_traffic(const trace::Trace& trace, const comm::Matrix& matrix);

/// Ranks on the nodes of a network, and what crosses its links.
struct NetworkInput {
  network::Machine machine;
  graph::Traffic traffic;  ///< Between ranks; of a route file alone, 1 byte for each route.
  uint64_t bytes = 0;      ///< Of all traffic, that inside of nodes included.
  mapping::Placement placement;
  std::string placed_by;        ///< "block", "hosts" or "file": what the placement follows.
  uint32_t slots_per_node = 1;  ///< Ranks that a node has room for, as far as is known.
  std::vector<std::string> host_of_node;  ///< Empty: the network's names have to do.
  graph::Traffic node_traffic;            ///< Between nodes.
  network::Routes routes;
  network::RouteNotes notes;
  size_t malformed_lines = 0;
  bool counts_routes = false;        ///< No bytes are known: loads are numbers of routes.
  bool of_summary = false;           ///< As of RankTraffic.
  std::vector<std::string> remarks;  ///< What the user should know of the input.
};

/// trace   traffic of a run; nullptr: that of the hop-byte file, or else of the route file.
/// errors  kInvalidArgument without a network for a run on one host; those of the readers, of
/// network::parse_network, check_hops, mapping::read_placement and
///         network::bind_routes; kInvalidArgument when nothing says what is sent, or two things do.
base::Result<NetworkInput> open_network(const NetworkRequest& request, const RankTraffic* trace,
                                        base::ThreadPool& pool);

}  // namespace pathline::app
