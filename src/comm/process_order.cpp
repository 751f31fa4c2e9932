// SPDX-License-Identifier: BSD-3-Clause
#include "comm/process_order.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/choice.hpp"
#include "base/natural_order.hpp"
#include "trace/ranks.hpp"

namespace pathline::comm {
namespace {

using trace::kUndefined;

/// Ranks cut into blocks; each rank once.
struct Blocks {
  std::vector<std::vector<uint32_t>> ranks;
  std::vector<std::string> names;
};

Blocks host_blocks(const trace::Trace& trace) {
  std::map<std::string_view, std::vector<uint32_t>, base::NaturalLess> hosts;
  for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
    hosts[host_of(trace, rank)].push_back(rank);
  }
  Blocks blocks;
  if (hosts.size() == 1 && hosts.begin()->first.empty()) return blocks;
  for (auto& [name, ranks] : hosts) {
    blocks.names.emplace_back(name.empty() ? "unknown host" : name);
    blocks.ranks.push_back(std::move(ranks));
  }
  return blocks;
}

/// A Cartesian topology of MPI and the coordinates in it.
struct Cartesian {
  uint32_t comm = kUndefined;  // Id.
  std::vector<uint32_t> dimensions;
  std::vector<std::pair<uint32_t, std::span<const uint32_t>>> coordinates;  // Of ranks in comm.
};

/// The ranks in row-major order of their coordinates, in slices of the first dimension that has
/// any; no blocks unless every rank of the trace has a place of its own.
Blocks slices_of(const trace::Trace& trace, const Cartesian& grid, std::string_view dimension,
                 size_t first) {
  const uint32_t comm = trace.definitions.communicator_index(grid.comm);
  if (comm == kUndefined || grid.coordinates.size() != trace.rank_count) return {};
  const trace::CommunicatorRanks members(trace);
  std::vector<std::pair<std::vector<uint32_t>, uint32_t>> places;
  std::set<uint32_t> seen;
  for (const auto& [member, at] : grid.coordinates) {
    const trace::Rank rank = members.resolve(comm, member, trace::Location{});
    if (!rank.valid() || at.size() <= first || !seen.insert(rank).second) return {};
    places.emplace_back(std::vector<uint32_t>(at.begin(), at.end()), rank);
  }
  std::sort(places.begin(), places.end());
  Blocks blocks;
  for (size_t i = 0; i < places.size(); ++i) {
    const uint32_t slice = places[i].first[first];
    if (i == 0 || slice != places[i - 1].first[first]) {
      blocks.names.push_back(fmt::format("{} = {}", dimension, slice));
      blocks.ranks.emplace_back();
    }
    blocks.ranks.back().push_back(places[i].second);
  }
  return blocks;
}

Blocks cartesian_blocks(const trace::Trace& trace) {
  const trace::Definitions& definitions = trace.definitions;
  std::map<uint32_t, std::pair<uint32_t, std::string_view>> dimensions;  // Id to size and name.
  std::map<uint32_t, Cartesian> grids;
  std::vector<uint32_t> in_order;
  for (size_t i = 0; i < definitions.size(); ++i) {
    const std::span<const uint32_t> words = definitions.words(i);
    if (definitions.kind(i) == trace::DefinitionKind::kCartDimension && words.size() >= 3) {
      dimensions[words[0]] = {words[2], definitions.string(words[1])};
    } else if (definitions.kind(i) == trace::DefinitionKind::kCartTopology && words.size() >= 4) {
      Cartesian& grid = grids[words[0]];
      grid.comm = words[2];
      grid.dimensions.assign(words.begin() + 4, words.end());
      in_order.push_back(words[0]);
    } else if (definitions.kind(i) == trace::DefinitionKind::kCartCoordinate && words.size() >= 3) {
      grids[words[0]].coordinates.emplace_back(words[1], words.subspan(3));
    }
  }
  for (const uint32_t id : in_order) {
    const Cartesian& grid = grids[id];
    const uint32_t comm = definitions.communicator_index(grid.comm);
    if (comm == kUndefined) continue;
    const uint32_t group = definitions.group_index(definitions.communicators[comm].group);
    // Score-P also describes its own "Process x Thread" that way.
    if (group == kUndefined || definitions.groups[group].paradigm != trace::kParadigmMpi) continue;
    std::vector<size_t> real;
    for (size_t d = 0; d < grid.dimensions.size(); ++d) {
      const auto found = dimensions.find(grid.dimensions[d]);
      if (found != dimensions.end() && found->second.first > 1) real.push_back(d);
    }
    if (real.size() < 2) continue;
    Blocks blocks = slices_of(trace, grid, dimensions[grid.dimensions[real[0]]].second, real[0]);
    if (blocks.ranks.size() > 1) return blocks;
  }
  return {};
}

double score_of(const graph::Traffic& traffic, graph::Weight weight,
                const std::vector<uint32_t>& order) {
  std::vector<uint32_t> position(order.size());
  for (uint32_t at = 0; at < order.size(); ++at) position[order[at]] = at;
  return graph::order_score(traffic, weight, position);
}

std::vector<uint32_t> joined(const Blocks& blocks) {
  std::vector<uint32_t> order;
  for (const auto& ranks : blocks.ranks) order.insert(order.end(), ranks.begin(), ranks.end());
  return order;
}

struct Members {
  std::string name;
  std::vector<uint32_t> ranks;  // In the order of the communicator.
  uint32_t smallest = 0;
};

/// The communicators of some but not all ranks, each set of members once.
std::vector<Members> small_communicators(const trace::Trace& trace) {
  const trace::Definitions& definitions = trace.definitions;
  const trace::CommunicatorRanks resolver(trace);
  std::vector<Members> found;
  std::set<std::vector<uint32_t>> seen;
  for (uint32_t comm = 0; comm < definitions.communicators.size(); ++comm) {
    const trace::Communicator& communicator = definitions.communicators[comm];
    const uint32_t group = definitions.group_index(communicator.group);
    if (group == kUndefined || communicator.remote_group != kUndefined) continue;
    if (definitions.groups[group].type != trace::GroupType::kCommGroup) continue;
    const size_t size = definitions.groups[group].members.size();
    if (size < 2 || size >= trace.rank_count) continue;
    Members members{std::string(communicator.name), {}, 0};
    for (uint32_t i = 0; i < size; ++i) {
      const trace::Rank rank = resolver.resolve(comm, i, trace::Location{});
      if (rank.valid() && rank < trace.rank_count) members.ranks.push_back(rank);
    }
    std::vector<uint32_t> sorted = members.ranks;
    std::sort(sorted.begin(), sorted.end());
    const bool twice = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    if (sorted.size() != size || twice || !seen.insert(sorted).second) continue;
    members.smallest = sorted.front();
    found.push_back(std::move(members));
  }
  return found;
}

/// Disjoint communicators of which one is `seed`, those of its size first; ranks in none of them
/// are the last block.
Blocks partition_from(const std::vector<Members>& all, size_t seed, uint32_t rank_count) {
  std::vector<size_t> tries(all.size());
  std::iota(tries.begin(), tries.end(), size_t{0});
  const auto unlike = [&](size_t i) {
    const size_t a = all[i].ranks.size();
    const size_t b = all[seed].ranks.size();
    return i == seed ? 0 : 1 + std::max(a, b) - std::min(a, b);
  };
  std::stable_sort(tries.begin(), tries.end(),
                   [&](size_t a, size_t b) { return unlike(a) < unlike(b); });
  std::vector<bool> taken(rank_count);
  std::vector<size_t> chosen;
  for (const size_t i : tries) {
    const std::vector<uint32_t>& ranks = all[i].ranks;
    if (std::any_of(ranks.begin(), ranks.end(), [&](uint32_t rank) { return taken[rank]; })) {
      continue;
    }
    for (const uint32_t rank : ranks) taken[rank] = true;
    chosen.push_back(i);
  }
  std::sort(chosen.begin(), chosen.end(),
            [&](size_t a, size_t b) { return all[a].smallest < all[b].smallest; });
  Blocks blocks;
  for (const size_t i : chosen) {
    blocks.names.push_back(fmt::format("{} {}", all[i].name.empty() ? "communicator" : all[i].name,
                                       blocks.names.size()));
    blocks.ranks.push_back(all[i].ranks);
  }
  std::vector<uint32_t> rest;
  for (uint32_t rank = 0; rank < rank_count; ++rank) {
    if (!taken[rank]) rest.push_back(rank);
  }
  if (!rest.empty()) {
    blocks.names.emplace_back("in none");
    blocks.ranks.push_back(std::move(rest));
  }
  return blocks;
}

Blocks communicator_blocks(const trace::Trace& trace, const graph::Traffic& traffic,
                           graph::Weight weight) {
  const std::vector<Members> all = small_communicators(trace);
  // Rows and columns of a grid may have one size: the partitions that hold rank 0's communicators.
  constexpr size_t kMaxSeeds = 16;
  Blocks best;
  double best_score = 0;
  size_t seeds = 0;
  std::set<size_t> sizes;
  for (size_t seed = 0; seed < all.size() && seeds < kMaxSeeds; ++seed) {
    const bool first_of_size = sizes.insert(all[seed].ranks.size()).second;
    if (all[seed].smallest != 0 && !first_of_size) continue;
    ++seeds;
    Blocks blocks = partition_from(all, seed, trace.rank_count);
    // The leftover must not be most of it.
    if (blocks.names.back() == "in none" && blocks.ranks.back().size() * 2 > trace.rank_count) {
      continue;
    }
    const double score = score_of(traffic, weight, joined(blocks));
    if (blocks.ranks.size() < best.ranks.size()) continue;
    if (blocks.ranks.size() == best.ranks.size() && score >= best_score) continue;
    best = std::move(blocks);
    best_score = score;
  }
  return best;
}

/// What the selected ranks exchange; the ranks keep their numbers.
graph::Traffic between_selected(const graph::Traffic& traffic, const trace::Selection& selection) {
  graph::Traffic result;
  result.row = {0};
  for (uint32_t sender = 0; sender < traffic.rank_count(); ++sender) {
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      if (!selection.has_rank(sender) || !selection.has_rank(traffic.receiver[i])) continue;
      result.receiver.push_back(traffic.receiver[i]);
      result.messages.push_back(traffic.messages[i]);
      result.bytes.push_back(traffic.bytes[i]);
    }
    result.row.push_back(result.receiver.size());
  }
  return result;
}

