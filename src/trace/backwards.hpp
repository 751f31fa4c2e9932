// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/thread_pool.hpp"
#include "trace/trace.hpp"

namespace pathline::trace {

/// Messages that were received before being sent, as far as it seems.
struct Backwards {
  /// The clocks of the two sides do not agree; by how much at most.
  uint64_t of_clocks = 0;
  uint64_t worst_ticks = 0;
  /// Of a pair, communicator and tag that several threads of one side share: nobody recorded which
  /// message is which.
  uint64_t of_threads = 0;
  /// Between programs of which one spawned the other, or that met at a port: where several did so
  /// at the same time, only the time told who talks to whom.
  uint64_t of_worlds = 0;

  /// Those of other messages.
  void add(const Backwards& others) {
    of_clocks += others.of_clocks;
    worst_ticks = std::max(worst_ticks, others.worst_ticks);
    of_threads += others.of_threads;
    of_worlds += others.of_worlds;
  }
};

/// cost  one pass over the messages, in parallel, a second one if there are any.
Backwards find_backwards(const Messages& messages, const Definitions& definitions,
                         base::ThreadPool& pool);

}  // namespace pathline::trace
