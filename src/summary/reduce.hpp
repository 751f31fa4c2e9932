// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "exchange/exchange.hpp"
#include "otf2/reader.hpp"
#include "summary/run_summary.hpp"
#include "summary/windows.hpp"

namespace pathline::summary {

/// The tables of a trace in memory, which loses its events.
RunSummary reduce(trace::Trace trace, base::ThreadPool& pool);

/// Where codes of bins, rows of time steps and marks go that take more memory than that.
struct Scratch {
  std::filesystem::path folder;
  uint64_t memory_bytes;
};

/// The same of an archive in one pass over windows of time, of which one is in memory at a time:
/// equal tables for any size of the windows.
///
/// exchange  with the processes that share the work, of which rank 0 gets the tables and the others
///           one without anything. All get the same error.
/// scratch   the same tables with and without, of each process.
/// errors  kUnsupported, with what it is in `message`, for archives that are to be read as a whole:
///         calls that had begun before the first event, recording that was switched on, cancelled
///         requests whose begin is in another window; kCorrupt for damage; kIo for scratch files.
/// cost    one pass over the events; memory for a window, open ends and the tables.
base::Result<RunSummary> reduce(otf2::Archive archive, const WindowSize& size,
                                base::ThreadPool& pool, base::Progress& progress,
                                exchange::Exchange& exchange,
                                const std::optional<Scratch>& scratch = std::nullopt);

}  // namespace pathline::summary
