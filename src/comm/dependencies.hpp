// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/column.hpp"
#include "base/thread_pool.hpp"
#include "comm/mpi_calls.hpp"
#include "comm/omp_barriers.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

/// Why somebody waits. In brackets: what he waits for.
enum class WaitKind : uint8_t {
  kLateSender,     ///< A receive (enter of the call that sent the message).
  kLateReceiver,   ///< A send that waits for its receiver (enter of the call that posted the
                   ///< receive).
  kCollective,     ///< Operation of all with all (latest enter of all members).
  kBarrier,        ///< The same.
  kLateBroadcast,  ///< Broadcast, scatter, but not at the root (the root's enter).
  kEarlyReduce,    ///< Reduce, gather at the root (latest enter of all members).
  kFinalize,       ///< MPI_Finalize (latest enter of all ranks).
  kFence,          ///< Fence, window made or freed (latest enter of all members).
  kEarlyScan,      ///< Scan (latest enter of the ranks before and its own).
  kLatePost,  ///< MPI_Win_start, put or MPI_Win_complete (enter of the MPI_Win_post of a target).
  kLateComplete,  ///< MPI_Win_wait (latest enter of MPI_Win_complete of the origins).
  kLock,          ///< MPI_Win_lock, MPI_Win_unlock (enter of the unlock of the holder before).
  kPolling,       ///< One of those above that a loop of MPI_Test or MPI_Iprobe looked for.
  kWrongOrder,    ///< The part of a late sender in which another message was at hand.
  kOmpBarrier,    ///< A barrier of OpenMP (enter of the last thread of the team).
};
inline constexpr size_t kWaitKindCount = 15;
inline constexpr auto kNoWait = static_cast<WaitKind>(UINT8_MAX);

/// "late_sender", "late_receiver", "collective", "barrier", "late_broadcast", "early_reduce",
/// "finalize", "fence", "early_scan", "late_post", "late_complete", "lock", "polling",
/// "wrong_order", "omp_barrier".
std::string_view wait_name(WaitKind kind);

/// Whether a kind is time in MPI of its own: not a part of another kind, and not of OpenMP.
inline bool is_mpi_wait(WaitKind kind) {
  return kind != WaitKind::kWrongOrder && kind != WaitKind::kOmpBarrier;
}

/// Whether all wait for all.
inline bool is_group(WaitKind kind) {
  return kind == WaitKind::kCollective || kind == WaitKind::kBarrier ||
         kind == WaitKind::kFinalize || kind == WaitKind::kFence || kind == WaitKind::kEarlyScan;
}

/// Bits of Dependency::role.
enum DependencyRole : uint8_t {
  kWaits = 1,    ///< The call ends no earlier than what it depends on.
  kArrives = 2,  ///< The call is what the other members of the group depend on.
};

struct Dependency {
  uint32_t target;  ///< A call, which this one waits for; of a group a row of Dependencies::member.
  WaitKind kind;
  uint8_t role;

  [[nodiscard]] bool waits() const { return (role & kWaits) != 0; }
  [[nodiscard]] bool arrives() const { return (role & kArrives) != 0; }
  /// Whether it is of a group: of all its members, in a scan of those up to its row.
  [[nodiscard]] bool of_group() const { return is_group(kind); }
};

/// What the calls of MPI of all lanes wait for: the one set that waits, replay, delay costs and the
/// critical path are made of (kinds after Wolf & Mohr, J. Syst. Archit. 49, 2003, and the property
/// documentation of Scalasca 2).
///
/// A call depends on the begin of other calls. Clocks disagree: where a call ended before something
/// it depends on began, the dependency counts as if it had come with the end; `early` says by how
/// much.
///
/// Polls that found nothing were calls in the middle of work: such a call begins later by what was
/// done between them (MpiCalls::poll_work), which so is time in front of it. Where polls received
/// what they looked for, or a wait ended, the program may have done something useful or have passed
/// the time until then: these are as they were recorded, and their `poll_work` stays, unless most
/// polls of the region give up in the end, which a program that only waits never does.
struct Dependencies {
  MpiCalls calls;

  // Per call, the latest of its dependencies; of equally late ones that of the lowest lane, of
  // those on the same call the first kind.
  base::Column<WaitKind> kind;       ///< kNoWait without a dependency.
  base::Column<uint32_t> cause;      ///< The call that came late; kNoCall without one.
  base::Column<uint64_t> dep_ticks;  ///< When that began, at most the end of this call; or 0.

  // All dependencies, those of a call one after the other.
  base::Column<uint32_t> first;  ///< Per call: its first; one entry more.
  base::Column<Dependency> list;

  // Members of groups, those of a group one after the other, in the order of locations, of a scan
  // in that of the ranks of its communicator.
  base::Column<uint32_t> member;       ///< The call by which it arrives; kNoCall: not recorded.
  base::Column<uint32_t> group;        ///< Per member row.
  base::Column<uint32_t> group_first;  ///< Per group; one entry more.
  base::Column<WaitKind> group_kind;
  base::Column<uint32_t> group_set;     ///< Groups with the same number have the same members.
  base::Column<uint32_t> group_latest;  ///< The member call that began last, the lowest lane's.

  struct Early {
    uint32_t dependency;
    uint64_t ticks;
  };
  std::vector<Early> early;  ///< By dependency.

  /// Parts of waits of kind late sender: from that tick until dep_ticks a message was at hand that
  /// a later call of the lane received. Ascending calls.
  struct WrongOrder {
    uint32_t call;
    uint64_t from_ticks;
  };
  std::vector<WrongOrder> wrong_order;

  OmpBarriers omp_barriers;

  uint64_t messages_without_call = 0;  ///< Sent or received outside every recorded call.
  uint64_t violations = 0;             ///< Dependencies that began after the call had ended.
  uint64_t max_violation_ticks = 0;

  /// Time of the call in which it waits for its latest dependency.
  [[nodiscard]] uint64_t wait_ticks(uint32_t call) const {
    const uint64_t begin = calls.begin_ticks[call];
    return dep_ticks[call] > begin ? dep_ticks[call] - begin : 0;
  }
  /// By how much dependency `i` counts earlier than its target began.
  [[nodiscard]] uint64_t early_ticks(uint32_t i) const {
    if (early.empty()) return 0;
    const auto at = std::lower_bound(early.begin(), early.end(), i,
                                     [](const Early& a, uint32_t b) { return a.dependency < b; });
    return at != early.end() && at->dependency == i ? at->ticks : 0;
  }
};

/// cost  O(events + messages log calls), parallel; independent of the thread count.
Dependencies dependencies(const trace::Trace& trace, base::ThreadPool& pool);

}  // namespace pathline::comm
