// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/progress.hpp"
#include "base/thread_pool.hpp"
#include "trace/trace.hpp"

namespace pathline::trace {

/// The last step of every reader: numbers the ranks, finds the time range, matches messages and
/// collective operations, and writes down in `warnings` what a user should know. The definitions
/// must be finished and the locations filled. Messages that are there already (a source that knows
/// only messages) stay as they are, and so does the start of their run.
void finish(Trace& trace, base::ThreadPool& pool, base::Progress& progress);

}  // namespace pathline::trace
