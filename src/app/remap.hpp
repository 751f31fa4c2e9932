// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/measured_machine.hpp"
#include "app/network_input.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "mapping/files/placement_file.hpp"
#include "mapping/placement.hpp"
#include "mapping/search/search.hpp"

namespace pathline::app {

enum class RemapMethod : uint8_t {
  kMultilevel,  ///< mapping::multilevel().
  kPartition,   ///< mapping::place_by_partition(), then annealing over all nodes.
  kAnneal,      ///< mapping::anneal() from the mapping given.
  kExact,       ///< All arrangements of the nodes that may move.
  kRandom,      ///< Random restarts of swaps of the nodes that may move.
};

/// What a user calls them.
inline constexpr std::array<std::pair<std::string_view, RemapMethod>, 5> kRemapMethods = {{
    {"anneal", RemapMethod::kAnneal},
    {"exact", RemapMethod::kExact},
    {"multilevel", RemapMethod::kMultilevel},
    {"partition", RemapMethod::kPartition},
    {"random", RemapMethod::kRandom},
}};
std::string_view method_name(RemapMethod method);

/// kExact and kRandom: whether RemapRequest::movable means anything to the method.
bool moves_selected(RemapMethod method);

struct RemapRequest {
  RemapMethod method = RemapMethod::kMultilevel;
  mapping::SearchOptions search;
  bool group = false;      ///< Also choose which ranks share a node.
  bool all_nodes = false;  ///< Nodes that hold no rank now may be used.
  /// Routes, as pairs of nodes, whose ends alone may move; empty: everything may.
  std::vector<std::pair<network::Vertex, network::Vertex>> movable;
  uint32_t part_count = 0;           ///< Of kPartition; 0: it chooses.
  uint64_t trial_count = 1'000'000;  ///< Swaps that kRandom looks at.
};

/// One way to place the ranks that was looked at.
struct PlacementChoice {
  std::string name;  ///< "given", or the objective that was searched for.
  mapping::Placement placement;
  double hop_bytes = 0;
  uint64_t max_link_load_bytes = 0;
  uint64_t off_node_bytes = 0;
  std::optional<predict::Time> time;  ///< Of all messages; none: it was refused.
  std::string reason;                 ///< Why.
};

struct Remapping {
  mapping::Placement placement;  ///< The better one of the new and the one given.
  double hop_bytes_before = 0;
  double hop_bytes_after = 0;
  double bound_hop_bytes = 0;  ///< No placement of the groups tried has fewer.
  uint64_t max_link_load_before_bytes = 0;
  uint64_t max_link_load_after_bytes = 0;
  uint64_t off_node_bytes_before = 0;
  uint64_t off_node_bytes_after = 0;
  uint32_t moved = 0;   ///< Ranks with another node.
  uint32_t places = 0;  ///< Nodes that could be used.
  bool timed_out = false;
  /// With remap_by_time(): all that was looked at, the fastest first.
  std::vector<PlacementChoice> choices = {};
};

/// errors  kInvalidArgument for an objective or parts that the method knows nothing of.
base::Status check_remap(const RemapRequest& request);

/// The ends of the routes between pairs of ranks that a file names, for RemapRequest::movable.
/// errors  those of routes_of_pairs().
base::Result<std::vector<std::pair<network::Vertex, network::Vertex>>> ends_of_pairs(
    const std::string& file, const NetworkInput& input);

/// A placement of the ranks with a lower objective; the one given if none is found.
/// errors  those of mapping::Problem::make, mapping::group_ranks and of the methods.
base::Result<Remapping> remap(const NetworkInput& input, const RemapRequest& request,
                              base::ThreadPool& pool);

/// The placement whose messages are expected to take least, of the one given and those that a
/// search with each objective finds: fewer hop-bytes are not always faster. Messages are those of
/// `input`, all of a round at once (predict/traffic.hpp).
///
/// errors  those of remap(); kInvalidArgument when `machine` has another network; kUnsupported when
///         not even the placement given can be predicted
base::Result<Remapping> remap_by_time(const NetworkInput& input, const RemapRequest& request,
                                      const MeasuredMachine& machine, base::ThreadPool& pool);

/// The largest effort that is done in about `seconds` on two cores, at least 1. Depends on these
/// numbers only, so that the answer does.
int effort_within(double seconds, uint32_t node_count);

/// One object: the request, and what crosses the network before and after.
/// objective  as the user wrote it.
/// seconds    that it took.
nlohmann::ordered_json to_json(const NetworkInput& input, const RemapRequest& request,
                               std::string_view objective, const Remapping& result, double seconds);

/// The text of a file that tells a batch system the new placement.
/// errors  those of mapping::NodeNames::make and mapping::format_placement.
base::Result<std::string> placement_text(const NetworkInput& input, const Remapping& result,
                                         mapping::PlacementFormat format);

}  // namespace pathline::app
