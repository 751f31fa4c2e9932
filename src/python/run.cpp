// SPDX-License-Identifier: BSD-3-Clause
#include "python/run.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "app/counted_profile.hpp"
#include "app/open_run.hpp"
#include "app/part_of_run.hpp"
#include "app/summary_picture.hpp"
#include "app/whole_run.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "render/draw.hpp"
#include "render/raster.hpp"
#include "summary/file.hpp"
#include "trace/warnings.hpp"

namespace pathline::python {
namespace {

/// What Python takes for a text: UTF-8, though what is damaged is told as it is.
std::string readable(std::string_view text) {
  std::string lines;
  while (true) {
    const size_t end = text.find('\n');
    lines += base::printable(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    lines += '\n';
    text.remove_prefix(end + 1);
  }
}

void check_threads(unsigned threads) {
  constexpr unsigned kMost = 4096;
  if (threads <= kMost) return;
  throw Failure({base::ErrorCode::kInvalidArgument,
                 fmt::format("threads is {}, expected 0 to {}", threads, kMost)});
}

/// Before anything is made for the picture: what has no size has no end.
void check(const Look& look) {
  constexpr double kLeastScale = 0.25;
  constexpr double kMostScale = 16;
  const auto expect = [](const char* name, double value, double least, double most) {
    if (value >= least && value <= most) return;
    throw Failure({base::ErrorCode::kInvalidArgument,
                   fmt::format("{} is {}, expected {} to {}", name, value, least, most)});
  };
  expect("width", look.width, 1, render::kMaxRasterSide);
  expect("height", look.height, 1, render::kMaxRasterSide);
  expect("scale", look.scale, kLeastScale, kMostScale);
  if (look.svg) return;
  expect("width times scale", look.width * look.scale, 1, render::kMaxRasterSide);
  expect("height times scale", look.height * look.scale, 1, render::kMaxRasterSide);
}

}  // namespace

Failure::Failure(const base::Error& error)
    : std::runtime_error(readable(error.advice.empty()
                                      ? error.message
                                      : fmt::format("{}\n  {}", error.message, error.advice))) {}

Run::Run(const std::filesystem::path& path, bool partial, unsigned threads)
    : path_(path.string()), threads_(threads) {
  check_threads(threads);
  base::ThreadPool threads_of_call = pool();
  base::Progress progress;
  auto input = need(app::open_input(
      path,
      {.partial = partial,
       .metrics = {std::string(profile::kTimeMetric), std::string(profile::kVisitsMetric)},
       .tables = {.pairs = false, .steps = false}},
      threads_of_call, progress, warnings_));
  if (auto* file = std::get_if<profile::ProfileFile>(&input)) {
    warnings_.insert(warnings_.end(), file->warnings.begin(), file->warnings.end());
    open_profile(std::move(file->table));
    return;
  }
  if (auto* tables = std::get_if<summary::RunSummary>(&input)) {
    // More of it is read later, and a notebook may go to another folder before.
    source_ = app::SummaryFile{std::filesystem::absolute(path),
                               std::make_shared<const summary::RunSummary>(std::move(*tables))};
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

const app::SummaryFile& Run::read(LateTable& table, bool summary::Parts::*which) const {
  const app::SummaryFile& file = *summary();
  const std::scoped_lock lock(table.reading);
  if (!table.file.tables) {
    summary::Parts tables = summary::Parts::none();
    tables.*which = true;
    auto read = need(summary::read(file.path, tables));
    if (read.facts.events != file.tables->facts.events ||
        read.run.rank_count != file.tables->run.rank_count ||
        !read.run.definitions.same_as(file.tables->run.definitions)) {
      throw Failure({base::ErrorCode::kInvalidArgument,
                     fmt::format("{} is another file than the one that was opened", path_),
                     "Open it again."});
    }
    table.file = {file.path, std::make_shared<const summary::RunSummary>(std::move(read))};
  }
  return table.file;
}

const app::SummaryFile& Run::summary_for(app::FigureKind kind) const {
  switch (kind) {
    case app::FigureKind::kMatrix:
    case app::FigureKind::kChord:
    case app::FigureKind::kFlow: return summary_with_pairs();
    case app::FigureKind::kSteps: return summary_with_steps();
    default: return *summary();
  }
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
  auto read = need(
      app::read_part(file->path, *file->tables, selection(part), needs, threads, notes, &kept_));
  if (!read) return events_needed();
  return std::make_shared<const trace::Trace>(std::move(*read));
}

std::optional<app::SumsOfTime> Run::sums_of(const Part& part, app::PartNeeds needs) const {
  const auto* file = summary();
  if (file == nullptr || !part.has_window()) return std::nullopt;
  {
    const std::scoped_lock lock(reading_);
    if (events_) return std::nullopt;
  }
  const auto time =
      need(app::time_in_pieces(file->path, *file->tables, selection(part), needs, &kept_));
  if (!time) return std::nullopt;
  base::ThreadPool threads = pool();
  base::Progress progress;
  return need(app::sums_of_time(*time, *file->tables, needs, threads, progress));
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
    const bool is_of_waits = by == "rank" || by == "host";
    const auto needs = is_of_waits ? app::PartNeeds::kWaits : app::PartNeeds::kCalls;
    const auto* file = summary();
    if (const auto sums = sums_of(part, needs)) {
      return need(app::profile_table(*file, *sums, selection(part), by));
    }
    base::ThreadPool threads = pool();
    const auto trace = events_needed(part, needs);
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
  if (summary(!step && by != "callpath" && !part.has_window()) != nullptr) {
    return need(app::matrix_table(summary_with_pairs(), selection(part), by));
  }
  if (!step && by != "callpath") {
    if (const auto sums = sums_of(part, app::PartNeeds::kMessages)) {
      return need(app::matrix_table(*summary(), *sums, by));
    }
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

app::DataTable Run::steps(bool detect, const Part& part) const {
  if (const auto* file = summary();
      file != nullptr && !(detect && file->tables->facts.marked_steps == 0)) {
    return app::steps_table(summary_with_steps(), selection(part));
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

app::SharedTrace Run::recorded_events(std::optional<uint32_t> location, const Part& part) const {
  const auto* file = summary();
  if (file == nullptr || (!location && part.is_all())) return events_needed();
  bool are_many = false;
  {
    const std::scoped_lock lock(reading_);
    if (events_) return events_;
    constexpr unsigned kMany = 16;
    are_many = location && ++read_alone_ > kMany;
  }
  // Who asks for one location after the other will want all.
  if (are_many && app::fits_into_memory(*file->tables)) return events_needed();
  const trace::Selection time = selection(part);
  base::ThreadPool threads = pool();
  auto read = need(app::read_recorded(
      file->path, *file->tables, time,
      location ? std::vector<uint32_t>{*location} : app::chosen_locations(trace(), time), threads,
      &kept_));
  if (!read) return events_needed();
  return std::make_shared<const trace::Trace>(std::move(*read));
}

app::DataTable Run::events(std::optional<uint64_t> id, const Part& part) const {
  if (summary() == nullptr) std::ignore = events_needed();  // A profile has none.
  const trace::Selection time = selection(part);
  if (!id) {
    const auto read = recorded_events({}, part);
    base::ThreadPool threads = pool();
    return app::events_table(read, time, threads);
  }
  const auto& locations = trace().locations;
  const auto found = std::find_if(locations.begin(), locations.end(),
                                  [&](const trace::Location& one) { return one.id == *id; });
  if (found == locations.end()) {
    throw Failure({base::ErrorCode::kNotFound,
                   fmt::format("{}: there is no location {}", path_, *id),
                   "run.locations() lists those there are."});
  }
  const auto index = static_cast<uint32_t>(found - locations.begin());
  const auto make = [&] { return app::events_table(recorded_events(index, part), index, time); };
  return part.is_all() ? shown_.get(index, make) : make();
}

layout::Scene Run::scene(app::FigureKind kind, const Part& part, const figure::Options& options,
                         std::vector<std::string>& notes) const {
  base::ThreadPool threads = pool();
  if (kind == app::FigureKind::kEfficiency) {
    return need(app::make_efficiency_scene(efficiency({}, part, notes), options));
  }
  const bool has_parts = kind == app::FigureKind::kTimeline || kind == app::FigureKind::kSteps;
  if (summary(has_parts || !part.has_window()) != nullptr) {
    const app::SummaryFile& file = summary_for(kind);
    return need(app::make_summary_scene(kind, file.path, *file.tables, file.tables->run,
                                        selection(part), options, threads, nullptr));
  }
  const auto needs = app::needs_of(kind);
  const auto* file = summary();
  if (const auto sums = needs ? sums_of(part, *needs) : std::nullopt) {
    summary::RunSummary tables;
    tables.profile = sums->profile;
    tables.matrix = sums->matrix;
    return need(app::make_summary_scene(kind, file->path, tables, file->tables->run,
                                        selection(part), options, threads, nullptr, nullptr,
                                        &file->tables->profile));
  }
  const auto trace = needs ? events_needed(part, *needs) : events_needed();
  return need(app::make_scene(kind, *trace, selection(part), options, std::nullopt, threads,
                              nullptr, file != nullptr ? &file->tables->profile : nullptr));
}

std::pair<std::string, std::vector<std::string>> Run::figure(const std::string& kind,
                                                             const Part& part,
                                                             const Look& look) const {
  const auto parsed = need(app::parse_figure_kind(kind));
  check(look);
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
