// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/efficiency.hpp"
#include "app/known_archive.hpp"
#include "app/step_findings.hpp"
#include "app/wait_rows.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "findings/critical_path.hpp"
#include "findings/efficiency.hpp"
#include "findings/model.hpp"
#include "summary/run_summary.hpp"
#include "trace/select.hpp"

// What is concluded from all events of a run that is larger than memory: its archive is read one
// part of its time after the other, and the answer is that of the whole to the last digit.
namespace pathline::app {

/// A run, and how it is cut.
struct RunInParts {
  KnownArchive archive;
  findings::Window window{0, 0};      ///< What is judged of it.
  uint64_t events_of_part = 0;        ///< About.
  uint64_t most_events = UINT64_MAX;  ///< Of a part that cannot be cut further.
};

/// path     of the summary.
/// returns  nullopt where the run fits into memory, or can only be understood as a whole: with
///          one-sided communication, nonblocking collective operations, samples, recording that
///          is switched, requests that are cancelled, several threads of a rank, polls of which
///          is known what was done between them; and where no parts can be read at all.
/// errors   kInvalidArgument for a focus in which nothing lies; those of reading the summary.
base::Result<std::optional<RunInParts>> run_in_parts(const std::filesystem::path& path,
                                                     const summary::RunSummary& summary,
                                                     const FindingsRequest& request);

/// As find_efficiency().
///
/// returns  nullopt where calls wait for what comes too far behind them, and where ranks end MPI
///          without waiting for each other.
/// errors   those of waits_of_part().
/// cost     O(events), those around the border of two parts twice or more.
base::Result<std::optional<findings::GrowingEfficiency::Found>> efficiency_in_parts(
    const RunInParts& run, const summary::RunSummary& summary, base::ThreadPool& pool,
    base::Progress& progress);

/// As find_critical_path(); returns, errors and cost as above.
base::Result<std::optional<findings::GrowingCriticalPath::Found>> critical_path_in_parts(
    const RunInParts& run, const summary::RunSummary& summary, base::ThreadPool& pool,
    base::Progress& progress);

/// As find_step_findings(); returns and errors as above, nullopt also where the number of a step
/// comes again in a later part.
///
/// cost  all is read twice.
base::Result<std::optional<StepFindings>> step_findings_in_parts(const RunInParts& run,
                                                                 const summary::RunSummary& summary,
                                                                 base::ThreadPool& pool,
                                                                 base::Progress& progress);

/// All of these.
struct JudgedInParts {
  findings::GrowingEfficiency::Found efficiency;
  findings::GrowingCriticalPath::Found critical;
  StepFindings steps;
};
/// returns, errors  as above. cost  all is read twice.
base::Result<std::optional<JudgedInParts>> judge_all_in_parts(const RunInParts& run,
                                                              const summary::RunSummary& summary,
                                                              base::ThreadPool& pool,
                                                              base::Progress& progress);

/// As waits_by_call_path() of chosen ranks, and the time of `run`; returns, errors and cost as
/// above.
base::Result<std::optional<std::vector<PathWaits>>> waits_by_call_path_in_parts(
    const RunInParts& run, const summary::RunSummary& summary, const trace::Selection& selection,
    base::ThreadPool& pool, base::Progress& progress);

/// As wait_causes(), otherwise as above.
///
/// returns  nullopt also where clocks disagree, parts contradict each other, or too much has to be
///          kept of them (findings::GrowingDelayCosts::add()).
/// cost     all is read twice, with more than 255 call paths three times.
base::Result<std::optional<std::vector<WaitCause>>> wait_causes_in_parts(
    const RunInParts& run, const summary::RunSummary& summary, const trace::Selection& selection,
    base::ThreadPool& pool, base::Progress& progress);

/// Both, as wait_rows(). returns, errors, cost  as of wait_causes_in_parts().
base::Result<std::optional<WaitRows>> wait_rows_in_parts(const RunInParts& run,
                                                         const summary::RunSummary& summary,
                                                         const trace::Selection& selection,
                                                         base::ThreadPool& pool,
                                                         base::Progress& progress);

}  // namespace pathline::app
