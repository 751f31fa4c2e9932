// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "figure/figure.hpp"
#include "render/draw.hpp"

namespace pathline::app {

enum class FigureKind : uint8_t { kTimeline, kMatrix, kChord, kFlow, kProfile, kSteps };

/// "timeline", "matrix", "chord", "flow", "profile", "steps".
/// errors  kInvalidArgument naming the kinds there are.
base::Result<FigureKind> parse_figure_kind(std::string_view name);

/// The picture of one kind of a run.
///
/// step    matrix, chord, flow: the messages of this marked time step.
/// report  timeline only: what became of the messages.
/// errors  kInvalidArgument for steps of a program that marks none and whose calls have no period.
base::Result<layout::Scene> make_scene(FigureKind kind, const trace::Trace& trace,
                                       const trace::Selection& selection,
                                       const figure::Options& options, std::optional<uint32_t> step,
                                       base::ThreadPool& pool, figure::Bundled* report = nullptr);

/// Draws a scene into a file, PNG or SVG by the end of its name.
/// errors  kInvalidArgument for another name, kIo.
base::Status write_picture(const layout::Scene& scene, const std::string& path,
                           base::ThreadPool& pool, render::DrawStats* stats);

}  // namespace pathline::app
