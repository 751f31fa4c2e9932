// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>

#include "profile/profile.hpp"

namespace pathline::profile {
namespace {

/// Ranks over which minimum, maximum and mean go.
uint64_t counted_ranks(const trace::Trace& trace, const trace::Selection& selection) {
  if (selection.ranks.empty()) return trace.rank_count;
  return static_cast<uint64_t>(std::count(selection.ranks.begin(), selection.ranks.end(), true));
}

/// Collects, row by row and rank by rank, and closes the rows. Locations must come in an order in
/// which those of one rank need not be neighbours.
class RankSpread {
 public:
  RankSpread(size_t row_count, uint64_t rank_count) : rows_(row_count), rank_count_(rank_count) {}

  void add(size_t row, trace::Rank rank, uint64_t ticks) {
    if (rank.valid()) rows_[row].emplace_back(rank, ticks);
  }
  void close(size_t row, FlatRow& flat) {
    auto& list = rows_[row];
    std::sort(list.begin(), list.end());
    uint64_t seen = 0;
    uint64_t sum = 0;
    flat.exclusive_min_ticks = UINT64_MAX;
    for (size_t i = 0; i < list.size();) {
      uint64_t ticks = 0;
      const uint32_t rank = list[i].first;
      for (; i < list.size() && list[i].first == rank; ++i) ticks += list[i].second;
      flat.exclusive_min_ticks = std::min(flat.exclusive_min_ticks, ticks);
      if (ticks > flat.exclusive_max_ticks || !flat.max_rank.valid()) {
        flat.exclusive_max_ticks = ticks;
        flat.max_rank = trace::Rank(rank);
      }
      sum += ticks;
      ++seen;
    }
    if (seen < rank_count_ || seen == 0) flat.exclusive_min_ticks = 0;
    if (sum > 0) {
      flat.imbalance = static_cast<double>(flat.exclusive_max_ticks) *
                       static_cast<double>(std::max<uint64_t>(rank_count_, 1)) /
                       static_cast<double>(sum);
    }
  }

