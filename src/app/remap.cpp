// SPDX-License-Identifier: BSD-3-Clause
#include "app/remap.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/route_choice.hpp"
#include "mapping/bound.hpp"
#include "mapping/parts/grouping.hpp"
#include "mapping/parts/partition.hpp"
#include "mapping/search/anneal.hpp"
#include "mapping/search/multilevel.hpp"
#include "mapping/search/selected.hpp"
#include "predict/traffic.hpp"

namespace pathline::app {
namespace {

using network::Vertex;

/// Nodes that may be used, ascending.
std::vector<Vertex> places_of(const NetworkInput& input, bool all_nodes) {
  std::vector<bool> used(input.machine.network->node_count(), all_nodes);
  for (const Vertex node : input.placement.node_of_rank) used[node] = true;
  std::vector<Vertex> places;
  for (uint32_t node = 0; node < used.size(); ++node) {
    if (used[node]) places.emplace_back(node);
  }
  return places;
}

/// What crosses the network under a placement.
struct Crossing {
  double hop_bytes = 0;
  uint64_t max_load = 0;
  uint64_t off_node_bytes = 0;
};

graph::Traffic node_traffic(const NetworkInput& input, const mapping::Placement& placement) {
  const std::vector<uint32_t> group(placement.node_of_rank.begin(),
                                    placement.node_of_rank.begin() + input.traffic.rank_count());
  return graph::merged(input.traffic, group, input.machine.network->node_count());
}

Crossing crossing(const NetworkInput& input, const mapping::Placement& placement,
                  base::ThreadPool& pool) {
  const auto routes =
      network::route_traffic(*input.machine.network, node_traffic(input, placement), pool);
  const auto totals = network::totals(routes, network::link_loads(*input.machine.network, routes));
  return {totals.hop_bytes, totals.max_link_load_bytes, totals.bytes};
}

/// The objective as a share of what the mapping given has, smaller is better.
double value_of(const Crossing& now, const Crossing& given, const mapping::SearchOptions& search) {
  const double hop_bytes = given.hop_bytes > 0 ? now.hop_bytes / given.hop_bytes : 1;
  const double load = given.max_load > 0
                          ? static_cast<double>(now.max_load) / static_cast<double>(given.max_load)
                          : 1;
  switch (search.objective) {
    case mapping::Objective::kHopBytes: return hop_bytes;
    case mapping::Objective::kMaxLinkLoad: return load;
    case mapping::Objective::kWeighted:
      return search.hop_weight * hop_bytes + (1 - search.hop_weight) * load;
  }
  return hop_bytes;
}

/// The ranks in new groups, each on the node that its group had.
base::Result<mapping::Placement> regrouped(const NetworkInput& input, uint64_t seed) {
  const auto& nodes = input.placement.node_of_rank;
  const std::vector<uint32_t> given(nodes.begin(), nodes.begin() + input.traffic.rank_count());
  auto groups =
      mapping::group_ranks(input.traffic, given, input.machine.network->node_count(), seed);
  if (!groups) return groups.error();
  std::vector<Vertex> node_of_rank = nodes;
  for (size_t rank = 0; rank < groups.value().size(); ++rank) {
    node_of_rank[rank] = Vertex(groups.value()[rank]);
  }
  return mapping::placement_on(std::move(node_of_rank));
}

base::Result<mapping::Selection> selection_of(const mapping::Problem& problem,
                                              const RemapRequest& request,
                                              std::span<const uint32_t> given) {
  mapping::Selection selection;
  if (request.movable.empty()) {
    for (uint32_t item = 0; item < problem.size(); ++item) {
      if (problem.partners(item).empty()) continue;
      selection.items.push_back(item);
      selection.places.push_back(item);
    }
  } else {
    const auto item_of = [&](Vertex node) {
      const auto places = problem.places();
      return static_cast<uint32_t>(std::lower_bound(places.begin(), places.end(), node) -
                                   places.begin());
    };
    std::vector<std::pair<uint32_t, uint32_t>> routes;
    for (const auto& [from, to] : request.movable) routes.emplace_back(item_of(from), item_of(to));
    selection = mapping::select_ends(routes, given);
  }
  if (request.all_nodes) {
    std::vector<uint32_t> empty;
    for (uint32_t item = 0; item < problem.size(); ++item) {
      if (problem.partners(item).empty()) empty.push_back(given[item]);
    }
    if (auto status = mapping::add_places(problem, given, empty, selection); !status) {
      return status.error();
    }
  }
  return selection;
}

/// Where the ranks of each item stand in rank order: programs number their processes along grids.
std::vector<uint32_t> items_by_rank(const mapping::Problem& problem,
                                    const mapping::Placement& placement) {
  std::vector<uint32_t> first_rank(problem.network().node_count(), UINT32_MAX);
  for (uint32_t rank = placement.rank_count(); rank-- > 0;) {
    first_rank[placement.node_of_rank[rank]] = rank;
  }
  mapping::Permutation order = mapping::identity(problem.size());
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return first_rank[problem.places()[a]] < first_rank[problem.places()[b]];
  });
  std::vector<uint32_t> number(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  return number;
}

/// From temperatures that keep most of a good placement, about a second at effort 1.
mapping::Cooling cooling_of(const mapping::SearchOptions& search) {
  const bool hop_bytes = search.objective == mapping::Objective::kHopBytes;
  const double steps = (hop_bytes ? 5e6 : 1e5) * std::pow(3.0, search.effort - 1);
  return {.hottest = 0.05, .coolest = 0.005, .steps = static_cast<uint64_t>(steps)};
}

base::Result<mapping::SearchResult> search(const mapping::Problem& problem,
                                           const mapping::Placement& start,
                                           const RemapRequest& request, base::ThreadPool& pool) {
  const mapping::Permutation given = mapping::identity(problem.size());
  switch (request.method) {
    case RemapMethod::kMultilevel:
      return mapping::multilevel(problem, given, request.search, pool, {},
                                 items_by_rank(problem, start));
    case RemapMethod::kAnneal:
      return mapping::anneal(problem, given, request.search, cooling_of(request.search));
    case RemapMethod::kPartition: {
      auto parts =
          mapping::place_by_partition(problem, given, request.part_count, request.search, {}, pool);
      if (!parts || parts.value().timed_out) return parts;
      // What goes between the parts did not count so far.
      return mapping::anneal(problem, parts.value().place_of_item, request.search,
                             cooling_of(request.search));
    }
    case RemapMethod::kExact:
    case RemapMethod::kRandom: break;
  }
  auto selection = selection_of(problem, request, given);
  if (!selection) return selection.error();
  if (request.method == RemapMethod::kExact) {
    if (request.movable.empty() && selection.value().items.size() > mapping::kMaxExactItems) {
      return base::Error{base::ErrorCode::kUnsupported,
                         fmt::format("{} nodes exchange bytes, but all arrangements of at most {} "
                                     "can be tried",
                                     selection.value().items.size(), mapping::kMaxExactItems),
                         "Name a few routes with --move pairs:FILE, or take another --method."};
    }
    return mapping::place_selected_exactly(problem, given, selection.value(),
                                           request.search.time_limit_s);
  }
  return mapping::place_selected_at_random(problem, given, selection.value(), request.trial_count,
                                           request.search.seed, request.search.time_limit_s);
}

}  // namespace

