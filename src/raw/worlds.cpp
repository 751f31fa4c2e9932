// SPDX-License-Identifier: BSD-3-Clause
#include "raw/worlds.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "chunk/format.hpp"

namespace pathline::raw {
namespace {

/// A damaged file may state any number of ranks: so many are believed, or 64 a file.
constexpr uint64_t kLeastRankLimit = 1U << 16U;

/// When a process began, by the clock on the wall; a process without a clock comes last.
uint64_t began_ns(const Process& process) {
  uint64_t first = UINT64_MAX;
  for (const TickPair& pair : process.definitions.realtime_pairs) first = std::min(first, pair.ns);
  return first;
}

/// How many ranks a world has, by what its files state: what most of them do, if all are in it.
/// A damaged file must not make up thousands of ranks.
uint32_t rank_count_of(const std::vector<const chunk::RawFile*>& files, uint32_t limit) {
  std::map<uint32_t, size_t> votes;
  uint32_t highest = 0;
  for (const chunk::RawFile* file : files) {
    if (file->rank == UINT32_MAX) return 1;
    if (file->rank >= file->rank_count || file->rank_count > limit) continue;
    ++votes[file->rank_count];
    highest = std::max(highest, file->rank);
  }
  uint32_t count = 0;
  for (const auto& [candidate, number] : votes) {
    if (candidate > highest && (count == 0 || number > votes[count])) count = candidate;
  }
  return count;
}

/// Several mpiruns in a script, spawned programs, or ranks that did not find one another because
/// they were started by another MPI's launcher.
void note_worlds(const std::vector<World>& worlds, Findings& findings) {
  constexpr size_t kMostWorlds = 6;
  std::string ranks;
  for (size_t i = 0; i < std::min(worlds.size(), kMostWorlds); ++i) {
    const World& world = worlds[i];
    if (i > 0) ranks += ", then ";
    ranks += world.rank_count == 1
                 ? fmt::format("{}", world.first_rank)
                 : fmt::format("{}-{}", world.first_rank, world.first_rank + world.rank_count - 1);
  }
  if (worlds.size() > kMostWorlds) ranks += " ...";
  findings.warn(
      fmt::format("the run holds {} MPI programs, each with its own MPI_COMM_WORLD; their ranks "
                  "are numbered through: {}",
                  worlds.size(), ranks));
}

}  // namespace

Ranks number_ranks(std::vector<Process>& processes, Findings& findings) {
  Ranks result;
  // A process without MPI is a world of its own.
  using Key = std::pair<uint32_t, uint32_t>;  // World, process if that is no rank.
  const auto key_of = [](const Process& process) {
    const bool alone = process.file.rank == UINT32_MAX;
    return Key(process.file.world, alone ? process.file.process_id : UINT32_MAX);
  };
  std::map<Key, uint64_t> begin;
  for (const Process& process : processes) {
    const auto [found, added] = begin.try_emplace(key_of(process), UINT64_MAX);
    found->second = std::min(found->second, began_ns(process));
  }
  std::vector<std::pair<uint64_t, Key>> by_time;
  by_time.reserve(begin.size());
  for (const auto& [key, ns] : begin) by_time.emplace_back(ns, key);
  std::sort(by_time.begin(), by_time.end());
  std::map<Key, size_t> world_index;
  for (size_t i = 0; i < by_time.size(); ++i) world_index[by_time[i].second] = i;

  const auto limit = static_cast<uint32_t>(std::min<uint64_t>(
      UINT32_MAX / 4, std::max(kLeastRankLimit / by_time.size(), 64 * processes.size())));
  std::vector<std::vector<const chunk::RawFile*>> of_world(by_time.size());
  for (const Process& process : processes) {
    of_world[world_index[key_of(process)]].push_back(&process.file);
  }
  std::vector<uint32_t> counts;
  counts.reserve(of_world.size());
  for (const auto& files : of_world) counts.push_back(rank_count_of(files, limit));
  std::vector<Process> kept;
  std::map<std::pair<size_t, uint32_t>, const chunk::RawFile*> seen;
  std::stable_sort(processes.begin(), processes.end(), [&](const Process& a, const Process& b) {
    return std::tuple(world_index[key_of(a)], a.file.rank) <
           std::tuple(world_index[key_of(b)], b.file.rank);
  });
  for (Process& process : processes) {
    const std::string path = process.file.path().string();
    const bool alone = process.file.rank == UINT32_MAX;
    process.world = world_index[key_of(process)];
    process.rank = alone ? 0 : process.file.rank;
    if (process.rank >= counts[process.world] ||
        (!alone && process.rank >= process.file.rank_count)) {
      result.refused =
          fmt::format("{}: it states rank {} of {}, which cannot be (offset {})", path,
                      process.file.rank, process.file.rank_count, offsetof(chunk::FileHeader, who));
      findings.incomplete(result.refused);
      continue;
    }
    if (!seen.emplace(std::pair(process.world, process.rank), nullptr).second) {
      findings.incomplete(
          fmt::format("{}: another file of rank {} was read instead", path, process.rank));
      continue;
    }
    kept.push_back(std::move(process));
  }
  processes = std::move(kept);
  uint32_t first = 0;
  for (const uint32_t count : counts) {
    result.worlds.push_back({first, count});
    first += count;
  }
  result.rank_count = first;
  for (Process& process : processes) process.rank += result.worlds[process.world].first_rank;
  std::vector<bool> present(result.rank_count);
  for (const Process& process : processes) present[process.rank] = true;
  std::set<uint32_t> missing;
  for (uint32_t rank = 0; rank < result.rank_count; ++rank) {
    if (!present[rank]) missing.insert(rank);
  }
  if (!missing.empty()) findings.incomplete("there is no raw file of " + rank_list(missing));
  if (result.worlds.size() > 1) note_worlds(result.worlds, findings);
  return result;
}

}  // namespace pathline::raw
