// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "figure/timeline/states.hpp"
#include "figure/timeline/step_marks.hpp"
#include "layout/scene.hpp"
#include "layout/theme.hpp"
#include "trace/calls.hpp"
#include "trace/trace.hpp"

namespace pathline::figure {

/// Those of the first rank of the picture that has any.
std::span<const trace::StepWindow> steps_of_picture(const StepMarks& steps, const Rows& rows);

/// Below the rows, when each step begins: every
/// second one is shaded where they are wide enough to be told apart, with its number where there is
/// room; else a bar from the first to the last. Their number and mean length stand in the lane, or
/// are returned when there is no room for them.
///
/// area     the lane, as wide as the plot.
/// returns  "120 steps of 3.1 ms"; "" for none in this time.
std::string add_step_lane(layout::Scene& scene, const layout::Theme& theme,
                          const layout::Rect& area, const trace::Trace& trace, TimeRange range,
                          std::span<const trace::StepWindow> steps, const std::string& word);

}  // namespace pathline::figure
