// SPDX-License-Identifier: BSD-3-Clause
//
// What is particular to OpenMP: names of constructs, teams as communicators, and their ends.
#include <algorithm>

#include <fmt/format.h>

#include "raw/names.hpp"
#include "raw/stream.hpp"

namespace pathline::raw {

using trace::DefinitionKind;
using trace::GroupType;
using trace::kUndefined;

void RunNames::unify_construct(const Definitions::Region& from, const CallSites::Place* place,
                               ProcessNames& to) {
  has_openmp_ = true;
  constexpr auto kLastRole = static_cast<uint8_t>(trace::RegionRole::kFileIoMetadata);
  const auto role = static_cast<uint8_t>(from.role);
  const std::string name = place == nullptr ? std::string(from.name)
                                            : fmt::format("{} @{}", from.name, place->construct);
  auto& table = to.tables[static_cast<size_t>(Entity::kRegion)];
  table.add(from.id,
            region(name, role > kLastRole ? 0 : role, trace::kParadigmOpenMp,
                   place == nullptr ? "" : place->file, place == nullptr ? 0 : place->line));
  const auto kind = static_cast<trace::RegionRole>(role);
  if (kind == trace::RegionRole::kBarrier || kind == trace::RegionRole::kImplicitBarrier) {
    to.omp_barriers.insert(from.id);
  }
}

/// A communicator of each process that has parallel regions, as Score-P has them for teams.
void RunNames::unify_teams(const std::vector<Process>& processes,
                           std::vector<ProcessNames>& names) {
  if (!has_openmp_) return;
  define(DefinitionKind::kParadigm, {trace::kParadigmOpenMp, text("OpenMP"), 0});
  std::vector<uint64_t> all;
  for (size_t i = 0; i < processes.size(); ++i) {
    const auto& regions = processes[i].definitions.regions;
    const bool any = std::any_of(regions.begin(), regions.end(), [](const auto& region) {
      return static_cast<uint8_t>(region.role >> 8U) == trace::kParadigmOpenMp;
    });
    if (!any) continue;
    std::vector<uint64_t> places;  // In the list of all locations.
    for (const chunk::StreamChunks& stream : processes[i].file.streams) {
      if (stream.stream == chunk::kDefinitionStream) continue;
      places.push_back(all.size());
      all.push_back(uint64_t{stream.stream} << 32U | processes[i].rank);
    }
    names[i].team_comm = next_comm_++;
    define_group(next_group_, GroupType::kCommGroup, places, trace::kParadigmOpenMp);
    define(DefinitionKind::kComm, {names[i].team_comm, text(""), next_group_++, kUndefined, 0});
  }
  define_group(omp_locations_group_, GroupType::kCommLocations, all, trace::kParadigmOpenMp);
}

void end_teams(const std::vector<Stream*>& streams) {
  std::vector<TeamJoin> joins;
  for (const Stream* stream : streams) {
    joins.insert(joins.end(), stream->joins.begin(), stream->joins.end());
  }
  const auto by_team = [](const TeamJoin& a, const TeamJoin& b) { return a.team < b.team; };
  std::stable_sort(joins.begin(), joins.end(), by_team);
  for (Stream* stream : streams) {
    trace::Events& events = stream->events;
    for (const TeamEnd& end : stream->team_ends) {
      const auto join =
          std::lower_bound(joins.begin(), joins.end(), TeamJoin{end.team, 0}, by_team);
      if (join == joins.end() || join->team != end.team) continue;
      const size_t next = end.event + end.count;
      const uint64_t latest = next < events.size() ? events.ticks[next] : UINT64_MAX;
      for (size_t i = end.event; i < next; ++i) {
        events.ticks.set(i, std::max(events.ticks[i], std::min(join->time_ns, latest)));
      }
    }
  }
}

}  // namespace pathline::raw