 private:
  std::vector<std::vector<std::pair<uint32_t, uint64_t>>> rows_;
  uint64_t rank_count_;
};

/// Inclusive time of every call path, summed over locations. Children stand behind their parent.
std::vector<uint64_t> inclusive_ticks(const Profile& profile) {
  std::vector<uint64_t> ticks(profile.call_paths.size());
  for (const auto& costs : profile.by_location) {
    for (const Cost& cost : costs) ticks[cost.call_path] += cost.exclusive_ticks;
  }
  for (size_t i = ticks.size(); i-- > 0;) {
    const CallPath parent = profile.call_paths[i].parent;
    if (parent.valid()) ticks[parent] += ticks[i];
  }
  return ticks;
}

/// Where rows are regions, a function of MPI is one, wherever it was called from.
trace::Region function_of(const trace::Trace& trace, trace::Region region) {
  return region.valid() ? trace.definitions.regions[region].function : region;
}

/// True if a call path lies inside another call of its own region.
bool is_recursion(const trace::Trace& trace, const Profile& profile, size_t call_path) {
  const trace::Region region = function_of(trace, profile.call_paths[call_path].region);
  for (CallPath up = profile.call_paths[call_path].parent; up.valid();
       up = profile.call_paths[up].parent) {
    if (function_of(trace, profile.call_paths[up].region) == region) return true;
  }
  return false;
}

}  // namespace

std::vector<FlatRow> by_region(const trace::Trace& trace, const trace::Selection& selection,
                               const Profile& profile) {
  const size_t region_count = trace.definitions.regions.size();
  std::vector<FlatRow> rows(region_count);
  RankSpread spread(region_count, counted_ranks(trace, selection));
  for (size_t i = 0; i < profile.by_location.size(); ++i) {
    for (const Cost& cost : profile.by_location[i]) {
      const trace::Region region = function_of(trace, profile.call_paths[cost.call_path].region);
      if (!region.valid()) continue;
      rows[region].visits += cost.visits;
      rows[region].exclusive_ticks += cost.exclusive_ticks;
      spread.add(region, trace.locations[i].rank, cost.exclusive_ticks);
    }
  }
  const std::vector<uint64_t> inclusive = inclusive_ticks(profile);
  for (size_t i = 0; i < inclusive.size(); ++i) {
    const trace::Region region = function_of(trace, profile.call_paths[i].region);
    if (region.valid() && !is_recursion(trace, profile, i))
      rows[region].inclusive_ticks += inclusive[i];
  }
  std::vector<FlatRow> used;
  for (size_t region = 0; region < region_count; ++region) {
    FlatRow& row = rows[region];
    if (row.visits == 0 && row.inclusive_ticks == 0) continue;
    row.region = trace::Region(region);
    spread.close(region, row);
    used.push_back(row);
  }
  std::stable_sort(used.begin(), used.end(), [](const FlatRow& a, const FlatRow& b) {
    return a.exclusive_ticks > b.exclusive_ticks;
  });
  return used;
}

std::vector<FlatRow> by_call_path(const trace::Trace& trace, const trace::Selection& selection,
                                  const Profile& profile) {
  const size_t count = profile.call_paths.size();
  std::vector<FlatRow> rows(count);
  RankSpread spread(count, counted_ranks(trace, selection));
  const std::vector<uint64_t> inclusive = inclusive_ticks(profile);
  for (size_t i = 0; i < profile.by_location.size(); ++i) {
    for (const Cost& cost : profile.by_location[i]) {
      rows[cost.call_path].visits += cost.visits;
      rows[cost.call_path].exclusive_ticks += cost.exclusive_ticks;
      spread.add(cost.call_path, trace.locations[i].rank, cost.exclusive_ticks);
    }
  }
  std::vector<std::vector<uint32_t>> children(count + 1);  // The last entry holds the roots.
  for (size_t i = 0; i < count; ++i) {
    rows[i].region = profile.call_paths[i].region;
    rows[i].call_path = CallPath(i);
    rows[i].inclusive_ticks = inclusive[i];
    spread.close(i, rows[i]);
    const CallPath parent = profile.call_paths[i].parent;
    children[parent.valid() ? uint32_t{parent} : count].push_back(static_cast<uint32_t>(i));
  }
  std::vector<FlatRow> ordered;
  std::vector<uint32_t> open;
  const auto push_children = [&](size_t node) {
    auto& list = children[node];
    std::sort(list.begin(), list.end(), [&](uint32_t a, uint32_t b) {
      return profile.call_paths[a].region > profile.call_paths[b].region;
    });
    open.insert(open.end(), list.begin(), list.end());
  };
  push_children(count);
  while (!open.empty()) {
    const uint32_t node = open.back();
    open.pop_back();
    if (rows[node].visits > 0 || rows[node].inclusive_ticks > 0) ordered.push_back(rows[node]);
    push_children(node);
  }
  return ordered;
}

std::vector<FlatRow> by_rank(const trace::Trace& trace, const Profile& profile) {
  std::vector<FlatRow> rows(trace.rank_count);
  std::vector<uint64_t> location_count(trace.rank_count);
  for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
    rows[rank].rank = trace::Rank(rank);
    rows[rank].exclusive_min_ticks = UINT64_MAX;
  }
  for (size_t i = 0; i < profile.by_location.size(); ++i) {
    const trace::Location& location = trace.locations[i];
    if (!location.rank.valid() || location.type == trace::LocationType::kMetric) continue;
    FlatRow& row = rows[location.rank];
    uint64_t ticks = 0;
    for (const Cost& cost : profile.by_location[i]) {
      row.visits += cost.visits;
      ticks += cost.exclusive_ticks;
    }
    row.exclusive_ticks += ticks;
    row.exclusive_min_ticks = std::min(row.exclusive_min_ticks, ticks);
    row.exclusive_max_ticks = std::max(row.exclusive_max_ticks, ticks);
    ++location_count[location.rank];
  }
  for (FlatRow& row : rows) {
    row.inclusive_ticks = row.exclusive_ticks;
    if (row.exclusive_ticks > 0) {
      row.imbalance = static_cast<double>(row.exclusive_max_ticks) *
                      static_cast<double>(location_count[row.rank]) /
                      static_cast<double>(row.exclusive_ticks);
    }
  }
  std::erase_if(rows,
                [](const FlatRow& row) { return row.visits == 0 && row.exclusive_ticks == 0; });
  return rows;
}

}  // namespace pathline::profile
