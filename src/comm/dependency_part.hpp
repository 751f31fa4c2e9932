// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/dependencies.hpp"

namespace pathline::comm {

/// One dependency on its way into the columns of Dependencies.
struct DependencyEntry {
  /// When its target began, at most when the call was done with it. Of a group the latter: what the
  /// call waits for is known when all members are.
  uint64_t ticks;
  uint32_t call;
  uint32_t target;  ///< Of a group: its member row in this part.
  WaitKind kind;
  uint8_t role;
};

/// A member of an operation.
struct GroupMember {
  uint32_t begin_call;  ///< By which it takes part.
  uint32_t end_call;    ///< In which it is done; the same unless it is nonblocking.
  uint64_t end_ticks;
};

/// What one piece of a trace contributes to its dependencies.
struct DependencyPart {
  base::Column<DependencyEntry> entries;
  base::Column<uint32_t> member;
  base::Column<uint32_t> group_size;
  base::Column<WaitKind> group_kind;
  base::Column<uint32_t> group_set;
  uint64_t messages_without_call = 0;

  struct Early {
    size_t entry;
    uint64_t ticks;
  };
  std::vector<Early> early;  ///< Entries whose target began that much later than they say.

  /// end_ticks  when the call was done with it.
  void add(const MpiCalls& calls, uint32_t call, uint32_t target, WaitKind kind,
           uint64_t end_ticks) {
    if (call == kNoCall || target == kNoCall || call == target) return;
    const uint64_t begin_ticks = calls.begin_ticks[target];
    if (begin_ticks > end_ticks) early.push_back({entries.size(), begin_ticks - end_ticks});
    entries.push_back({std::min(begin_ticks, end_ticks), call, target, kind, kWaits});
  }
  /// MPI_Finalize of all ranks.
  void add_finalize(const MpiCalls& calls, uint32_t set) {
    std::vector<GroupMember> members;
    for (size_t lane = 0; lane < calls.lanes.size(); ++lane) {
      for (uint32_t call = calls.first[lane + 1]; call-- > calls.first[lane];) {
        if (!calls.is(call, kFinalizes)) continue;
        members.push_back({call, call, calls.end_ticks[call]});
        break;
      }
    }
    add_group(WaitKind::kFinalize, set, members);
  }
  /// Operation in which all wait for all, of at least two members.
  void add_group(WaitKind kind, uint32_t set, std::span<const GroupMember> members) {
    if (members.size() < 2) return;
    for (const GroupMember& one : members) {
      const auto row = static_cast<uint32_t>(member.size());
      member.push_back(one.begin_call);
      const bool blocks = one.begin_call == one.end_call;
      const auto role = static_cast<uint8_t>(blocks ? kWaits | kArrives : kWaits);
      if (one.end_call != kNoCall) {
        entries.push_back({one.end_ticks, one.end_call, row, kind, role});
      }
      if (!blocks && one.begin_call != kNoCall) {
        entries.push_back({UINT64_MAX, one.begin_call, row, kind, kArrives});
      }
    }
    group_size.push_back(static_cast<uint32_t>(members.size()));
    group_kind.push_back(kind);
    group_set.push_back(set);
  }
};

/// Whether a send that was complete at `end_ticks`, in a call that began at `begin_ticks`, had to
/// wait until its receive was posted. A send of a small message ends whether or not somebody wants
/// it: that one had to wait is seen only by when it ended.
inline bool waits_for_receiver(uint64_t begin_ticks, uint64_t posted_ticks, uint64_t end_ticks) {
  return posted_ticks > begin_ticks && posted_ticks < end_ticks;
}

/// When and where a message was sent and received, as in trace::Messages.
struct MessageTimes {
  uint64_t send_ticks;
  uint64_t send_end_ticks;
  uint64_t recv_post_ticks;
  uint64_t recv_ticks;
  uint32_t send_location;
  uint32_t recv_location;
};
inline MessageTimes times_of(const trace::Messages& messages, size_t i) {
  return {messages.send_ticks[i], messages.send_end_ticks[i], messages.recv_post_ticks[i],
          messages.recv_ticks[i], messages.send_location[i],  messages.recv_location[i]};
}

/// A message: its receiver's call may wait for the sender's, and the other way round. The calls
/// are those of the trace, or all that the message touches.
void add_message(const MessageTimes& message, const MpiCalls& calls, CallFinder& finder,
                 CallFinder& post_finder, DependencyPart& part);

/// Fences, windows made and freed, post/start/complete/wait and locks. `first_set`: a number of
/// group sets that is free, like all behind it. returns  how many it has used.
uint32_t add_rma(const trace::Trace& trace, const MpiCalls& calls, uint32_t first_set,
                 DependencyPart& part);

}  // namespace pathline::comm
