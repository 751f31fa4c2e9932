// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "input/input.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// input::open for every command: a run directory that is not finished is finished first. Where
/// that cannot be, its raw files are read as they are. `notes` get a line about it.
base::Result<input::Input> open_input(const std::filesystem::path& path,
                                      const input::OpenOptions& options, base::ThreadPool& pool,
                                      base::Progress& progress, std::vector<std::string>& notes);

/// What to do where the archive of a summary is not found.
inline constexpr const char* kWhereEventsAre =
    "It is looked for from where the summary is: move both together, or make the summary again "
    "where the run is now.";

/// The events of a run that was summarised, from where they were; `notes` get a line that says so.
///
/// path     of the summary
/// errors   kNotFound if they are not there any more, kInvalidArgument if another run is there;
///          those of reading it.
base::Result<trace::Trace> open_events(const std::filesystem::path& path,
                                       const summary::RunSummary& summary,
                                       const input::OpenOptions& options, base::ThreadPool& pool,
                                       base::Progress& progress, std::vector<std::string>& notes);

/// open_input() for questions about events; of a summary open_events().
/// errors  those of input::need_trace().
base::Result<trace::Trace> open_run(const std::filesystem::path& path,
                                    const input::OpenOptions& options, base::ThreadPool& pool,
                                    base::Progress& progress, std::vector<std::string>& notes);

}  // namespace pathline::app
