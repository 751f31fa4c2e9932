// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "network/hop_bytes.hpp"
#include "network/network.hpp"
#include "network/routes.hpp"

namespace pathline::network {

/// A route file of par-comm-data (Fujiwara et al., VAST 2017), before it is put on a network: lines
/// `Hop K: [SRC-DST] N1 (c1 .. ck) -> N2 (c1 .. ck)`, those of different routes interleaved. In
/// columns.
struct RouteFile {
  struct Hop {
    uint32_t number = 0;       ///< K, from 1 within a route.
    uint32_t from_number = 0;  ///< As printed; wrong where the waypoint is no compute node.
    uint32_t to_number = 0;
    size_t line = 0;
  };
  struct Route {
    uint32_t sender = 0;  ///< Rank.
    uint32_t receiver = 0;
    size_t line = 0;           ///< Of its first hop.
    std::vector<size_t> hops;  ///< Into `hops`, ascending in their number.
    bool gap = false;          ///< A hop is missing within, or the first.
  };
  std::vector<Route> routes;  ///< In the order of their first line.
  std::vector<Hop> hops;
  /// Coordinates of both ends of each hop, 2 * address_size of them.
  std::vector<uint32_t> addresses;
  size_t address_size = 0;  ///< As printed, the core included.
  uint32_t rank_count = 0;  ///< One more than the largest rank at an end of a route.
  size_t line_count = 0;
  size_t malformed_lines = 0;
  std::string first_malformed;  ///< "line 7: 'Hop 3dest -1 2506'".

  [[nodiscard]] std::span<const uint32_t> from_address(size_t hop) const {
    return {addresses.data() + 2 * hop * address_size, address_size};
  }
  [[nodiscard]] std::span<const uint32_t> to_address(size_t hop) const {
    return {addresses.data() + (2 * hop + 1) * address_size, address_size};
  }
  /// True if `hop` begins where `before` leads to. A waypoint that is no compute node is printed
  /// with the number of another node, and with that node's address where the next hop begins: only
  /// the address a hop leads to is right always, and the numbers tell that both are one waypoint.
  [[nodiscard]] bool follows(size_t before, size_t hop) const;
};

/// Takes every line that fits the format and counts the others: files of crashed and of interleaved
/// programs are the rule.
/// errors  kCorrupt when most lines do not fit.
base::Result<RouteFile> parse_route_file(std::string_view text, const std::string& file);

/// The node that an address of a route file names; none() if there is none. A coordinate more than
/// the network has is the core; an XC40 may say group, tier (3 * cabinet + chassis), blade, node.
Vertex node_of_address(const Network& network, std::span<const uint32_t> address);

struct RouteBinding {
  /// Bytes between ranks; nullptr: every route counts 1 byte, so that loads are numbers of routes.
  const graph::Traffic* traffic = nullptr;
  uint32_t ranks_per_node = 0;  ///< To check the numbers printed; 0: they are not checked.
  bool complete = false;        ///< Put the rule's route in the place of an incomplete one.
  bool partial = false;  ///< Leave out what does not fit the network, instead of refusing it.
};
/// What was noticed when a file was put on a network.
struct RouteNotes {
  uint64_t incomplete = 0;       ///< Cut or gapped as recorded, those completed included.
  uint64_t left_out = 0;         ///< Routes that do not fit the network (only with `partial`).
  uint64_t stale_numbers = 0;    ///< Waypoints whose printed number is not that of their address.
  uint64_t without_traffic = 0;  ///< Routes of pairs that exchange nothing.
  uint64_t pairs_without_route = 0;  ///< Pairs of traffic, on two nodes, without a route.
};

/// Puts the routes of a file on a network. Bytes of a pair that has several routes are shared out
/// among them. Routes of pairs on one node are left out.
/// node_of_rank  per rank of the file.
/// errors        kInvalidArgument naming file, line and fact: coordinates the network does not
/// have,
///               a route that begins elsewhere than its rank, two waypoints without a link.
base::Result<Routes> bind_routes(const RouteFile& routes, const Network& network,
                                 std::span<const Vertex> node_of_rank, const RouteBinding& binding,
                                 const std::string& file, RouteNotes& notes);

/// Routes as parse_route_file() reads them. Those between nodes are written once for each pair of
/// ranks that the traffic has between them, so that its bytes are found again.
/// errors  kUnsupported for a network without coordinates, and one whose routes pass switches.
base::Result<std::string> format_route_file(const Network& network, const Routes& routes,
                                            const graph::Traffic& traffic,
                                            std::span<const Vertex> node_of_rank);

}  // namespace pathline::network
