// SPDX-License-Identifier: BSD-3-Clause
#include "app/summary_picture.hpp"

#include <utility>

#include <fmt/format.h>

#include "app/profile_rows.hpp"
#include "app/summary_timeline.hpp"
#include "comm/step_table.hpp"
#include "input/input.hpp"
#include "summary/column_file.hpp"
#include "summary/steps_file.hpp"

namespace pathline::app {

namespace fs = std::filesystem;

namespace {

/// The time steps that a picture may show.
base::Result<comm::StepWindows> steps_of(const fs::path& file, const trace::Trace& run,
                                         const trace::Selection& selection) {
  const auto columns = summary::ColumnReader::open(file);
  if (!columns) return columns.error();
  auto steps = summary::read_steps_of_time(columns.value(), run, selection.from_ticks,
                                           selection.until_ticks);
  if (!steps) return steps.error();
  return std::move(steps.value().windows);
}

}  // namespace

base::Result<layout::Scene> make_summary_timeline(
    const fs::path& file, const summary::RunSummary& summary, const trace::Trace& run,
    const trace::Selection& selection, figure::Options options, base::ThreadPool& pool,
    figure::TimelineReport* report, BinsOfPicture* bins) {
  if (options.order == comm::Order::kSpectral) {
    return needs_archive(file, summary, ": --order spectral needs its messages");
  }
  const TimelineLook look{.columns = options.width_px * options.scale,
                          .lines = options.height_px * options.scale,
                          .trim = options.trim,
                          .wants_messages = options.messages != figure::MessageMode::kNone};
  const auto source = timeline_source(file, summary, run, selection, look, pool);
  if (!source) return source.error();
  const std::optional<trace::Trace>& part = source.value().part;
  options.calls = source.value().calls;
  if (bins != nullptr) {
    *bins = {!part, run.span_seconds(source.value().bin_ticks), source.value().rows_for_one};
  }
  figure::StepMarks steps;
  if (summary.facts.marked_steps > 0) {
    auto windows = steps_of(file, run, selection);
    if (!windows) return windows.error();
    steps = {std::move(windows).value(), "step"};
  }
  return figure::timeline(part ? *part : run, selection, options, steps, pool, report);
}

summary::Parts tables_of(FigureKind kind) {
  const bool is_profile = kind == FigureKind::kProfile;
  const bool is_steps = kind == FigureKind::kSteps;
  const bool is_timeline = kind == FigureKind::kTimeline;
  return {.profile = is_profile || is_timeline,
          .pairs = !is_profile && !is_steps && !is_timeline && kind != FigureKind::kEfficiency,
          .waits = false,
          .bytes = false,
          .steps = is_steps};
}

std::optional<PartNeeds> needs_of(FigureKind kind) {
  switch (kind) {
    case FigureKind::kMatrix:
    case FigureKind::kChord:
    case FigureKind::kFlow: return PartNeeds::kMessages;
    case FigureKind::kProfile: return PartNeeds::kCalls;
    default: return std::nullopt;
  }
}

base::Result<layout::Scene> make_summary_scene(
    FigureKind kind, const fs::path& file, const summary::RunSummary& summary,
    const trace::Trace& run, const trace::Selection& selection, const figure::Options& options,
    base::ThreadPool& pool, figure::TimelineReport* report, BinsOfPicture* bins,
    const profile::Profile* whole) {
  switch (kind) {
    case FigureKind::kTimeline:
      return make_summary_timeline(file, summary, run, selection, options, pool, report, bins);
    case FigureKind::kMatrix:
      return figure::matrix(run, selection, comm::chosen(summary.matrix, selection), options);
    case FigureKind::kChord:
      return figure::chord(run, selection, comm::chosen(summary.matrix, selection), options);
    case FigureKind::kFlow:
      return figure::flow(run, selection, comm::chosen(summary.matrix, selection), options);
    case FigureKind::kProfile:
      return figure::profile(run, selection, chosen(run, summary.profile, selection),
                             whole != nullptr ? *whole : summary.profile, options);
    case FigureKind::kSteps: {
      steps::Table own;
      const steps::Table& steps = comm::chosen(summary.steps, selection, own);
      if (!summary.steps.rows.empty()) return figure::steps(run, selection, steps, {}, options);
      base::Error error = needs_archive(file, summary, ": the program marks no time steps");
      error.code = base::ErrorCode::kInvalidArgument;
      error.advice = fmt::format("'pathline steps {} --detect' looks for a period in its calls.",
                                 input::events_of(summary, file).string());
      return error;
    }
    default: break;
  }
  return base::Error{base::ErrorCode::kInvalidArgument, "this figure is not of a summary"};
}

}  // namespace pathline::app
