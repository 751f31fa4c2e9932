// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "summary/run_summary.hpp"
#include "trace/call_source.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// How a timeline will be looked at.
struct TimelineLook {
  double columns = 1;           ///< Pixels for the time of the selection.
  double lines = 0;             ///< Pixels for all rows; 0: none may be left out.
  bool trim = true;             ///< Leaves MPI_Init and MPI_Finalize out (figure::trim_of()).
  bool wants_messages = false;  ///< Where events are read back.
  uint64_t most_events = uint64_t{1} << 24U;  ///< In memory.
};

/// What the rows of a timeline of a summary are made of.
struct TimelineSource {
  /// Events that were read from the archive; without them `calls` has stretches.
  std::optional<trace::Trace> part;
  std::shared_ptr<const trace::CallSource> calls;  ///< For figure::Options and choose_rows().
  uint64_t bin_ticks = 0;                          ///< Of the bins; 0 for events.
  size_t rows_for_one = 1;                         ///< Of so many, events of one were read.
};

/// Bins where they are as narrow as a pixel and sharp, else the events in the archive if few are
/// seen, else those of some rows if a line of pixels has to show many, else the narrowest bins. The
/// remarks of `calls` say which of the last two it is (doc/scale.md).
///
/// file    of the summary, with states and a path to the archive.
/// run     that of `summary`, without events.
/// errors  kUnsupported for a summary without states; kNotFound, kCorrupt ... where a part needs
///         the archive; those of the file.
base::Result<TimelineSource> timeline_source(const std::filesystem::path& file,
                                             const summary::RunSummary& summary,
                                             const trace::Trace& run,
                                             const trace::Selection& selection, TimelineLook look,
                                             base::ThreadPool& pool);

/// "run.plsum is a summary" + why, and where its events are.
base::Error needs_archive(const std::filesystem::path& file, const summary::RunSummary& summary,
                          std::string_view why);

}  // namespace pathline::app
