// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/part_of_run.hpp"
#include "base/result.hpp"
#include "summary/run_summary.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// A part of a run to judge instead of all of it.
struct MiddlePart : PartOfTime {
  /// What it does not show: the other time steps in a row that together take most time beyond what
  /// is usual in it. As many as it has at most; nullopt where that is less than a fiftieth of the
  /// time of all.
  std::optional<PartOfTime> slower;
  std::string slower_text;  ///< "time steps 90 to 94 take 4.3 s each, those judged 1.5 s".

  /// "31.115014 s to 31.455226 s, time steps 674 to 680"
  [[nodiscard]] std::string text() const;
};

/// Of time steps in their order those in a row that MiddlePart::slower is of.
///
/// first, last  of those that are judged.
/// returns      the first and the last one.
/// cost         O(steps).
std::optional<std::pair<size_t, size_t>> slower_steps(const std::vector<trace::StepWindow>& steps,
                                                      size_t first, size_t last);

/// Time steps around the one in the middle, or where none are marked time around that, of up to
/// kMostJudgedEvents or what half of the memory holds.
///
/// most_events  what a run may have that is judged as a whole.
/// returns      its times, in seconds since the start of the run, and its steps; nullopt if the
///              whole has no more and fits into memory, or parts cannot be read.
base::Result<std::optional<MiddlePart>> middle_part(const std::filesystem::path& path,
                                                    const summary::RunSummary& summary,
                                                    uint64_t most_events = UINT64_MAX);

}  // namespace pathline::app
