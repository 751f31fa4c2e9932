// SPDX-License-Identifier: BSD-3-Clause
#include "cli/judged_answer.hpp"

#include <algorithm>
#include <utility>

#include "app/judge_in_parts.hpp"
#include "app/part_of_run.hpp"
#include "base/text.hpp"
#include "cli/findings_options.hpp"
#include "input/input.hpp"

namespace pathline::cli {
namespace {

/// What `judge(parts, summary, pool, progress)` concludes from all of a run that is larger than
/// memory, part by part. nullopt without a summary, where that keeps the answer, and where the run
/// cannot be judged in parts.
template <class Found, class Judge>
base::Result<std::optional<Found>> found_in_parts(const CommonOptions& options,
                                                  const Answers& answers,
                                                  const app::FindingsRequest& request, Opened& run,
                                                  Judge judge) {
  using Result = base::Result<std::optional<Found>>;
  if (!run.summary || !options.scratch.empty() || app::fits_into_memory(*run.summary)) {
    return std::optional<Found>();
  }
  const auto kept = app::judged_run(options.input, *run.summary, run.trace);
  if (!kept) return kept.error();
  if (kept.value() && answers(*kept.value())) return std::optional<Found>();
  Result found = std::optional<Found>();
  run.summary->run = std::move(run.trace);
  with_progress(run.progress, options.quiet, [&] {
    auto parts = app::run_in_parts(options.input, *run.summary, request);
    if (!parts) {
      found = parts.error();
    } else if (parts.value()) {
      found = judge(*parts.value(), *run.summary, run.pool, run.progress);
    }
  });
  if (found && found.value() && !options.quiet) {
    note(fmt::format("{} events are too many for the memory there is: {} was read part by part",
                     base::human_count(run.summary->facts.events),
                     input::events_of(*run.summary, options.input).string()));
  }
  run.trace = std::move(run.summary->run);
  return found;
}

/// The same of the chosen time and ranks.
template <class Row, class Judge>
base::Result<std::optional<std::vector<Row>>> waits_found_in_parts(const CommonOptions& options,
                                                                   const Answers& answers,
                                                                   Opened& run, Judge judge) {
  const trace::Selection& selection = run.selection;
  return found_in_parts<std::vector<Row>>(
      options, answers, {.focus = findings::Focus::kRun}, run,
      [&](app::RunInParts& parts, const summary::RunSummary& summary, base::ThreadPool& pool,
          base::Progress& progress) {
        parts.window = {std::max(selection.from_ticks, summary.run.start_ticks),
                        std::min(selection.until_ticks, summary.run.end_ticks)};
        return judge(parts, summary, selection, pool, progress);
      });
}

/// What the summary keeps by `take_kept`, or else `in_parts` or `of_all` find.
template <class Report, class TakeKept, class InParts, class OfAll>
base::Result<JudgedAnswer<Report>> answer_of(const CommonOptions& options,
                                             app::FindingsRequest& request, Opened& run,
                                             TakeKept take_kept, InParts in_parts, OfAll of_all) {
  const auto answers = [&](const app::JudgedRun& judged) { return judged.answers(request); };
  auto parts = found_in_parts<Report>(options, answers, request, run, in_parts);
  if (!parts) return parts.error();
  if (parts.value()) return JudgedAnswer<Report>{std::move(*parts.value())};
  auto kept = kept_answer(options, request, run);
  if (!kept) return kept.error();
  if (kept.value()) return JudgedAnswer<Report>{take_kept(std::move(*kept.value())), true};
  base::Result<Report> found = Report{};
  base::Progress progress;
  with_progress(progress, options.quiet, [&] { found = of_all(progress); });
  if (!found) return found.error();
  return JudgedAnswer<Report>{std::move(found).value()};
}

}  // namespace

base::Result<JudgedAnswer<app::EfficiencyReport>> efficiency_of(const CommonOptions& options,
                                                                app::FindingsRequest& request,
                                                                std::optional<app::EfficiencyBy> by,
                                                                Opened& run) {
  using Report = app::EfficiencyReport;
  const auto in_parts = [&](const app::RunInParts& parts, const summary::RunSummary& summary,
                            base::ThreadPool& pool,
                            base::Progress& progress) -> base::Result<std::optional<Report>> {
    const auto found = app::efficiency_in_parts(parts, summary, pool, progress);
    if (!found) return found.error();
    if (!found.value()) return std::optional<Report>();
    return std::optional(app::efficiency_report(
        summary.run, parts.window, found.value()->efficiency, found.value()->useful, by));
  };
  return answer_of<Report>(
      options, request, run,
      [&](app::JudgedRun kept) { return app::report_by(std::move(kept.efficiency), by); }, in_parts,
      [&](base::Progress& progress) {
        return app::find_efficiency(run.trace, run.source, request, by, run.pool, progress);
      });
}

base::Result<JudgedAnswer<app::CriticalReport>> critical_path_of(const CommonOptions& options,
                                                                 app::FindingsRequest& request,
                                                                 Opened& run) {
  using Report = app::CriticalReport;
  const auto in_parts = [](const app::RunInParts& parts, const summary::RunSummary& summary,
                           base::ThreadPool& pool,
                           base::Progress& progress) -> base::Result<std::optional<Report>> {
    const auto found = app::critical_path_in_parts(parts, summary, pool, progress);
    if (!found) return found.error();
    if (!found.value()) return std::optional<Report>();
    return std::optional(app::critical_report(summary.run, parts.window, *found.value()));
  };
  return answer_of<Report>(
      options, request, run, [](app::JudgedRun kept) { return std::move(kept.critical); }, in_parts,
      [&](base::Progress& progress) {
        return app::find_critical_path(run.trace, run.source, request, run.pool, progress);
      });
}

base::Result<std::optional<std::vector<app::PathWaits>>> waits_in_parts(
    const CommonOptions& options, const Answers& answers, Opened& run) {
  return waits_found_in_parts<app::PathWaits>(options, answers, run,
                                              app::waits_by_call_path_in_parts);
}

base::Result<std::optional<std::vector<app::WaitCause>>> wait_causes_in_parts(
    const CommonOptions& options, const Answers& answers, Opened& run) {
  return waits_found_in_parts<app::WaitCause>(options, answers, run, app::wait_causes_in_parts);
}

}  // namespace pathline::cli
