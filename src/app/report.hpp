// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/efficiency.hpp"
#include "app/findings.hpp"
#include "app/run_facts.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "comm/summary.hpp"
#include "summary/run_summary.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// What a report is about: a trace, which may be of a part of the run, or the tables of a summary.
struct ReportedRun {
  const trace::Trace& trace;                    ///< Of a summary without events.
  const summary::RunSummary* tables = nullptr;  ///< Of a summary, whose run is `trace`.
  std::filesystem::path file = {};              ///< The same.
  const comm::Summary* facts = nullptr;         ///< Of the run, if `trace` is of a part.
  const trace::Trace* judged = nullptr;         ///< What findings are of, if not of `trace`.
  /// Of more of the run than the findings, which are of a part.
  const EfficiencyReport* efficiency = nullptr;
};

/// One HTML page without anything outside itself: command and outcome, facts, where the time went,
/// findings, warnings, timeline, profile, ranks, waiting, matrix and time steps, each only if there
/// is any; pictures in a light and a dark version, the reader's system chooses; tables that sort by
/// a click.
///
/// name      what the page is about, usually the run's folder.
/// facts     of the run; nullopt if nobody knows.
/// findings  of the whole run, or of the time of `selection`; nullopt for what cannot be judged, as
///           without MPI.
base::Result<std::string> report_html(const ReportedRun& run, const trace::Selection& selection,
                                      const std::string& name, const std::optional<RunFacts>& facts,
                                      const std::optional<FindingsReport>& findings,
                                      base::ThreadPool& pool);

}  // namespace pathline::app
