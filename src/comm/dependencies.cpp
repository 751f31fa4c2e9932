// SPDX-License-Identifier: BSD-3-Clause
#include "comm/dependencies.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>

#include "comm/dependency_part.hpp"
#include "trace/ranks.hpp"

namespace pathline::comm {
namespace {

void add_message(const trace::Messages& messages, size_t i, const MpiCalls& calls,
                 CallFinder& finder, CallFinder& post_finder, DependencyPart& part) {
  const uint32_t sender = calls.lane_at(messages.send_location[i]);
  const uint32_t receiver = calls.lane_at(messages.recv_location[i]);
  const uint32_t receive =
      receiver == kNoLane ? kNoCall : finder.ended_at(receiver, messages.recv_ticks[i]);
  const uint32_t send =
      sender == kNoLane ? kNoCall : finder.begun_at(sender, messages.send_ticks[i]);
  if (receive == kNoCall || send == kNoCall) {
    ++part.messages_without_call;
    return;
  }
  part.add(receive, send, WaitKind::kLateSender, messages.recv_ticks[i]);

  const bool blocks = calls.is(send, kSends);
  const uint64_t free_ticks = messages.send_end_ticks[i];
  if (!blocks && free_ticks == messages.send_ticks[i]) return;  // Never completed.
  const uint32_t done = blocks ? send : post_finder.ended_at(sender, free_ticks);
  if (done == kNoCall || calls.is(done, kReceives)) return;
  const uint32_t post = post_finder.begun_at(receiver, messages.recv_post_ticks[i]);
  if (post == kNoCall) return;
  // A send of a small message ends whether or not somebody wants it. That one had to wait is seen
  // only by when it ended.
  const uint64_t posted_ticks = calls.begin_ticks[post];
  const uint64_t end_ticks = blocks ? calls.end_ticks[done] : free_ticks;
  const bool observed = posted_ticks > calls.begin_ticks[done] && posted_ticks < end_ticks;
  if (observed || calls.is(send, kSynchronous)) {
    part.add(done, post, WaitKind::kLateReceiver, end_ticks);
  }
}

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

class CollectiveDependencies {
 public:
  CollectiveDependencies(const trace::Trace& trace, const MpiCalls& calls)
      : trace_(trace), calls_(calls), ranks_(trace) {}

