// SPDX-License-Identifier: BSD-3-Clause
#include "python/run.hpp"

#include <fmt/format.h>

#include "app/counted_profile.hpp"
#include "app/judged_run.hpp"
#include "app/judged_tables.hpp"
#include "app/known_answer.hpp"
#include "app/middle_part.hpp"
#include "app/open_run.hpp"
#include "app/row_columns.hpp"
#include "app/summary_picture.hpp"
#include "app/wait_rows.hpp"
#include "app/whole_run.hpp"
#include "base/progress.hpp"
#include "comm/dependencies.hpp"
#include "render/draw.hpp"
#include "trace/warnings.hpp"

namespace pathline::python {
namespace {

template <class T>
T need(base::Result<T> result) {
  if (!result) throw Failure(result.error());
  return std::move(result).value();
}

}  // namespace

Failure::Failure(const base::Error& error)
    : std::runtime_error(error.advice.empty()
                             ? error.message
                             : fmt::format("{}\n  {}", error.message, error.advice)) {}

Run::Run(const std::filesystem::path& path, bool partial, unsigned threads)
    : path_(path.string()), threads_(threads) {
  base::ThreadPool threads_of_call = pool();
  base::Progress progress;
  auto input = need(app::open_input(
      path,
      {.partial = partial,
       .metrics = {std::string(profile::kTimeMetric), std::string(profile::kVisitsMetric)}},
      threads_of_call, progress, warnings_));
  if (auto* file = std::get_if<profile::ProfileFile>(&input)) {
    warnings_.insert(warnings_.end(), file->warnings.begin(), file->warnings.end());
    open_profile(std::move(file->table));
    return;
  }
  if (auto* tables = std::get_if<summary::RunSummary>(&input)) {
    source_ =
        app::SummaryFile{path, std::make_shared<const summary::RunSummary>(std::move(*tables))};
  } else {
    auto trace = std::make_shared<const trace::Trace>(std::get<trace::Trace>(std::move(input)));
    if (trace->end_ticks == trace->start_ticks && app::has_counted_profile(path)) {
      open_profile(need(app::read_counted_profile(path)));
      counted_ = std::get<SharedProfile>(source_);
    }
    source_ = std::move(trace);
  }
  for (std::string& warning : trace::missing(this->trace())) {
    warnings_.push_back(std::move(warning));
  }
}

void Run::open_profile(profile::MetricTable table) {
  auto profile = profile::from_table(table);
  if (!profile) {
    throw Failure({profile.error().code, fmt::format("{}: {}", path_, profile.error().message)});
  }
  source_ = std::make_shared<const profile::TableProfile>(std::move(profile).value());
}

const trace::Trace& Run::trace() const {
  if (const auto* file = summary()) return file->tables->run;
  if (const auto* trace = std::get_if<app::SharedTrace>(&source_)) return **trace;
  return std::get<SharedProfile>(source_)->trace;
}

const char* Run::source() const {
  if (summary() != nullptr) return "summary";
  return std::holds_alternative<SharedProfile>(source_) ? "profile" : "trace";
}

std::optional<uint64_t> Run::event_count() const {
  if (const auto* file = summary()) return file->tables->facts.events;
  if (std::holds_alternative<SharedProfile>(source_)) return {};
  return trace().event_count();
}

std::optional<double> Run::duration_s() const {
  if (std::holds_alternative<SharedProfile>(source_)) return {};
  return trace().duration_seconds();
}

std::string Run::format() const {
  return std::holds_alternative<SharedProfile>(source_) ? "Cube" : trace().format;
}

/// The trace, for questions about its events.
const app::SharedTrace& Run::events_needed() const {
  if (const auto* trace = std::get_if<app::SharedTrace>(&source_)) return *trace;
  const auto* file = summary();
  if (file == nullptr)
    throw Failure(input::need_trace(input::Input(profile::ProfileFile{}), path_).error());
  const std::scoped_lock lock(reading_);
  if (!events_) {
    base::ThreadPool threads = pool();
    base::Progress progress;
    std::vector<std::string> notes;
    events_ = std::make_shared<const trace::Trace>(
        need(app::open_events(file->path, *file->tables, {}, threads, progress, notes)));
  }
  return events_;
}

app::SharedTrace Run::events_needed(const Part& part, app::PartNeeds needs) const {
  const auto* file = summary();
  if (file == nullptr || !part.has_window()) return events_needed();
  {
    const std::scoped_lock lock(reading_);
    if (events_) return events_;
  }
  base::ThreadPool threads = pool();
  std::vector<std::string> notes;
  auto read =
      need(app::read_part(file->path, *file->tables, selection(part), needs, threads, notes));
  if (!read) return events_needed();
  return std::make_shared<const trace::Trace>(std::move(*read));
}

/// Says in which run something was not found, as the command line does.
template <class T>
T Run::need_here(base::Result<T> result) const {
  if (!result && result.error().code == base::ErrorCode::kNotFound) {
    throw Failure({result.error().code, fmt::format("{}: {}", path_, result.error().message),
                   result.error().advice});
  }
  return need(std::move(result));
}

trace::Selection Run::selection(const Part& part) const {
  return need_here(
      trace::select(trace(), {.from_s = part.begin_s, .until_s = part.end_s, .ranks = part.ranks}));
}

app::DataTable Run::profile(const std::string& by, const Part& part) const {
  if (const auto* file = summary(!part.has_window())) {
    return need(app::profile_table(*file, selection(part), by));
  }
  const auto* read = std::get_if<SharedProfile>(&source_);
  if (read == nullptr && counted_) read = &counted_;
  if (read == nullptr) {
    base::ThreadPool threads = pool();
    const bool is_of_waits = by == "rank" || by == "host";
    const auto trace =
        events_needed(part, is_of_waits ? app::PartNeeds::kWaits : app::PartNeeds::kCalls);
    const auto* file = summary();
    return need(app::profile_table(trace, selection(part), by, threads,
                                   file != nullptr ? &file->tables->profile : nullptr));
  }
  const trace::Trace& ranks = (*read)->trace;
  if (part.has_window()) throw Failure(app::no_window(path_));
  const auto chosen = need_here(trace::select(ranks, {.ranks = part.ranks}));
  return need(app::profile_table(**read, chosen, by));
}

app::DataTable Run::matrix(const std::string& by, std::optional<uint32_t> step,
                           const Part& part) const {
  if (const auto* file = summary(!step && by != "callpath" && !part.has_window())) {
    return need(app::matrix_table(*file, selection(part), by));
  }
  base::ThreadPool threads = pool();
  Part read = part;
  if (const auto* file = summary(); file != nullptr && step) {
    const auto time = need_here(app::time_of_step(file->path, *file->tables, *step));
    read.begin_s = time.from_s;
    read.end_s = time.until_s;
  }
  const auto trace =
      by == "callpath" ? events_needed() : events_needed(read, app::PartNeeds::kMessages);
  return need_here(app::matrix_table(trace, selection(part), by, step, threads));
}

Run::Judged Run::waits(const std::string& by, const Part& part) const {
  std::vector<std::string> notes;
  if (by != "callpath" && by != "cause") {
    if (const auto* file = summary(!part.has_window())) {
      return {need(app::waits_table(*file, selection(part), by)), {}};
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

app::DataTable Run::steps(bool detect, const Part& part) const {
  const auto* tables = summary();
  if (tables != nullptr && !(detect && tables->tables->steps.rows.empty())) {
    return app::steps_table(*tables, selection(part));
  }
  base::ThreadPool threads = pool();
  const auto& trace = events_needed();
  return need(app::steps_table(trace, selection(part), detect, threads));
}

app::TimelineTable Run::timeline(uint32_t width, const Part& part) const {
  base::ThreadPool threads = pool();
  if (const auto* file = summary()) {
    return need(app::timeline_table(*file, selection(part), width, threads));
  }
  const auto& trace = events_needed();
  return need(app::timeline_table(trace, selection(part), width, threads));
}

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
        auto kept = need(app::judged_run(asked.path, asked.summary, asked.summary.run));
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

app::DataTable Run::messages(const Part& part) const {
  const auto trace = events_needed(part, app::PartNeeds::kMessages);
  if (!part.is_all()) return app::messages_table(trace, selection(part));
  constexpr uint64_t kKey = UINT64_MAX;  // No location has this index.
  return shown_.get(kKey, [&] { return app::messages_table(trace, selection(part)); });
}

app::DataTable Run::locations() const {
  if (const auto* file = summary()) return need(app::locations_table(*file));
  return app::locations_table(events_needed());
}

app::DataTable Run::regions() const {
  if (const auto* file = summary()) return app::regions_table(*file);
  return app::regions_table(events_needed());
}

app::DataTable Run::events(std::optional<uint64_t> id) const {
  const auto& trace = events_needed();
  if (!id) {
    base::ThreadPool threads = pool();
    return app::events_table(trace, threads);
  }
  for (uint32_t i = 0; i < trace->locations.size(); ++i) {
    if (trace->locations[i].id != *id) continue;
    return shown_.get(i, [&] { return app::events_table(trace, i); });
  }
  throw Failure({base::ErrorCode::kNotFound, fmt::format("{}: there is no location {}", path_, *id),
                 "run.locations() lists those there are."});
}

layout::Scene Run::scene(app::FigureKind kind, const Part& part, const figure::Options& options,
                         std::vector<std::string>& notes) const {
  base::ThreadPool threads = pool();
  if (kind == app::FigureKind::kEfficiency) {
    return need(app::make_efficiency_scene(efficiency({}, part, notes), options));
  }
  const bool has_parts = kind == app::FigureKind::kTimeline || kind == app::FigureKind::kSteps;
  if (const auto* file = summary(has_parts || !part.has_window())) {
    return need(app::make_summary_scene(kind, file->path, *file->tables, file->tables->run,
                                        selection(part), options, threads, nullptr));
  }
  const auto needs = app::needs_of(kind);
  const auto trace = needs ? events_needed(part, *needs) : events_needed();
  const auto* file = summary();
  return need(app::make_scene(kind, *trace, selection(part), options, std::nullopt, threads,
                              nullptr, file != nullptr ? &file->tables->profile : nullptr));
}

std::pair<std::string, std::vector<std::string>> Run::figure(const std::string& kind,
                                                             const Part& part,
                                                             const Look& look) const {
  const auto parsed = need(app::parse_figure_kind(kind));
  if (parsed > app::FigureKind::kEfficiency) {
    throw Failure({base::ErrorCode::kInvalidArgument,
                   fmt::format("figure {}: here there are only timeline, matrix, chord, flow, "
                               "profile, steps, efficiency",
                               kind),
                   "'pathline figure' draws the others."});
  }
  if (parsed == app::FigureKind::kEfficiency && !part.ranks.empty()) {
    throw Failure({base::ErrorCode::kInvalidArgument,
                   "figure efficiency: efficiencies are of all ranks together"});
  }
  figure::Options options;
  options.width_px = look.width;
  options.height_px = look.height;
  options.scale = look.scale;
  options.title = fmt::format("{}: {}", run_name(), kind);
  std::vector<std::string> notes;
  const layout::Scene scene = this->scene(parsed, part, options, notes);
  base::ThreadPool threads = pool();
  if (look.svg) return {need(render::draw_svg(scene, threads)), std::move(notes)};
  const auto image = need(render::draw(scene, threads));
  const auto bytes = need(render::encode_png(
      image,
      {{"Title", scene.title}, {"Description", scene.description}, {"Software", "Pathline"}}));
  return {std::string(bytes.begin(), bytes.end()), std::move(notes)};
}

std::string Run::run_name() const {
  std::filesystem::path path(path_);
  if (path.extension() == ".otf2") path = path.parent_path();
  if (!path.has_filename()) path = path.parent_path();
  return path.filename().string();
}

}  // namespace pathline::python
