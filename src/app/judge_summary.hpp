// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/findings.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "summary/run_summary.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

struct JudgedSummary {
  FindingsReport findings;  ///< With the critical path.
  trace::Trace events;      ///< What they are of: all of the run, or a part of its time.
};

/// Findings of a run whose summary keeps none, from the events that it was made of: of all of it
/// up to 2^24 events, else, or where memory turns out to be too small for it, of middle_part().
///
/// notes   get a line that says what is read.
/// errors  kUnsupported for a run without MPI calls, kIo where its events are too many, those of
///         open_events() and read_part().
base::Result<JudgedSummary> judge_summary(const std::filesystem::path& path,
                                          const summary::RunSummary& summary,
                                          base::ThreadPool& pool, base::Progress& progress,
                                          std::vector<std::string>& notes);

}  // namespace pathline::app
