// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <optional>

#include "examples/poisson/options.hpp"
#include "examples/poisson/solvers.hpp"

namespace poisson {

/// What came out, the same on all ranks.
struct Report {
  Outcome outcome;
  double true_residual = 0;     ///< Computed from the solution, relative to the right side.
  double flux = 0;              ///< Through the wall x = 1.
  double outflow = 0;           ///< Through all walls.
  double source = 0;            ///< The integral of f, which the outflow would be without residual.
  std::optional<double> error;  ///< The largest; where the solution is known.
  std::optional<double> census;  ///< The work of the busiest rank beside the mean.
  double time_s = 0;             ///< Of the slowest rank, for the solver alone.
};

/// Lines "name = value".
void print_text(const Options& options, const Report& report);

/// One object. What is unknown or no number is null. Returns whether it could be written.
bool print_json(std::FILE* file, const Options& options, const Report& report);

}  // namespace poisson
