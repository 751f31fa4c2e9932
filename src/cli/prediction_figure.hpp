// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "app/picture.hpp"
#include "cli/command.hpp"

namespace pathline::cli {

/// What only the figure prediction knows.
struct PredictionFigureOptions {
  std::string machine;
};

void add_prediction_figure_options(Command& command, PredictionFigureOptions& options);

/// Draws the runs that the database `common.input` holds into the output file of `common`.
/// stats  prints how near predictions came, and the CPU time of the picture, as JSON.
base::Result<int> draw_prediction(const CommonOptions& common,
                                  const PredictionFigureOptions& options,
                                  const figure::Options& look, bool stats);

}  // namespace pathline::cli
