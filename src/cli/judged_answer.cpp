// SPDX-License-Identifier: BSD-3-Clause
#include "cli/judged_answer.hpp"

#include <utility>

#include "cli/findings_options.hpp"
#include "comm/dependencies.hpp"

namespace pathline::cli {
namespace {

/// What `ask` says of a summary.
template <class Answer, class Ask>
app::MaybeKnown<Answer> known_answer(const CommonOptions& options, Opened& run, Ask ask) {
  app::MaybeKnown<Answer> known = std::optional<app::KnownAnswer<Answer>>();
  if (!run.summary || !options.scratch.empty()) return known;  // A disk holds all of it.
  run.summary->run = std::move(run.trace);
  const std::filesystem::path path = options.input;
  std::vector<std::string> notes;
  with_progress(run.progress, options.quiet, [&] {
    known = ask(app::AskedSummary{path, *run.summary, run.pool, run.progress, notes});
  });
  run.trace = std::move(run.summary->run);
  if (!options.quiet) {
    for (const std::string& text : notes) note(text);
  }
  return known;
}

/// What is known, or else what all events say that `read` has read.
///
/// take_kept  of what the summary keeps, where a disk holds all else.
template <class Answer, class Ask, class Read, class TakeKept, class OfAll>
base::Result<app::KnownAnswer<Answer>> answer_of(const CommonOptions& options, Opened& run, Ask ask,
                                                 Read read, TakeKept take_kept, OfAll of_all) {
  using Known = app::KnownAnswer<Answer>;
  auto known = known_answer<Answer>(options, run, ask);
  if (!known) return known.error();
  if (known.value()) return std::move(*known.value());
  auto kept = read();
  if (!kept) return kept.error();
  if (kept.value()) return Known{take_kept(std::move(*kept.value())), true};
  base::Result<Answer> found = Answer();
  base::Progress progress;
  with_progress(progress, options.quiet, [&] { found = of_all(progress); });
  if (!found) return found.error();
  return Known{std::move(found).value()};
}

template <class Row, class Ask, class OfAll>
base::Result<app::KnownAnswer<std::vector<Row>>> waits_of(const CommonOptions& options, Opened& run,
                                                          std::vector<Row> app::JudgedRun::*rows,
                                                          bool has_all_of_them, Ask ask,
                                                          OfAll of_all) {
  return answer_of<std::vector<Row>>(
      options, run, [&](const app::AskedSummary& asked) { return ask(asked, run.selection); },
      [&] {
        return kept_answer(
            options,
            [&](const app::JudgedRun& kept) {
              return options.ranks.empty() && (has_all_of_them || kept.has_all_causes);
            },
            run);
      },
      [&](app::JudgedRun kept) { return std::move(kept.*rows); },
      [&](base::Progress& progress) {
        progress.begin("finding out who waits for whom", "", 0);
        return of_all(run.trace, comm::dependencies(run.trace, run.pool), run.selection, run.pool);
      });
}

}  // namespace

base::Result<app::KnownAnswer<app::EfficiencyReport>> efficiency_of(
    const CommonOptions& options, app::FindingsRequest& request,
    std::optional<app::EfficiencyBy> by, Opened& run, std::string_view choice) {
  return answer_of<app::EfficiencyReport>(
      options, run,
      [&](const app::AskedSummary& asked) { return app::known_efficiency(asked, request, by); },
      [&] { return kept_answer(options, request, run, choice); },
      [&](app::JudgedRun kept) { return app::report_by(std::move(kept.efficiency), by); },
      [&](base::Progress& progress) {
        return app::find_efficiency(run.trace, run.source, request, by, run.pool, progress);
      });
}

base::Result<app::KnownAnswer<app::CriticalReport>> critical_path_of(const CommonOptions& options,
                                                                     app::FindingsRequest& request,
                                                                     Opened& run) {
  return answer_of<app::CriticalReport>(
      options, run,
      [&](const app::AskedSummary& asked) { return app::known_critical_path(asked, request); },
      [&] { return kept_answer(options, request, run); },
      [](app::JudgedRun kept) { return std::move(kept.critical); },
      [&](base::Progress& progress) {
        return app::find_critical_path(run.trace, run.source, request, run.pool, progress);
      });
}

base::Result<app::KnownAnswer<app::StepFindings>> step_findings_of(const CommonOptions& options,
                                                                   app::FindingsRequest& request,
                                                                   Opened& run) {
  return answer_of<app::StepFindings>(
      options, run,
      [&](const app::AskedSummary& asked) { return app::known_step_findings(asked, request); },
      [&] { return kept_answer(options, request, run); },
      [](app::JudgedRun kept) { return std::move(kept.steps); },
      [&](base::Progress& progress) {
        return app::find_step_findings(run.trace, run.source, request, run.pool, progress);
      });
}

base::Result<app::KnownAnswer<std::vector<app::PathWaits>>> waits_by_call_path_of(
    const CommonOptions& options, Opened& run) {
  return waits_of(options, run, &app::JudgedRun::waits_by_path, true, app::known_waits_by_call_path,
                  app::waits_by_call_path);
}

base::Result<app::KnownAnswer<std::vector<app::WaitCause>>> wait_causes_of(
    const CommonOptions& options, Opened& run) {
  return waits_of(options, run, &app::JudgedRun::wait_causes, false, app::known_wait_causes,
                  app::wait_causes);
}

}  // namespace pathline::cli
