// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::trace {

/// A part of a run as a run of its own, for a writer: finish() has not been called.
struct Cut {
  Trace trace;
  uint64_t lost_sends = 0;         ///< Their receive is outside of the part.
  uint64_t lost_receives = 0;      ///< Their send is.
  uint64_t split_collectives = 0;  ///< Operations of which a chosen rank has its end outside.
  uint64_t reopened_calls = 0;     ///< Had begun before the part; each counts as a visit in it.
};

/// Cuts `selection` out of `trace`. Ticks, ids and the numbers of ranks stay what they are.
///
/// - Calls that are open where the part begins are entered there, with the number of their time
///   step; calls open where it ends are left there.
/// - Requests, collective and I/O operations that end in the part and began before it begin where
///   the part does, in their order. Those that end after it are left out; of a send that is not
///   complete yet, the send stays, unless it is cancelled later. What completes a send or RMA
///   operation from before is left out.
/// - Readers match the k-th send with the k-th receive of a communicator. So that half a message
///   does not shift all others, it has a communicator of its own with the same members, if its
///   partner is a chosen rank; likewise the members of a collective operation that not all chosen
///   ranks have ended inside.
/// - Other events stay if their time is inside, even if they end what began before (a lock, a team
///   of threads).
/// - Locations of other ranks stay without events, and all definitions.
///
/// left_out  by Region: calls to leave out, whose time falls to the caller; may be empty. Calling
///           contexts of samples stay.
/// cost      O(events of the chosen ranks), and matching their messages once more.
/// errors    none that `trace` did not have when it was read.
base::Result<Cut> cut(const Trace& trace, const Selection& selection,
                      const std::vector<bool>& left_out, base::ThreadPool& pool);

}  // namespace pathline::trace
