// SPDX-License-Identifier: BSD-3-Clause
//
// What is concluded from who waits for whom.
#include <fmt/format.h>

#include "app/judged_run.hpp"
#include "app/judged_tables.hpp"
#include "app/known_answer.hpp"
#include "app/middle_part.hpp"
#include "app/row_columns.hpp"
#include "app/wait_rows.hpp"
#include "base/progress.hpp"
#include "comm/dependencies.hpp"
#include "input/input.hpp"
#include "python/run.hpp"

namespace pathline::python {

void Run::focus_on(const Part& part, app::FindingsRequest& request) const {
  if (!part.has_window()) return;
  request.focus = findings::Focus::kTime;
  request.from_s = part.begin_s.value_or(0);
  request.until_s = part.end_s.value_or(duration_s().value_or(0));
}

Run::ToJudge Run::events_to_judge(const Part& part, app::PartNeeds needs,
                                  app::FindingsRequest& request,
                                  std::vector<std::string>& notes) const {
  ToJudge to_judge{{}, path_, part};
  if (const auto* file = summary()) {
    to_judge.source = input::events_of(*file->tables, path_).string();
    const auto middle =
        part.has_window() ? std::nullopt : need(app::middle_part(file->path, *file->tables));
    if (middle) {
      to_judge.part.begin_s = middle->from_s;
      to_judge.part.end_s = middle->until_s;
      notes.push_back(
          fmt::format("{}: the run does not fit into memory; this is of {:.6f} s to {:.6f} s, "
                      "other parts by begin_s and end_s",
                      path_, middle->from_s, middle->until_s));
      if (middle->slower) {
        notes.push_back(fmt::format("{} (begin_s={:.6f}, end_s={:.6f})", middle->slower_text,
                                    middle->slower->from_s, middle->slower->until_s));
      }
    }
  }
  focus_on(to_judge.part, request);
  to_judge.trace = events_needed(to_judge.part, needs);
  return to_judge;
}

template <class Answer, class Ask, class Judge>
Answer Run::judged(const Part& part, app::PartNeeds needs, app::FindingsRequest& request,
                   std::vector<std::string>& notes, Ask ask, Judge judge) const {
  base::ThreadPool threads = pool();
  base::Progress progress;
  if (const auto* file = summary()) {
    std::vector<std::string> read;  // In parts, of which the answer is the same.
    focus_on(part, request);
    auto known = ask(app::AskedSummary{file->path, *file->tables, threads, progress, read});
    if (known) return std::move(*known);
  }
  return judge(events_to_judge(part, needs, request, notes), threads, progress);
}

Run::Judged Run::waits(const std::string& by, const Part& part) const {
  std::vector<std::string> notes;
  if (by != "callpath" && by != "cause") {
    if (const auto* file = summary(!part.has_window())) {
      return {need(app::waits_table(*file, selection(part), by)), {}};
    }
    if (const auto sums = sums_of(part, app::PartNeeds::kWaits)) {
      if (sums->lacks_waits) notes.emplace_back(app::kLacksWaits);
      return {need(app::waits_table(*summary(), *sums, by)), std::move(notes)};
    }
    base::ThreadPool threads = pool();
    const auto trace = events_needed(part, app::PartNeeds::kWaits);
    return {need(app::waits_table(trace, selection(part), by, threads)), {}};
  }
  app::FindingsRequest request{.focus = findings::Focus::kRun};
  const auto table = [&](auto known, auto find) {
    return judged<app::DataTable>(
        part, app::PartNeeds::kWaits, request, notes,
        [&](const app::AskedSummary& asked) -> std::optional<app::DataTable> {
          if (part.has_window()) return std::nullopt;
          const auto rows = need(known(asked, selection(part)));
          return rows ? std::optional(app::waits_table(rows->answer)) : std::nullopt;
        },
        [&](const ToJudge& run, base::ThreadPool& threads, base::Progress&) {
          return app::waits_table(find(*run.trace, comm::dependencies(*run.trace, threads),
                                       selection(run.part), threads));
        });
  };
  app::DataTable rows = by == "cause"
                            ? table(app::known_wait_causes, app::wait_causes)
                            : table(app::known_waits_by_call_path, app::waits_by_call_path);
  return {std::move(rows), std::move(notes)};
}

Run::Judged Run::findings(const std::string& by, double min_percent, const Part& part) const {
  constexpr double kAll = 100;
  if (by == "step") return step_findings(part);
  if (by != "run") throw Failure(app::no_such_by(by, "run, step"));
  if (!(min_percent >= 0 && min_percent <= kAll)) {
    throw Failure({base::ErrorCode::kInvalidArgument,
                   fmt::format("min_percent is {}, expected 0 to 100", min_percent)});
  }
  app::FindingsRequest request{.min_percent = min_percent};
  std::vector<std::string> notes;
  auto table = judged<app::DataTable>(
      part, app::PartNeeds::kFindings, request, notes,
      [&](const app::AskedSummary& asked) -> std::optional<app::DataTable> {
        auto kept = need(app::judged_run(asked.path, asked.summary.judged, asked.summary.run));
        if (!kept || !kept->answers(request)) return std::nullopt;
        kept->leave_out_below(min_percent);
        if (kept->has_findings_of_part()) {
          notes.push_back(fmt::format(
              "{}: the run was larger than memory; the findings are of {:.6f} s to {:.6f} s", path_,
              kept->findings.begin_s, kept->findings.end_s));
        }
        return app::findings_table(kept->findings);
      },
      [&](const ToJudge& run, base::ThreadPool& threads, base::Progress& progress) {
        return app::findings_table(
            need(app::find_findings(*run.trace, run.source, request, threads, progress)));
      });
  return {std::move(table), std::move(notes)};
}

Run::Judged Run::step_findings(const Part& part) const {
  app::FindingsRequest request;
  std::vector<std::string> notes;
  const auto steps = judged<app::StepFindings>(
      part, app::PartNeeds::kFindings, request, notes,
      [&](const app::AskedSummary& asked) -> std::optional<app::StepFindings> {
        auto known = need(app::known_step_findings(asked, request));
        return known ? std::optional(std::move(known->answer)) : std::nullopt;
      },
      [&](const ToJudge& run, base::ThreadPool& threads, base::Progress& progress) {
        return need(app::find_step_findings(*run.trace, run.source, request, threads, progress));
      });
  return {app::findings_table(steps), std::move(notes)};
}

app::EfficiencyReport Run::efficiency(std::optional<app::EfficiencyBy> by, const Part& part,
                                      std::vector<std::string>& notes) const {
  app::FindingsRequest request;
  return judged<app::EfficiencyReport>(
      part, app::PartNeeds::kFindings, request, notes,
      [&](const app::AskedSummary& asked) -> std::optional<app::EfficiencyReport> {
        auto known = need(app::known_efficiency(asked, request, by));
        return known ? std::optional(std::move(known->answer)) : std::nullopt;
      },
      [&](const ToJudge& run, base::ThreadPool& threads, base::Progress& progress) {
        return need(app::find_efficiency(*run.trace, run.source, request, by, threads, progress));
      });
}

Run::Judged Run::efficiency(const std::string& by, const Part& part) const {
  const auto rows_by = need(app::efficiency_by(by));
  std::vector<std::string> notes;
  const auto report = efficiency(rows_by, part, notes);
  return {rows_by ? app::efficiency_table(report, *rows_by) : app::efficiency_table(report),
          std::move(notes)};
}

Run::Judged Run::critical(const Part& part) const {
  app::FindingsRequest request;
  std::vector<std::string> notes;
  const auto report = judged<app::CriticalReport>(
      part, app::PartNeeds::kFindings, request, notes,
      [&](const app::AskedSummary& asked) -> std::optional<app::CriticalReport> {
        auto known = need(app::known_critical_path(asked, request));
        return known ? std::optional(std::move(known->answer)) : std::nullopt;
      },
      [&](const ToJudge& run, base::ThreadPool& threads, base::Progress& progress) {
        return need(app::find_critical_path(*run.trace, run.source, request, threads, progress));
      });
  return {app::critical_table(report), std::move(notes)};
}

}  // namespace pathline::python
