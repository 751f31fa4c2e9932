// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/thread_pool.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

enum class WaitKind : uint8_t {
  kLateSender,
  kLateReceiver,
  kCollective,
  kBarrier,
  kLateBroadcast,
  kEarlyReduce
};
inline constexpr size_t kWaitKindCount = 6;

/// "late_sender", "late_receiver", "collective", "barrier", "late_broadcast", "early_reduce".
std::string_view wait_name(WaitKind kind);

struct WaitRow {
  WaitKind kind;
  uint32_t rank;
  uint64_t count;  ///< Calls in which the rank waited.
  uint64_t ticks;
  friend bool operator==(const WaitRow&, const WaitRow&) = default;
};

struct Waits {
  std::vector<WaitRow> rows;  ///< By kind, then rank; what never happened has no row.
  /// Messages that were received outside every recorded call of MPI: nobody knows whether their
  /// receiver waited.
  uint64_t messages_without_call = 0;
};

/// Time that ranks spend in MPI only because another rank is late: the wait states of Wolf & Mohr
/// (J. Syst. Archit. 49, 2003) as Scalasca counts them (Geimer et al., CCPE 22, 2010; property
/// documentation of Scalasca 2).
///
/// Late sender    from the enter of the call that completed a receive (MPI_Recv, MPI_Wait ...) to
///                the enter of the call that sent the message, at most to the end of the receive.
/// Late receiver  from the enter of a blocking send to the enter of the call that posted the
///                receive, if that happened during the send. A call that also completes a receive
///                (MPI_Sendrecv) waits for that: it is never charged here.
/// Collective     in an operation of all with all (allgather, alltoall, allreduce, reduce-scatter
///                and their kin): until the last recorded member entered it.
/// Barrier        the same in a barrier. A member of a nonblocking operation waits from the enter
///                of the call that completed it.
///
/// Late broadcast in a broadcast or scatter, all but the root: until the root entered it.
/// Early reduce   in a reduce or gather, the root: until the last recorded member entered it.
///
/// One call (MPI_Waitall) that waited for several partners waited once, for the last of them, so
/// that no kind holds more time than the calls took. A wait that a border of the time range cuts
/// counts with the time inside; it is counted where it began. Ranks are those that waited.
///
/// cost  O(events + messages log calls), parallel; independent of the thread count.
Waits waits(const trace::Trace& trace, const trace::Selection& selection, base::ThreadPool& pool);

}  // namespace pathline::comm
