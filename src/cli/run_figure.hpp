// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "app/picture.hpp"
#include "cli/command.hpp"
#include "cli/timeline_figure.hpp"

namespace pathline::cli {

/// What only figures of one run know, beside how lines are drawn.
struct RunFigureOptions {
  LineOptions lines;
  std::string width = "log";
  std::string order = "rank";
  std::string pick;
  std::optional<uint32_t> step;
  std::string slurm;
  bool critical = false;
};

/// The above.
void add_run_figure_options(Command& command, RunFigureOptions& options);

/// Draws timeline, matrix, chord, flow, profile, steps, efficiency or topology into the output file
/// of `common`. metric  "" for what suits the figure. look    size, theme and lines. stats   prints
/// quality and CPU time of it as JSON.
/// compare  another run, drawn as what became of this one; "" for none.
base::Result<int> draw_run(app::FigureKind kind, const CommonOptions& common,
                           const RunFigureOptions& options, const std::string& metric,
                           const std::string& compare, figure::Options look, bool stats);

}  // namespace pathline::cli