Blocks by_spectrum(const graph::Traffic& traffic, graph::Weight weight, std::string& name) {
  std::vector<uint32_t> fiedler = graph::spectral_order(traffic, weight);
  std::vector<uint32_t> rcm = graph::rcm_order(traffic, weight);
  const bool is_fiedler = score_of(traffic, weight, fiedler) <= score_of(traffic, weight, rcm);
  name = is_fiedler ? "spectral order (Fiedler vector)" : "spectral order (reverse Cuthill-McKee)";
  Blocks blocks;
  blocks.ranks.push_back(is_fiedler ? std::move(fiedler) : std::move(rcm));
  return blocks;
}

void place(ProcessOrder& order, const Blocks& blocks, const trace::Selection& selection,
           uint32_t rank_count) {
  order.position_of_rank.assign(rank_count, UINT32_MAX);
  for (size_t block = 0; block < blocks.ranks.size(); ++block) {
    const uint32_t begin = order.size();
    for (const uint32_t rank : blocks.ranks[block]) {
      if (!selection.has_rank(rank)) continue;
      order.position_of_rank[rank] = order.size();
      order.rank_at_position.push_back(rank);
    }
    if (blocks.names.empty() || order.size() == begin) continue;
    order.block_begin.push_back(begin);
    order.block_name.push_back(blocks.names[block]);
  }
}

}  // namespace

