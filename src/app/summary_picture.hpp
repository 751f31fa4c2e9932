// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>

#include "app/part_of_run.hpp"
#include "app/picture.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "figure/figure.hpp"
#include "layout/scene.hpp"
#include "summary/run_summary.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// Whether a timeline was made of bins, and how long they are; else it was made of events.
struct BinsOfPicture {
  bool any = false;
  double seconds = 0;
  size_t rows_for_one = 1;  ///< Of so many one is drawn.
};

/// The timeline of a summary, of what timeline_source() chooses.
///
/// file      of the summary, with states and a path to the archive.
/// run       that of `summary`, without events.
/// options   neither critical nor causes nor pick: they need events; `calls` is replaced.
/// errors    kUnsupported for an order that follows from messages; those of timeline_source() and
///           figure::timeline().
base::Result<layout::Scene> make_summary_timeline(
    const std::filesystem::path& file, const summary::RunSummary& summary, const trace::Trace& run,
    const trace::Selection& selection, figure::Options options, base::ThreadPool& pool,
    figure::TimelineReport* report, BinsOfPicture* bins = nullptr);

/// The tables that a picture of a summary is made of.
summary::Parts tables_of(FigureKind kind);
/// What a picture of some time needs of its events, where no tables know it; nullopt for all.
std::optional<PartNeeds> needs_of(FigureKind kind);

/// kTimeline (as above), kMatrix, kChord, kFlow, kProfile or kSteps of a summary, as make_scene()
/// draws them of its run. The time of the selection counts for kTimeline and kSteps only.
///
/// whole   where the profile of `summary` is of a chosen time, that of the run: what a region is
/// called
///         depends on which others there are.
/// errors  kInvalidArgument for kSteps of a program that marks none; those of the figures.
base::Result<layout::Scene> make_summary_scene(
    FigureKind kind, const std::filesystem::path& file, const summary::RunSummary& summary,
    const trace::Trace& run, const trace::Selection& selection, const figure::Options& options,
    base::ThreadPool& pool, figure::TimelineReport* report, BinsOfPicture* bins = nullptr,
    const profile::Profile* whole = nullptr);

}  // namespace pathline::app