  void add(size_t operation, CallFinder& finder, DependencyPart& part) const {
    const trace::Collectives& all = trace_.collectives;
    const uint8_t number = all.operation[operation];
    std::vector<GroupMember> members;
    members.reserve(all.first[operation + 1] - all.first[operation]);
    uint32_t root = kNoCall;  // Its index.
    for (uint32_t row = all.first[operation]; row < all.first[operation + 1]; ++row) {
      const trace::Rank rank = trace_.locations[all.location[row]].rank;
      if (rank.valid() && rank == trace::Rank(all.root[operation])) {
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
      part.add_group(WaitKind::kFinalize, all.comm[operation], members);
    } else if (number == 0 || is_all_to_all(number)) {
      part.add_group(number == 0 ? WaitKind::kBarrier : WaitKind::kCollective, all.comm[operation],
                     members);
    } else if (is_scan(number)) {
      sort_by_rank(operation, members);
      part.add_group(WaitKind::kEarlyScan, all.comm[operation], members);
    } else if (root != kNoCall && is_from_root(number)) {
      for (const GroupMember& one : members) {
        part.add(one.end_call, members[root].begin_call, WaitKind::kLateBroadcast, one.end_ticks);
      }
    } else if (root != kNoCall && is_to_root(number)) {
      for (const GroupMember& one : members) {
        part.add(members[root].end_call, one.begin_call, WaitKind::kEarlyReduce,
                 members[root].end_ticks);
      }
    }
  }

 private:
  [[nodiscard]] GroupMember member_of(uint32_t row, CallFinder& finder) const {
    const trace::Collectives& all = trace_.collectives;
    const uint32_t lane = calls_.lane_at(all.location[row]);
    if (lane == kNoLane) return {kNoCall, kNoCall, all.end_ticks[row]};
    return {finder.begun_at(lane, all.begin_ticks[row]), finder.ended_at(lane, all.end_ticks[row]),
            all.end_ticks[row]};
  }

  /// From the order of locations to that of the ranks in the communicator.
  void sort_by_rank(size_t operation, std::vector<GroupMember>& members) const {
    const trace::Collectives& all = trace_.collectives;
    const uint32_t first = all.first[operation];
    std::vector<std::pair<uint32_t, uint32_t>> order;  // Rank in the world, index.
    for (uint32_t i = 0; i < members.size(); ++i) {
      order.emplace_back(trace_.locations[all.location[first + i]].rank, i);
    }
    std::sort(order.begin(), order.end());
    std::vector<GroupMember> sorted;
    const trace::Location& location = trace_.locations[all.location[first]];
    std::vector<bool> taken(members.size());
    for (uint32_t peer = 0; sorted.size() < members.size(); ++peer) {
      const trace::Rank rank = ranks_.resolve(all.comm[operation], peer, location);
      if (!rank.valid()) break;
      const auto at =
          std::lower_bound(order.begin(), order.end(), std::pair<uint32_t, uint32_t>(rank, 0));
      if (at == order.end() || at->first != rank || taken[at->second]) continue;
      taken[at->second] = true;
      sorted.push_back(members[at->second]);
    }
    if (sorted.size() == members.size()) members.swap(sorted);
  }

  const trace::Trace& trace_;
  const MpiCalls& calls_;
  const trace::CommunicatorRanks ranks_;
};

/// MPI_Finalize of all ranks, unless its recorder knows it as a collective operation.
void add_finalize(const MpiCalls& calls, const std::vector<DependencyPart>& parts, uint32_t set,
                  DependencyPart& part) {
  for (const DependencyPart& other : parts) {
    for (const WaitKind kind : other.group_kind) {
      if (kind == WaitKind::kFinalize) return;
    }
  }
  std::vector<GroupMember> members;
  for (size_t lane = 0; lane < calls.lanes.size(); ++lane) {
    for (uint32_t call = calls.first[lane + 1]; call-- > calls.first[lane];) {
      if (!calls.is(call, kFinalizes)) continue;
      members.push_back({call, call, calls.end_ticks[call]});
      break;
    }
  }
  part.add_group(WaitKind::kFinalize, set, members);
}

/// Puts the parts together, in their order.
void join(const std::vector<DependencyPart>& parts, Dependencies& result) {
  const size_t call_count = result.calls.size();
  std::vector<uint32_t> count(call_count + 1, 0);
  size_t total = 0;
  for (const DependencyPart& part : parts) {
    for (const DependencyEntry& entry : part.entries) ++count[entry.call];
    total += part.entries.size();
    result.messages_without_call += part.messages_without_call;
  }
  if (total >= UINT32_MAX) throw std::length_error("more than 4 billion dependencies");
  result.first.resize(call_count + 1);
  uint32_t sum = 0;
  for (size_t call = 0; call <= call_count; ++call) {
    result.first[call] = sum;
    sum += std::exchange(count[call], sum);
  }
  result.target.resize(total);
  result.target_kind.resize(total);
  result.role.resize(total);
  for (const DependencyPart& part : parts) {
    const auto first_member = static_cast<uint32_t>(result.member.size());
    for (const DependencyEntry& entry : part.entries) {
      const uint32_t at = count[entry.call]++;
      result.target[at] = is_group(entry.kind) ? first_member + entry.target : entry.target;
      result.target_kind[at] = entry.kind;
      result.role[at] = entry.role;
    }
    for (size_t i = 0, row = 0; i < part.group_size.size(); ++i) {
      result.group_first.push_back(static_cast<uint32_t>(result.member.size()));
      for (uint32_t k = 0; k < part.group_size[i]; ++k) {
        result.group.push_back(static_cast<uint32_t>(result.group_kind.size()));
        result.member.push_back(part.member[row++]);
      }
      result.group_kind.push_back(part.group_kind[i]);
      result.group_set.push_back(part.group_set[i]);
    }
  }
  result.group_first.push_back(static_cast<uint32_t>(result.member.size()));
}

/// Of two calls the one that began later; of equally late ones that of the lower lane.
uint32_t later(const MpiCalls& calls, uint32_t a, uint32_t b) {
  if (a == kNoCall || b == kNoCall) return a == kNoCall ? b : a;
  const uint64_t a_ticks = calls.begin_ticks[a];
  const uint64_t b_ticks = calls.begin_ticks[b];
  if (a_ticks != b_ticks) return a_ticks > b_ticks ? a : b;
  return std::min(a, b);  // Calls are numbered lane by lane.
}

/// Per member row of a scan, the latest of the rows up to it; of other groups, of all.
base::Column<uint32_t> find_latest(Dependencies& all, base::ThreadPool& pool) {
  base::Column<uint32_t> latest(all.member.size());
  const size_t groups = all.group_kind.size();
  all.group_latest.resize(groups);
  constexpr size_t kPiece = 1U << 12U;
  pool.for_each((groups + kPiece - 1) / kPiece, [&](size_t piece) {
    for (size_t g = piece * kPiece; g < std::min(groups, (piece + 1) * kPiece); ++g) {
      uint32_t found = kNoCall;
      for (uint32_t row = all.group_first[g]; row < all.group_first[g + 1]; ++row) {
        found = later(all.calls, found, all.member[row]);
        latest[row] = found;
      }
      all.group_latest[g] = found;
      if (all.group_kind[g] == WaitKind::kEarlyScan) continue;
      for (uint32_t row = all.group_first[g]; row < all.group_first[g + 1]; ++row) {
        latest[row] = found;
      }
    }
  });
  return latest;
}

/// Finds the dependencies whose target began after the call was done with them.
void find_early(const std::vector<DependencyPart>& parts, const base::Column<uint32_t>& latest,
                Dependencies& all) {
  std::vector<uint32_t> at(all.calls.size());
  std::copy(all.first.begin(), all.first.end() - 1, at.begin());
  for (const DependencyPart& part : parts) {
    for (const DependencyEntry& entry : part.entries) {
      const uint32_t i = at[entry.call]++;
      if ((entry.role & kWaits) == 0) continue;
      const uint32_t target = is_group(entry.kind) ? latest[all.target[i]] : all.target[i];
      if (target == kNoCall || target == entry.call) continue;
      const uint64_t begin = all.calls.begin_ticks[target];
      if (begin <= entry.end_ticks) continue;
      all.early.push_back({i, begin - entry.end_ticks});
      ++all.violations;
      all.max_violation_ticks = std::max(all.max_violation_ticks, begin - entry.end_ticks);
    }
  }
  std::sort(all.early.begin(), all.early.end(),
            [](const Dependencies::Early& a, const Dependencies::Early& b) {
              return a.dependency < b.dependency;
            });
}

void choose(const base::Column<uint32_t>& latest, uint32_t call, Dependencies& all) {
  WaitKind kind = kNoWait;
  uint32_t cause = kNoCall;
  uint64_t dep_ticks = 0;
  for (uint32_t i = all.first[call]; i < all.first[call + 1]; ++i) {
    if ((all.role[i] & kWaits) == 0) continue;
    const uint32_t target = is_group(all.target_kind[i]) ? latest[all.target[i]] : all.target[i];
    if (target == kNoCall || target == call) continue;
    const uint64_t ticks = all.calls.begin_ticks[target] - all.early_ticks(i);
    if (ticks < dep_ticks || (ticks == dep_ticks && target >= cause)) continue;
    dep_ticks = ticks;
    cause = target;
    kind = all.calls.is(call, kPolls) ? WaitKind::kPolling : all.target_kind[i];
  }
  all.kind[call] = kind;
  all.cause[call] = cause;
  all.dep_ticks[call] = dep_ticks;
}

std::vector<Dependencies::WrongOrder> wrong_order_of(const Dependencies& all, size_t lane) {
  std::vector<Dependencies::WrongOrder> found;
  uint64_t first_sent = UINT64_MAX;  // Of all that later calls received.
  for (uint32_t call = all.calls.first[lane + 1]; call-- > all.calls.first[lane];) {
    if (!all.calls.is(call, kReceives)) continue;
    if (all.kind[call] == WaitKind::kLateSender) {
      const uint64_t from = std::max(first_sent, all.calls.begin_ticks[call]);
      if (from < all.dep_ticks[call]) found.push_back({call, from});
    }
    if (all.calls.is(call, kPolls)) continue;
    for (uint32_t i = all.first[call]; i < all.first[call + 1]; ++i) {
      if (all.target_kind[i] != WaitKind::kLateSender) continue;
      first_sent = std::min(first_sent, all.calls.begin_ticks[all.target[i]]);
    }
  }
  std::reverse(found.begin(), found.end());
  return found;
}

/// The latest dependency of each call, and what came in the wrong order.
void choose_all(const base::Column<uint32_t>& latest, Dependencies& all, base::ThreadPool& pool) {
  all.kind.resize(all.calls.size());
  all.cause.resize(all.calls.size());
  all.dep_ticks.resize(all.calls.size());
  std::vector<std::vector<Dependencies::WrongOrder>> wrong(all.calls.lanes.size());
  pool.for_each(all.calls.lanes.size(), [&](size_t lane) {
    for (uint32_t call = all.calls.first[lane]; call < all.calls.first[lane + 1]; ++call) {
      choose(latest, call, all);
    }
    wrong[lane] = wrong_order_of(all, lane);
  });
  for (const auto& of_lane : wrong) {
    all.wrong_order.insert(all.wrong_order.end(), of_lane.begin(), of_lane.end());
  }
}

std::vector<DependencyPart> parts_of(const trace::Trace& trace, const MpiCalls& calls,
                                     base::ThreadPool& pool) {
  constexpr size_t kPiece = 1U << 16U;
  const size_t message_pieces = trace.messages.size() / kPiece + 1;
  const size_t operation_pieces = trace.collectives.size() / kPiece + 1;
  const size_t pieces = message_pieces + operation_pieces;
  std::vector<DependencyPart> parts(pieces + 1);
  const CollectiveDependencies collectives(trace, calls);
  pool.for_each(pieces, [&](size_t piece) {
    const bool of_messages = piece < message_pieces;
    const size_t begin = (of_messages ? piece : piece - message_pieces) * kPiece;
    const size_t count = of_messages ? trace.messages.size() : trace.collectives.size();
    CallFinder finder(calls);
    CallFinder post_finder(calls);
    for (size_t i = begin; i < std::min(begin + kPiece, count); ++i) {
      if (of_messages) add_message(trace.messages, i, calls, finder, post_finder, parts[piece]);
      if (!of_messages) collectives.add(i, finder, parts[piece]);
    }
  });
  // Few, and each window's calls belong together.
  auto set = static_cast<uint32_t>(trace.definitions.communicators.size());
  set += add_rma(trace, calls, set, parts[pieces]);
  add_finalize(calls, parts, set, parts[pieces]);
  return parts;
}

}  // namespace

std::string_view wait_name(WaitKind kind) {
  constexpr std::array<std::string_view, kWaitKindCount> kNames = {
      "late_sender",   "late_receiver", "collective", "barrier",     "late_broadcast",
      "early_reduce",  "finalize",      "fence",      "early_scan",  "late_post",
      "late_complete", "lock",          "polling",    "wrong_order", "omp_barrier"};
  return kNames[static_cast<size_t>(kind)];
}

Dependencies dependencies(const trace::Trace& trace, base::ThreadPool& pool) {
  Dependencies result;
  result.calls = mpi_calls(trace, pool);
  {
    const std::vector<DependencyPart> parts = parts_of(trace, result.calls, pool);
    join(parts, result);
    const base::Column<uint32_t> latest = find_latest(result, pool);
    find_early(parts, latest, result);
    choose_all(latest, result, pool);
  }
  result.omp_barriers = omp_barriers(trace, pool);
  return result;
}

}  // namespace pathline::comm