std::string_view host_of(const trace::Trace& trace, uint32_t rank) {
  const trace::Definitions& definitions = trace.definitions;
  if (rank >= trace.rank_location.size()) return "";  // A profile's ranks.
  const uint32_t location = trace.rank_location[rank];
  if (location >= definitions.locations.size()) return "";
  const uint32_t group = definitions.location_group_index(definitions.locations[location].group);
  if (group == kUndefined) return "";
  const trace::SystemTreeNode* nearest = nullptr;
  uint32_t id = definitions.location_groups[group].node;
  // A damaged file may hold a cycle.
  for (size_t depth = 0; id != kUndefined && depth < 32; ++depth) {
    const trace::SystemTreeNode* node = definitions.node(id);
    if (node == nullptr) break;
    if (node->class_name == "node" || node->class_name == "host") return node->name;
    if (nearest == nullptr) nearest = node;
    id = node->parent;
  }
  return nearest == nullptr ? std::string_view() : nearest->name;
}

base::Result<Order> parse_order(std::string_view name) {
  static constexpr std::pair<std::string_view, Order> kNames[] = {
      {"rank", Order::kRank},
      {"host", Order::kHost},
      {"communicator", Order::kCommunicator},
      {"spectral", Order::kSpectral}};
  return base::choose("--order", name, kNames);
}

ProcessOrder process_order(const trace::Trace& trace, const trace::Selection& selection,
                           const graph::Traffic& traffic, graph::Weight weight, Order wanted) {
  const graph::Traffic shown = between_selected(traffic, selection);
  const auto is_zero = [](uint64_t value) { return value == 0; };
  if (std::all_of(shown.bytes.begin(), shown.bytes.end(), is_zero)) {
    weight = graph::Weight::kMessages;
  }
  ProcessOrder order;
  Blocks blocks;
  switch (wanted) {
    case Order::kRank: order.name = "rank order"; break;
    case Order::kHost:
      blocks = host_blocks(trace);
      order.name = "host order";
      if (blocks.ranks.empty()) order.remark = "the trace names no hosts";
      break;
    case Order::kCommunicator:
      blocks = cartesian_blocks(trace);
      order.name = "Cartesian order";
      if (blocks.ranks.empty()) {
        blocks = communicator_blocks(trace, shown, weight);
        order.name = "communicator order";
      }
      if (blocks.ranks.empty())
        order.remark = "the trace has no communicators smaller than the world";
      break;
    case Order::kSpectral: blocks = by_spectrum(shown, weight, order.name); break;
  }
  Blocks by_rank;
  by_rank.ranks.emplace_back(trace.rank_count);
  std::iota(by_rank.ranks[0].begin(), by_rank.ranks[0].end(), 0U);
  if (!order.remark.empty()) order.name = "rank order";

  // Positions of ranks that are not selected are not used by what `shown` holds.
  ProcessOrder plain;
  place(plain, by_rank, selection, trace.rank_count);
  place(order, blocks.ranks.empty() ? by_rank : blocks, selection, trace.rank_count);
  order.score = graph::order_score(shown, weight, order.position_of_rank);
  order.rank_order_score = graph::order_score(shown, weight, plain.position_of_rank);
  return order;
}

}  // namespace pathline::comm
