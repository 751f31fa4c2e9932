// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "app/picture.hpp"
#include "cli/command.hpp"
#include "cli/model_options.hpp"

namespace pathline::cli {

/// What only the figure model knows.
struct ModelFigureOptions : ModelDataOptions {
  std::vector<std::string> more;  ///< Runs behind the first.
  std::string kind;
  std::vector<std::string> kernels;
  std::string axes;
  size_t top = 0;
};

void add_model_figure_options(Command& command, ModelFigureOptions& options);

/// Draws the figure into the output file of `common`, whose input is the first run.
/// metric  "" for the one that says most.
/// look    size and theme.
/// stats   prints the CPU time of it as JSON.
base::Result<int> draw_model(const CommonOptions& common, ModelFigureOptions options,
                             const std::string& metric, const figure::Options& look, bool stats);

}  // namespace pathline::cli
