// SPDX-License-Identifier: BSD-3-Clause
#include "comm/collective_dependencies.hpp"

#include <algorithm>
#include <utility>

namespace pathline::comm {
namespace {

/// By the numbers of OTF2. Allgather to allreduce, reduce-scatter, and what makes communicators, in
/// which every member needs every other. MPI_Comm_free (18) needs nobody.
constexpr uint8_t kDestroyHandle = 18;
bool is_all_to_all(uint8_t operation) {
  return (operation >= 6 && operation <= 11) || operation == 13 ||
         (operation >= 16 && operation != kDestroyHandle);
}
bool is_from_root(uint8_t operation) {  // Broadcast, scatter, scatterv.
  return operation == 1 || operation == 4 || operation == 5;
}
bool is_to_root(uint8_t operation) {  // Gather, gatherv, reduce.
  return operation == 2 || operation == 3 || operation == 12;
}
bool is_scan(uint8_t operation) { return operation == 14 || operation == 15; }

}  // namespace

void CollectiveDependencies::add(size_t operation, CallFinder& finder, DependencyPart& part) const {
  const uint8_t number = all_.operation[operation];
  std::vector<GroupMember> members;
  members.reserve(all_.first[operation + 1] - all_.first[operation]);
  uint32_t root = kNoCall;  // Its index.
  for (uint32_t row = all_.first[operation]; row < all_.first[operation + 1]; ++row) {
    const trace::Rank rank = run_.locations[all_.location[row]].rank;
    if (rank.valid() && rank == trace::Rank(all_.root[operation])) {
      root = static_cast<uint32_t>(members.size());
    }
    members.push_back(member_of(row, finder));
  }
  const auto any = [&](uint8_t trait) {
    return std::any_of(members.begin(), members.end(), [&](const GroupMember& one) {
      return one.begin_call != kNoCall && calls_.is(one.begin_call, trait);
    });
  };
  // Ranks start when they start: MPI_Init tells nothing about the program.
  if (any(kInitializes)) return;
  if (any(kFinalizes)) {
    part.add_group(WaitKind::kFinalize, all_.comm[operation], members);
  } else if (number == 0 || is_all_to_all(number)) {
    part.add_group(number == 0 ? WaitKind::kBarrier : WaitKind::kCollective, all_.comm[operation],
                   members);
  } else if (is_scan(number)) {
    sort_by_rank(operation, members);
    part.add_group(WaitKind::kEarlyScan, all_.comm[operation], members);
  } else if (root != kNoCall && is_from_root(number)) {
    for (const GroupMember& one : members) {
      part.add(calls_, one.end_call, members[root].begin_call, WaitKind::kLateBroadcast,
               one.end_ticks);
    }
  } else if (root != kNoCall && is_to_root(number)) {
    for (const GroupMember& one : members) {
      part.add(calls_, members[root].end_call, one.begin_call, WaitKind::kEarlyReduce,
               members[root].end_ticks);
    }
  }
}

GroupMember CollectiveDependencies::member_of(uint32_t row, CallFinder& finder) const {
  const uint32_t lane = calls_.lane_at(all_.location[row]);
  if (lane == kNoLane) return {kNoCall, kNoCall, all_.end_ticks[row]};
  return {finder.begun_at(lane, all_.begin_ticks[row]), finder.ended_at(lane, all_.end_ticks[row]),
          all_.end_ticks[row]};
}

/// From the order of locations to that of the ranks in the communicator.
void CollectiveDependencies::sort_by_rank(size_t operation,
                                          std::vector<GroupMember>& members) const {
  const uint32_t first = all_.first[operation];
  std::vector<std::pair<uint32_t, uint32_t>> order;  // Rank in the world, index.
  for (uint32_t i = 0; i < members.size(); ++i) {
    order.emplace_back(run_.locations[all_.location[first + i]].rank, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<GroupMember> sorted;
  const trace::Location& location = run_.locations[all_.location[first]];
  std::vector<bool> taken(members.size());
  for (uint32_t peer = 0; sorted.size() < members.size(); ++peer) {
    const trace::Rank rank = ranks_.resolve(all_.comm[operation], peer, location);
    if (!rank.valid()) break;
    const auto at =
        std::lower_bound(order.begin(), order.end(), std::pair<uint32_t, uint32_t>(rank, 0));
    if (at == order.end() || at->first != rank || taken[at->second]) continue;
    taken[at->second] = true;
    sorted.push_back(members[at->second]);
  }
  if (sorted.size() == members.size()) members.swap(sorted);
}

}  // namespace pathline::comm
