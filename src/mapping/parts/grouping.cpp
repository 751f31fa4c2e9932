// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/parts/grouping.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "mapping/parts/parts.hpp"

namespace pathline::mapping {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr uint32_t kSweeps = 20;

/// Gives each part the number of a group of its size, of those it shares most ranks with first.
std::vector<uint32_t> group_numbers(std::span<const uint32_t> part_of_rank,
                                    std::span<const uint32_t> group_of_rank,
                                    std::span<const uint32_t> group_sizes) {
  std::vector<graph::Pair> shared;
  for (size_t rank = 0; rank < part_of_rank.size(); ++rank) {
    shared.push_back({part_of_rank[rank], group_of_rank[rank], 1, 0});
  }
  const auto count = static_cast<uint32_t>(group_sizes.size());
  const graph::Traffic counts = graph::traffic_of(count, std::move(shared));
  std::vector<uint32_t> part_sizes(count, 0);
  for (const uint32_t part : part_of_rank) ++part_sizes[part];

  std::vector<std::tuple<uint64_t, uint32_t, uint32_t>> by_count;  // Most first: counted down.
  for (uint32_t part = 0; part < count; ++part) {
    for (size_t i = counts.row[part]; i < counts.row[part + 1]; ++i) {
      by_count.emplace_back(UINT64_MAX - counts.messages[i], part, counts.receiver[i]);
    }
  }
  std::sort(by_count.begin(), by_count.end());
  std::vector<uint32_t> group_of_part(count, kNone);
  std::vector<bool> taken(count, false);
  const auto take = [&](uint32_t part, uint32_t group) {
    if (group_of_part[part] != kNone || taken[group] || part_sizes[part] != group_sizes[group]) {
      return;
    }
    group_of_part[part] = group;
    taken[group] = true;
  };
  for (const auto& [unused, part, group] : by_count) take(part, group);

  // The others share nothing with any group that is left: in order, size by size.
  const auto left_by_size = [&](std::span<const uint32_t> sizes, auto&& is_left) {
    std::vector<std::pair<uint32_t, uint32_t>> left;
    for (uint32_t i = 0; i < count; ++i) {
      if (is_left(i)) left.emplace_back(sizes[i], i);
    }
    std::sort(left.begin(), left.end());
    return left;
  };
  const auto parts =
      left_by_size(part_sizes, [&](uint32_t i) { return group_of_part[i] == kNone; });
  const auto groups = left_by_size(group_sizes, [&](uint32_t i) { return !taken[i]; });
  for (size_t i = 0; i < parts.size(); ++i) take(parts[i].second, groups[i].second);
  return group_of_part;
}

}  // namespace

uint64_t bytes_between_groups(const graph::Traffic& traffic,
                              std::span<const uint32_t> group_of_rank) {
  uint64_t bytes = 0;
  for (uint32_t sender = 0; sender < traffic.rank_count(); ++sender) {
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      if (group_of_rank[sender] != group_of_rank[traffic.receiver[i]]) bytes += traffic.bytes[i];
    }
  }
  return bytes;
}

base::Result<std::vector<uint32_t>> group_ranks(const graph::Traffic& traffic,
                                                std::span<const uint32_t> group_of_rank,
                                                uint32_t group_count, uint64_t seed) {
  if (group_of_rank.size() != traffic.rank_count()) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("{} ranks have groups, but {} exchange messages",
                                   group_of_rank.size(), traffic.rank_count())};
  }
  std::vector<uint32_t> group_sizes(group_count, 0);
  for (size_t rank = 0; rank < group_of_rank.size(); ++rank) {
    if (group_of_rank[rank] >= group_count) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         fmt::format("rank {} is in group {}, but there are {}", rank,
                                     group_of_rank[rank], group_count)};
    }
    ++group_sizes[group_of_rank[rank]];
  }
  std::vector<uint32_t> best(group_of_rank.begin(), group_of_rank.end());
  uint64_t best_bytes = bytes_between_groups(traffic, best);
  const auto offer = [&](const std::vector<uint32_t>& groups) {
    const uint64_t bytes = bytes_between_groups(traffic, groups);
    if (bytes >= best_bytes) return;
    best_bytes = bytes;
    best = groups;
  };

  const WeightedGraph graph = graph_of(traffic);
  std::vector<uint32_t> swapped = best;
  swap_refine(graph, group_count, kSweeps, swapped);
  offer(swapped);

  std::vector<uint32_t> part_sizes = group_sizes;
  part_sizes.erase(std::remove(part_sizes.begin(), part_sizes.end(), 0U), part_sizes.end());
  auto cut = cut_into_parts(graph, part_sizes, seed);
  if (!cut) return cut.error();
  offer(cut.value());
  const std::vector<uint32_t> numbers = group_numbers(best, group_of_rank, group_sizes);
  for (uint32_t& group : best) group = numbers[group];
  return best;
}

}  // namespace pathline::mapping
