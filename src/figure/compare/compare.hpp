// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "figure/figure.hpp"

// Two runs in one picture, with one layout and one scale: what became of a program that was
// changed, or runs elsewhere. Headings have the time of both runs, or of their chosen parts.
namespace pathline::figure {

/// One of the two runs.
struct ComparedRun {
  const trace::Trace& trace;
  const trace::Selection& selection;
  std::string name;

  /// Of the chosen part.
  [[nodiscard]] double seconds() const;
};

/// "fast → slow: profile".
std::string comparison_title(const ComparedRun& before, const ComparedRun& after,
                             const std::string& what);
/// "time 3.07 s → 1.47 s (-52 %)".
std::string comparison_time(const ComparedRun& before, const ComparedRun& after);

/// Exclusive time of each region, regions by name: mean over the ranks before as a grey bar, after
/// as one in the region's colour below it, the smallest and the largest rank as lines.
///
/// errors  kInvalidArgument without calls in either, and for a picture too small.
base::Result<layout::Scene> profile_comparison(const ComparedRun& before,
                                               const profile::Profile& profile_before,
                                               const ComparedRun& after,
                                               const profile::Profile& profile_after,
                                               const Options& options);

/// The matrix of matrix(), coloured by how its cells differ; what both have alike is pale.
///
/// errors  kInvalidArgument unless both runs have the same ranks, and for a picture too small.
base::Result<layout::Scene> matrix_comparison(const ComparedRun& before,
                                              const comm::Matrix& matrix_before,
                                              const ComparedRun& after,
                                              const comm::Matrix& matrix_after,
                                              const Options& options);

/// Curves of steps() of both runs in one plot, that of before grey; below, the share of MPI of
/// both, with one scale, steps of the same number above each other.
///
/// errors  those of steps(), for either.
base::Result<layout::Scene> steps_comparison(const ComparedRun& before,
                                             const steps::Table& table_before,
                                             const ComparedRun& after,
                                             const steps::Table& table_after, const StepsText& text,
                                             const Options& options);

/// Both timelines, one below the other: a second is as long in both, and both begin at the left.
///
/// errors  those of timeline(), for either, in half the height.
/// cost    twice that of timeline(), for the shorter run three times.
base::Result<layout::Scene> timeline_comparison(const ComparedRun& before,
                                                const StepMarks& steps_before,
                                                const ComparedRun& after,
                                                const StepMarks& steps_after,
                                                const Options& options, base::ThreadPool& pool);

}  // namespace pathline::figure
