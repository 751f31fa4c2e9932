// SPDX-License-Identifier: BSD-3-Clause
#include "app/known_answer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/judge_in_parts.hpp"
#include "app/judged_run.hpp"
#include "base/text.hpp"
#include "input/input.hpp"

namespace pathline::app {
namespace {

/// What `take_kept` has of what the summary keeps, if that `answers`; else what `in_parts` finds.
template <class Answer, class Answers, class TakeKept, class InParts>
MaybeKnown<Answer> known(const AskedSummary& asked, const FindingsRequest& request, Answers answers,
                         TakeKept take_kept, InParts in_parts) {
  using Known = std::optional<KnownAnswer<Answer>>;
  const summary::RunSummary& summary = asked.summary;
  auto kept = judged_run(asked.path, summary.judged, summary.run);
  if (!kept) return kept.error();
  if (kept.value() && answers(*kept.value())) {
    return Known({take_kept(std::move(*kept.value())), true});
  }
  auto parts = run_in_parts(asked.path, summary, request);
  if (!parts) return parts.error();
  if (!parts.value()) return Known();
  base::Result<std::optional<Answer>> found = in_parts(*parts.value());
  if (!found) return found.error();
  if (!found.value()) return Known();
  asked.notes.push_back(fmt::format(
      "{} events are too many for the memory there is: {} was read part by part",
      base::human_count(summary.facts.events), input::events_of(summary, asked.path).string()));
  return Known({std::move(*found.value()), false});
}

/// The waits of the chosen ranks.
template <class Row, class InParts>
MaybeKnown<std::vector<Row>> known_waits(const AskedSummary& asked,
                                         const trace::Selection& selection,
                                         std::vector<Row> JudgedRun::*rows, bool has_all_of_them,
                                         InParts in_parts) {
  const trace::Trace& run = asked.summary.run;
  return known<std::vector<Row>>(
      asked, {.focus = findings::Focus::kRun},
      [&](const JudgedRun& kept) {
        return selection.ranks.empty() && (has_all_of_them || kept.has_all_causes);
      },
      [&](JudgedRun kept) { return std::move(kept.*rows); },
      [&](RunInParts& parts) {
        parts.window = {std::max(selection.from_ticks, run.start_ticks),
                        std::min(selection.until_ticks, run.end_ticks)};
        return in_parts(parts, asked.summary, selection, asked.pool, asked.progress);
      });
}

}  // namespace

MaybeKnown<EfficiencyReport> known_efficiency(const AskedSummary& asked,
                                              const FindingsRequest& request,
                                              std::optional<EfficiencyBy> by) {
  using Report = std::optional<EfficiencyReport>;
  return known<EfficiencyReport>(
      asked, request, [&](const JudgedRun& kept) { return kept.answers(request); },
      [&](JudgedRun kept) { return report_by(std::move(kept.efficiency), by); },
      [&](const RunInParts& parts) -> base::Result<Report> {
        const auto found = efficiency_in_parts(parts, asked.summary, asked.pool, asked.progress);
        if (!found) return found.error();
        if (!found.value()) return Report();
        return Report(efficiency_report(asked.summary.run, parts.window, found.value()->efficiency,
                                        found.value()->useful, by));
      });
}

MaybeKnown<CriticalReport> known_critical_path(const AskedSummary& asked,
                                               const FindingsRequest& request) {
  using Report = std::optional<CriticalReport>;
  return known<CriticalReport>(
      asked, request, [&](const JudgedRun& kept) { return kept.answers(request); },
      [](JudgedRun kept) { return std::move(kept.critical); },
      [&](const RunInParts& parts) -> base::Result<Report> {
        const auto found = critical_path_in_parts(parts, asked.summary, asked.pool, asked.progress);
        if (!found) return found.error();
        if (!found.value()) return Report();
        return Report(critical_report(asked.summary.run, parts.window, *found.value()));
      });
}

MaybeKnown<StepFindings> known_step_findings(const AskedSummary& asked,
                                             const FindingsRequest& request) {
  return known<StepFindings>(
      asked, request, [&](const JudgedRun& kept) { return kept.answers(request); },
      [](JudgedRun kept) { return std::move(kept.steps); },
      [&](const RunInParts& parts) {
        return step_findings_in_parts(parts, asked.summary, asked.pool, asked.progress);
      });
}

MaybeKnown<std::vector<PathWaits>> known_waits_by_call_path(const AskedSummary& asked,
                                                            const trace::Selection& selection) {
  return known_waits(asked, selection, &JudgedRun::waits_by_path, true,
                     waits_by_call_path_in_parts);
}

MaybeKnown<std::vector<WaitCause>> known_wait_causes(const AskedSummary& asked,
                                                     const trace::Selection& selection) {
  return known_waits(asked, selection, &JudgedRun::wait_causes, false, wait_causes_in_parts);
}

}  // namespace pathline::app
