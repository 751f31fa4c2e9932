// SPDX-License-Identifier: BSD-3-Clause
#include "trace/ranks.hpp"

#include <algorithm>
#include <array>

namespace pathline::trace {
namespace {

constexpr uint32_t kNone = base::IdMap::kNone;

/// The list of locations that numbers the processes of a paradigm, nullptr if there is none.
const Group* location_list(const Definitions& definitions, uint8_t paradigm) {
  for (const Group& group : definitions.groups) {
    if (group.type == GroupType::kCommLocations && group.paradigm == paradigm) return &group;
  }
  return nullptr;
}

const Group* list_of_processes(const Definitions& definitions) {
  constexpr std::array<uint8_t, 4> kMpiShmemGaspiUpc = {kParadigmMpi, 13, 11, 12};
  for (const uint8_t paradigm : kMpiShmemGaspiUpc) {
    if (const Group* list = location_list(definitions, paradigm)) return list;
  }
  return nullptr;
}

}  // namespace

void Messages::resize(size_t count) {
  for_each_column(*this, *this, [&](auto& column, auto&) { column.resize(count); });
}

uint64_t Trace::event_count() const {
  uint64_t count = 0;
  for (const Location& location : locations) count += location.events.size();
  return count;
}

void assign_ranks(Trace& trace) {
  const Definitions& definitions = trace.definitions;
  std::vector<Rank> rank_of_group(definitions.location_groups.size());
  trace.rank_location.clear();

  if (const Group* list = list_of_processes(definitions)) {
    for (const uint64_t id : list->members) {
      const Rank rank(trace.rank_location.size());
      const uint32_t location = definitions.location_index(id);
      trace.rank_location.push_back(location);
      if (location == kNone) continue;
      trace.locations[location].rank = rank;
      const uint32_t group =
          definitions.location_group_index(definitions.locations[location].group);
      if (group != kNone && !rank_of_group[group].valid()) rank_of_group[group] = rank;
    }
  } else {
    for (size_t group = 0; group < definitions.location_groups.size(); ++group) {
      if (definitions.location_groups[group].type != LocationGroupType::kProcess) continue;
      rank_of_group[group] = Rank(trace.rank_location.size());
      trace.rank_location.push_back(kNone);
    }
  }
  for (size_t group = 0; group < definitions.location_groups.size(); ++group) {
    const uint32_t creator = definitions.location_groups[group].creator;
    const uint32_t parent =
        creator == kUndefined ? kNone : definitions.location_group_index(creator);
    if (parent != kNone && !rank_of_group[group].valid()) {
      rank_of_group[group] = rank_of_group[parent];
    }
  }
  for (size_t i = 0; i < trace.locations.size(); ++i) {
    Location& location = trace.locations[i];
    const uint32_t group = definitions.location_group_index(definitions.locations[i].group);
    if (!location.rank.valid() && group != kNone) location.rank = rank_of_group[group];
    if (!location.rank.valid()) continue;
    uint32_t& first = trace.rank_location[location.rank];
    if (first == kNone && location.type == LocationType::kCpuThread) {
      first = static_cast<uint32_t>(i);
    }
  }
  trace.rank_count = static_cast<uint32_t>(trace.rank_location.size());
}

CommunicatorRanks::CommunicatorRanks(const Trace& trace) {
  const Definitions& definitions = trace.definitions;
  const auto rank_of_location = [&](uint64_t id) {
    const uint32_t location = definitions.location_index(id);
    return location == kNone ? kNone : uint32_t{trace.locations[location].rank};
  };
  for (const Group& group : definitions.groups) {
    std::vector<uint32_t>& ranks = group_ranks_.emplace_back();
    if (group.type != GroupType::kCommGroup && group.type != GroupType::kCommLocations) continue;
    const bool by_location = group.global_members || group.type == GroupType::kCommLocations;
    const Group* list = by_location ? nullptr : location_list(definitions, group.paradigm);
    ranks.reserve(group.members.size());
    for (const uint64_t member : group.members) {
      if (by_location) {
        ranks.push_back(rank_of_location(member));
      } else {
        const bool exists = list != nullptr && member < list->members.size();
        ranks.push_back(exists ? rank_of_location(list->members[member]) : kNone);
      }
    }
  }
  for (const Communicator& communicator : definitions.communicators) {
    Table& table = tables_.emplace_back();
    const uint32_t group = definitions.group_index(communicator.group);
    if (group == kNone) continue;
    table.self = definitions.groups[group].type == GroupType::kCommSelf;
    table.members = &group_ranks_[group];
    if (communicator.remote_group == kUndefined) continue;
    const uint32_t remote = definitions.group_index(communicator.remote_group);
    if (remote == kNone) continue;
    table.remote_members = &group_ranks_[remote];
    table.in_members.resize(trace.rank_count);
    for (const uint32_t rank : *table.members) {
      if (rank != kNone) table.in_members[rank] = true;
    }
  }
}

size_t CommunicatorRanks::size(uint32_t comm) const {
  const Table& table = tables_[comm];
  if (table.self) return 1;
  size_t count = 0;
  for (const std::vector<uint32_t>* members : {table.members, table.remote_members}) {
    if (members == nullptr) continue;
    count +=
        members->size() - static_cast<size_t>(std::count(members->begin(), members->end(), kNone));
  }
  return count;
}

}  // namespace pathline::trace
