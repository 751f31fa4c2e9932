// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <tuple>

#include "trace/collective_stream.hpp"
#include "trace/match.hpp"
#include "trace/ranks.hpp"

namespace pathline::trace {
namespace {

/// What tells the operations apart that the members had begun before.
class Begun {
 public:
  Begun(const Trace& trace, std::span<const BegunOperation> begun) : trace_(trace) {
    for (const BegunOperation& one : begun) {
      if (one.end_ticks > 0)
        ending_.emplace(Key(one.location, one.comm, one.end_ticks), one.number);
      uint32_t& next = next_[{owner(one.location), one.comm}];
      next = std::max(next, one.number + 1);
    }
  }

  /// Takes those of a location out of `parts`, with their numbers.
  void take(uint64_t from_ticks, std::vector<CollectivePart>& parts,
            std::vector<CollectivePart>& taken) {
    if (ending_.empty()) return;
    std::erase_if(parts, [&](CollectivePart& part) {
      if (part.begin_ticks != part.end_ticks) return false;  // Its begin is there.
      const auto found = ending_.find(Key(part.location, part.comm, part.end_ticks));
      if (found == ending_.end()) return false;
      part.sequence = found->second;
      part.begin_ticks = std::min(from_ticks, part.begin_ticks);
      taken.push_back(part);
      ending_.erase(found);
      return true;
    });
  }

  /// The rank of a location, whose threads share the numbers, or a number of its own.
  [[nodiscard]] uint64_t owner(uint32_t location) const {
    const Rank rank = trace_.locations[location].rank;
    return rank.valid() ? uint64_t{uint32_t{rank}} : uint64_t{trace_.rank_count} + location;
  }
  /// The first numbers of those that come behind, of an owner.
  [[nodiscard]] CollectiveNumbers numbers(uint64_t of) const {
    CollectiveNumbers numbers;
    for (auto next = next_.lower_bound({of, 0}); next != next_.end() && next->first.first == of;
         ++next) {
      numbers.begin_at(next->first.second, next->second);
    }
    return numbers;
  }

 private:
  using Key = std::tuple<uint32_t, uint32_t, uint64_t>;  // Location, communicator, end.
  const Trace& trace_;
  std::multimap<Key, uint32_t> ending_;
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> next_;  // By owner, communicator.
};

}  // namespace

void match_collectives(Trace& trace, base::ThreadPool& pool, std::span<const BegunOperation> begun,
                       uint64_t from_ticks) {
  std::vector<std::vector<CollectivePart>> by_location(trace.locations.size());
  pool.for_each(by_location.size(), [&](size_t i) {
    CollectiveStream stream(static_cast<uint32_t>(i));
    stream.add(trace.definitions, trace.locations[i].events, 0);
    stream.end();
    by_location[i] = stream.take(UINT64_MAX);
  });
  Begun known(trace, begun);
  std::vector<CollectivePart> parts;
  for (auto& list : by_location) known.take(from_ticks, list, parts);
  std::map<uint64_t, std::vector<std::span<CollectivePart>>> by_owner;
  for (uint32_t i = 0; i < by_location.size(); ++i) {
    by_owner[known.owner(i)].emplace_back(by_location[i]);
  }
  for (const auto& [owner, lists] : by_owner) known.numbers(owner).number(lists);
  for (const auto& list : by_location) parts.insert(parts.end(), list.begin(), list.end());

  // A communicator of rank 0 alone (self) exists once per location: its operations never pair.
  std::vector<bool> selves(trace.definitions.communicators.size());
  for (uint32_t comm = 0; comm < selves.size(); ++comm) {
    selves[comm] = is_self(trace.definitions, comm);
  }
  const auto group_of = [&](const CollectivePart& part) {
    return selves[part.comm] ? part.location + 1 : 0;
  };
  std::stable_sort(parts.begin(), parts.end(), [&](const auto& a, const auto& b) {
    if (a.comm != b.comm) return a.comm < b.comm;
    if (group_of(a) != group_of(b)) return group_of(a) < group_of(b);
    return a.sequence != b.sequence ? a.sequence < b.sequence : a.location < b.location;
  });
  const CommunicatorRanks ranks(trace);
  for (size_t begin = 0, end = 0; begin < parts.size(); begin = end) {
    const CollectivePart& first = parts[begin];
    while (end < parts.size() && parts[end].comm == first.comm &&
           parts[end].sequence == first.sequence && group_of(parts[end]) == group_of(first)) {
      ++end;
    }
    append(std::span(parts).subspan(begin, end - begin), trace, ranks, trace.collectives);
  }
  trace.collectives.first.push_back(static_cast<uint32_t>(parts.size()));
}

}  // namespace pathline::trace