std::string_view method_name(RemapMethod method) {
  const auto at = std::find_if(kRemapMethods.begin(), kRemapMethods.end(),
                               [&](const auto& known) { return known.second == method; });
  return at == kRemapMethods.end() ? "" : at->first;
}

bool moves_selected(RemapMethod method) {
  return method == RemapMethod::kExact || method == RemapMethod::kRandom;
}

base::Status check_remap(const RemapRequest& request) {
  const bool is_partition = request.method == RemapMethod::kPartition;
  if (request.search.objective != mapping::Objective::kHopBytes &&
      (moves_selected(request.method) || is_partition)) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("--method {} knows only the objective hop-bytes", method_name(request.method))};
  }
  if (request.part_count > 0 && !is_partition) {
    return base::Error{base::ErrorCode::kInvalidArgument, "--parts belongs to --method partition"};
  }
  return {};
}

base::Result<std::vector<std::pair<Vertex, Vertex>>> ends_of_pairs(const std::string& file,
                                                                   const NetworkInput& input) {
  const auto routes = routes_of_pairs(file, input);
  if (!routes) return routes.error();
  std::vector<std::pair<Vertex, Vertex>> ends;
  for (const uint32_t r : routes.value()) {
    ends.emplace_back(input.routes.from[r], input.routes.to[r]);
  }
  return ends;
}

