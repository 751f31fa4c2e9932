// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/poisson/array.hpp"
#include "examples/poisson/census.hpp"
#include "examples/poisson/problem.hpp"
#include "examples/poisson/rank_grid.hpp"
#include "examples/poisson/work.hpp"

namespace poisson {

struct Limits {
  double tolerance = 1e-8;  ///< Of the residual's norm, relative to that of the right side.
  int iterations = 10'000;
};

struct Outcome {
  int iterations = 0;
  bool converged = false;
  double residual = 1;  ///< Its norm, relative to that of the right side.
};

// Both update the residual by what the solution changes, and do not compute it from the solution:
// with large coefficients that would find the rounding of the solution, times the coefficient.
// What has not converged says so; a residual that explodes, or is no number, ends them early.

/// Conjugate gradients (Hestenes and Stiefel, J. Res. Natl. Bur. Stand. 49, 1952). Iterations grow
/// with the number of cells in a direction.
///
/// u       0 at first.
/// census  or null.
Outcome cg_solve(const Problem& problem, const RankGrid& ranks, const Limits& limits, Array& u,
                 Work& work, Census* census);

/// V-cycles of multigrid, the same number for grids of all sizes.
///
/// ranks  powers of two in both directions.
Outcome mg_solve(const Problem& problem, const RankGrid& ranks, const Limits& limits, Array& u,
                 Work& work, Census* census);

}  // namespace poisson
