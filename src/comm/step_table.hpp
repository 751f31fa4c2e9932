// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/thread_pool.hpp"
#include "steps/table.hpp"
#include "trace/calls.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

/// Per rank the windows of its steps, in the order of time, as trace::marked_steps() gives them.
using StepWindows = std::vector<std::vector<trace::StepWindow>>;

/// The table of the steps that `windows` cut out of a run. A step inside another one belongs to
/// that. A message is sent in the step of its send and received in the step of the end of its
/// receive; bytes of I/O belong to the step in which their operation was complete. At an instant
/// that two steps share it is the later one. Only messages whose partner is known count.
///
/// selection  rows of these ranks whose step begins in this time; whole steps, nothing is cut.
/// cost       O(events + messages), parallel over ranks; independent of the thread count.
steps::Table step_table(const trace::Trace& trace, const StepWindows& windows,
                        const trace::Selection& selection, base::ThreadPool& pool);

}  // namespace pathline::comm