base::Result<Remapping> remap(const NetworkInput& input, const RemapRequest& request,
                              base::ThreadPool& pool) {
  std::vector<mapping::Placement> starts = {input.placement};
  if (request.group) {
    // Groups of few bytes may be worse to place than those of neighbouring ranks: try both.
    auto grouped = regrouped(input, request.search.seed);
    if (!grouped) return grouped.error();
    starts.push_back(std::move(grouped).value());
  }
  const Crossing given = crossing(input, input.placement, pool);
  Remapping out;
  out.placement = input.placement;
  Crossing best = given;
  for (const mapping::Placement& start : starts) {
    auto problem = mapping::Problem::make(*input.machine.network, node_traffic(input, start),
                                          places_of(input, request.all_nodes), pool);
    if (!problem) return problem.error();
    auto found = search(problem.value(), start, request, pool);
    if (!found) return found.error();
    out.places = problem.value().size();
    out.timed_out = out.timed_out || found.value().timed_out;
    const double bound = static_cast<double>(mapping::lower_bound(problem.value())) /
                         problem.value().distance_unit();
    out.bound_hop_bytes = &start == starts.data() ? bound : std::min(bound, out.bound_hop_bytes);
    const auto placement =
        mapping::moved(start, problem.value().places(), found.value().place_of_item);
    const Crossing now = crossing(input, placement, pool);
    if (value_of(now, given, request.search) >= value_of(best, given, request.search)) continue;
    out.placement = placement;
    best = now;
  }
  for (uint32_t rank = 0; rank < out.placement.rank_count(); ++rank) {
    out.moved += out.placement.node_of_rank[rank] != input.placement.node_of_rank[rank] ? 1U : 0U;
  }
  out.hop_bytes_before = given.hop_bytes;
  out.hop_bytes_after = best.hop_bytes;
  out.max_link_load_before_bytes = given.max_load;
  out.max_link_load_after_bytes = best.max_load;
  out.off_node_bytes_before = given.off_node_bytes;
  out.off_node_bytes_after = best.off_node_bytes;
  return out;
}

base::Result<Remapping> remap_by_time(const NetworkInput& input, const RemapRequest& request,
                                      const MeasuredMachine& machine, base::ThreadPool& pool) {
  if (machine.network == nullptr || machine.network->spec() != input.machine.network->spec()) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("machine '{}' has the network '{}', not '{}'", machine.row.name,
                    machine.network == nullptr ? "not known" : machine.network->spec(),
                    input.machine.network->spec()),
        "Leave --network out to take that of the database."};
  }
  const auto weigh = [&](std::string name, const mapping::Placement& placement) {
    const Crossing now = crossing(input, placement, pool);
    PlacementChoice choice{.name = std::move(name),
                           .placement = placement,
                           .hop_bytes = now.hop_bytes,
                           .max_link_load_bytes = now.max_load,
                           .off_node_bytes = now.off_node_bytes};
    auto time =
        predict::predict_traffic(input.traffic, placement, predict::Bind::kCompact, machine.tables);
    if (time) {
      choice.time = time.value();
    } else {
      choice.reason = time.error().message;
    }
    return choice;
  };
  std::vector<PlacementChoice> choices = {weigh("given", input.placement)};
  if (!choices.front().time) {
    return base::Error{
        base::ErrorCode::kUnsupported,
        fmt::format("the placement given cannot be predicted: {}", choices.front().reason)};
  }
  std::vector<std::pair<const char*, mapping::SearchOptions>> searches = {
      {"hop-bytes", request.search},
      {"max-load", request.search},
      {"weighted:0.5", request.search}};
  searches[0].second.objective = mapping::Objective::kHopBytes;
  searches[1].second.objective = mapping::Objective::kMaxLinkLoad;
  searches[2].second.objective = mapping::Objective::kWeighted;
  searches[2].second.hop_weight = 0.5;
  if (moves_selected(request.method) || request.method == RemapMethod::kPartition) {
    searches.resize(1);  // What these methods know.
  }
  std::optional<Remapping> best;
  for (const auto& [name, options] : searches) {
    RemapRequest one = request;
    one.search = options;
    auto found = remap(input, one, pool);
    if (!found) return found.error();
    PlacementChoice choice = weigh(name, found.value().placement);
    const bool is_better =
        choice.time && (!best || choice.time->value < best->choices.front().time->value);
    if (!best || is_better) {
      best = std::move(found).value();
      best->choices = {choice};
    }
    choices.push_back(std::move(choice));
  }
  // Equal times: what was given stays.
  std::stable_sort(choices.begin(), choices.end(), [](const auto& a, const auto& b) {
    if (!a.time || !b.time) return a.time.has_value() > b.time.has_value();
    return a.time->value < b.time->value;
  });
  const PlacementChoice& first = choices.front();
  best->placement = first.placement;
  best->hop_bytes_after = first.hop_bytes;
  best->max_link_load_after_bytes = first.max_link_load_bytes;
  best->off_node_bytes_after = first.off_node_bytes;
  best->moved = 0;
  for (uint32_t rank = 0; rank < first.placement.rank_count(); ++rank) {
    best->moved +=
        first.placement.node_of_rank[rank] != input.placement.node_of_rank[rank] ? 1U : 0U;
  }
  best->choices = std::move(choices);
  return std::move(*best);
}

