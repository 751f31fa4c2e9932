// SPDX-License-Identifier: BSD-3-Clause
#include "app/judge_file.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/judge_in_parts.hpp"
#include "app/judged_part.hpp"
#include "app/judged_run.hpp"
#include "app/middle_part.hpp"
#include "input/input.hpp"
#include "summary/file.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;

/// Of the time that was chosen, else of a part in the middle, with a note; nullopt where not even a
/// part can be read alone.
base::Result<std::optional<FindingsReport>> findings_of_part(
    const fs::path& file, const summary::RunSummary& summary, FindingsRequest request,
    base::ThreadPool& pool, base::Progress& progress, std::vector<std::string>& notes) {
  using Report = std::optional<FindingsReport>;
  std::string note;
  if (request.focus != findings::Focus::kTime) {
    const auto middle = middle_part(file, summary);
    if (!middle) return middle.error();
    if (!middle.value()) return Report();
    const MiddlePart& part = *middle.value();
    request.focus = findings::Focus::kTime;
    request.from_s = part.from_s;
    request.until_s = part.until_s;
    note = fmt::format(
        "the run was larger than memory: its findings are of {}; all else is of the whole run",
        part.text());
    if (part.slower) note += "; " + part.slower_text;
  }
  const auto time = select_focus(summary.run, request);
  if (!time) return time.error();
  const auto events = read_part(file, summary, time.value(), PartNeeds::kFindings, pool, notes);
  if (!events) return events.error();
  if (!events.value()) return Report();
  request.critical_path = false;
  auto report = find_findings(*events.value(), input::events_of(summary, file).string(), request,
                              pool, progress);
  if (!report) return report.error();
  if (!note.empty()) {
    report.value().warnings.push_back(note);
    notes.push_back(std::move(note));
  }
  return Report(std::move(report).value());
}

EfficiencyTables tables_of(const trace::Trace& run, const findings::Window& window,
                           const findings::GrowingEfficiency::Found& found) {
  const auto by = [&](std::optional<EfficiencyBy> rows) {
    return efficiency_report(run, window, found.efficiency, found.useful, rows);
  };
  return {by({}), by(EfficiencyBy::kRegion).rows, by(EfficiencyBy::kHost).rows,
          by(EfficiencyBy::kStep).rows};
}

figure::CriticalPath stretches_of(const trace::Trace& run,
                                  const findings::GrowingCriticalPath::Found& critical) {
  figure::CriticalPath stretches;
  for (const findings::CriticalSegment& segment : critical.path.segments) {
    stretches.push_back({run.rank_location[critical.rank_of_lane[segment.lane]],
                         segment.begin_ticks, segment.end_ticks});
  }
  return stretches;
}

}  // namespace

base::Result<bool> judge_file_in_parts(const fs::path& file, const FindingsRequest& request,
                                       base::ThreadPool& pool, base::Progress& progress,
                                       std::vector<std::string>& notes) {
  const auto read = summary::read(file, summary::Parts::none());
  if (!read) return read.error();
  const summary::RunSummary& summary = read.value();
  auto parts = run_in_parts(file, summary, request);
  if (!parts) return parts.error();
  if (!parts.value()) return false;
  RunInParts& run = *parts.value();
  JudgedRun judged{.request = request};
  judged.request.critical_path = true;
  // First, as it needs most memory in one piece.
  std::vector<std::string> said;
  auto findings = findings_of_part(file, summary, request, pool, progress, said);
  if (!findings) return findings.error();
  if (!findings.value()) return false;
  judged.findings = std::move(*findings.value());
  const auto found = judge_all_in_parts(run, summary, pool, progress);
  if (!found) return found.error();
  if (!found.value()) return false;
  judged.efficiency = tables_of(summary.run, run.window, found.value()->efficiency);
  judged.critical = critical_report(summary.run, run.window, found.value()->critical);
  judged.steps = found.value()->steps;
  run.window = {summary.run.start_ticks, summary.run.end_ticks};
  auto waits = wait_rows_in_parts(run, summary, {}, pool, progress);
  if (!waits) return waits.error();
  if (!waits.value()) return false;
  judged.waits_by_path = std::move(waits.value()->by_path);
  judged.wait_causes = std::move(waits.value()->causes);
  judged.findings.stretches = stretches_of(summary.run, found.value()->critical);
  keep_most(judged);
  if (auto status = summary::add_judged(file, to_text(judged)); !status) return status.error();
  notes.insert(notes.end(), said.begin(), said.end());
  return true;
}

}  // namespace pathline::app
