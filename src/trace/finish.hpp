// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/progress.hpp"
#include "base/thread_pool.hpp"
#include "trace/backwards.hpp"
#include "trace/trace.hpp"

namespace pathline::trace {

/// The last step of every reader: numbers the ranks, finds the time range, matches messages and
/// collective operations, and writes down in `warnings` what a user should know. The definitions
/// must be finished and the locations filled. Messages that are there already (a source that knows
/// only messages) stay as they are, and so does the start of their run.
///
/// wanted  what there is to be of messages (match.hpp).
void finish(Trace& trace, base::ThreadPool& pool, base::Progress& progress,
            WantedMessages wanted = WantedMessages::kList);

/// Ends of messages without a partner: how many, and which is the first, by location, time, and at
/// one time by what stands in them.
struct Unpaired {
  uint64_t count = 0;
  uint32_t location = 0;
  uint64_t ticks = 0;
  EventKind kind = EventKind::kMpiSend;
  PointToPoint point{};
  Rank peer;

  /// `list` is of `trace`, or of a part of it.
  void add(const Trace& trace, const std::vector<Unmatched>& list);
  /// Those of other events of the same run.
  void add(const Unpaired& others);
};

/// What is odd about the events of a run.
struct Oddities {
  uint64_t misplaced_leaves = 0;
  uint64_t earlier_calls = 0;         ///< That had begun before the first event.
  uint64_t open_calls = 0;            ///< That have no end.
  uint64_t miscounted_locations = 0;  ///< Of which the definition gives another number of events.
  Unpaired sends;
  Unpaired receives;
  Backwards backwards;

  /// Those of other events of the same run.
  void add(const Oddities& others);
};

/// Writes into `warnings` what a user should know: oddities, and what the definitions and the
/// numbers of unknown records tell.
void add_warnings(const Oddities& odd, Trace& trace);

}  // namespace pathline::trace