int effort_within(double seconds, uint32_t node_count) {
  // Effort 1 took 1.5, 2.2 and 4.2 s of CPU time for 1,024, 2,048 and 4,096 nodes.
  const double first = 0.4 + 0.001 * node_count;
  constexpr int kMost = 6;
  int effort = 1;
  for (double cost = first * 3; effort < kMost && cost <= seconds; cost *= 3) ++effort;
  return effort;
}

nlohmann::ordered_json to_json(const NetworkInput& input, const RemapRequest& request,
                               std::string_view objective, const Remapping& result,
                               double seconds) {
  using Json = nlohmann::ordered_json;
  Json json;
  if (input.of_summary) json["source"] = "summary";
  json["network"] = input.machine.network->spec();
  json["method"] = method_name(request.method);
  json["objective"] = objective;
  json["seed"] = request.search.seed;
  json["load_unit"] = input.counts_routes ? "routes" : "bytes";
  json["ranks"] = input.placement.rank_count();
  json["nodes"] = result.places;
  json["hop_bytes_before"] = result.hop_bytes_before;
  json["hop_bytes_after"] = result.hop_bytes_after;
  json["reduction_pct"] = result.hop_bytes_before > 0
                              ? Json(100 - 100 * result.hop_bytes_after / result.hop_bytes_before)
                              : Json();
  json["bound_hop_bytes"] = result.bound_hop_bytes;
  json["optimal"] = result.hop_bytes_after <= result.bound_hop_bytes;
  json["max_link_load_before_bytes"] = result.max_link_load_before_bytes;
  json["max_link_load_after_bytes"] = result.max_link_load_after_bytes;
  json["off_node_bytes_before"] = result.off_node_bytes_before;
  json["off_node_bytes_after"] = result.off_node_bytes_after;
  json["moved"] = result.moved;
  json["effort"] = request.search.effort;
  json["seconds"] = seconds;
  json["timed_out"] = result.timed_out;
  if (result.choices.empty()) return json;
  const auto given = std::find_if(result.choices.begin(), result.choices.end(),
                                  [](const PlacementChoice& c) { return c.name == "given"; });
  json["predicted_before_s"] = given->time->value;
  json["predicted_after_s"] = result.choices.front().time->value;
  json["predicted_reduction_pct"] =
      given->time->value > 0
          ? Json(100 - 100 * result.choices.front().time->value / given->time->value)
          : Json();
  for (const PlacementChoice& choice : result.choices) {
    Json one;
    one["placement"] = choice.name;
    one["predicted_s"] = choice.time ? Json(choice.time->value) : Json();
    one["hop_bytes"] = choice.hop_bytes;
    one["max_link_load_bytes"] = choice.max_link_load_bytes;
    one["off_node_bytes"] = choice.off_node_bytes;
    one["reason"] = choice.time ? Json() : Json(choice.reason);
    json["candidates"].push_back(std::move(one));
  }
  return json;
}

base::Result<std::string> placement_text(const NetworkInput& input, const Remapping& result,
                                         mapping::PlacementFormat format) {
  auto names = mapping::NodeNames::make(*input.machine.network, input.host_of_node);
  if (!names) return names.error();
  return mapping::format_placement(result.placement, format, names.value(),
                                   {.ranks_per_node = input.slots_per_node,
                                    .hop_bytes_before = result.hop_bytes_before,
                                    .hop_bytes_after = result.hop_bytes_after});
}

}  // namespace pathline::app
