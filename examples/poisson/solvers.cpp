// SPDX-License-Identifier: BSD-3-Clause
#include "examples/poisson/solvers.hpp"

#include <cmath>

#include "examples/poisson/halo.hpp"
#include "examples/poisson/kernels.hpp"
#include "examples/poisson/multigrid.hpp"
#include "pathline/pathline.h"

namespace poisson {
namespace {

constexpr double kExploded = 1e6;

/// Counts iterations, and judges them by the residual.
class Progress {
 public:
  Progress(const Limits& limits, double square_at_start)
      : limits_(limits), norm_at_start_(std::sqrt(square_at_start)) {}

  /// Begins an iteration, if there should be one.
  bool goes_on() {
    const bool is_exploded = !(outcome_.residual < kExploded);  // not a number, too
    if (outcome_.converged || is_exploded || outcome_.iterations == limits_.iterations) {
      return false;
    }
    ++outcome_.iterations;
    pathline_step(outcome_.iterations, 0);
    return true;
  }

  void end_iteration(double square, Work& work, Census* census) {
    outcome_.residual = std::sqrt(square) / norm_at_start_;
    outcome_.converged = outcome_.residual <= limits_.tolerance;
    if (census != nullptr) census->take(work);
  }

  [[nodiscard]] const Outcome& outcome() const { return outcome_; }

 private:
  Limits limits_;
  double norm_at_start_;
  Outcome outcome_;
};

}  // namespace

Outcome cg_solve(const Problem& problem, const RankGrid& ranks, const Limits& limits, Array& u,
                 Work& work, Census* census) {
  const pathline::Region region("cg_solve");
  const Operator& a = problem.a();
  const Halo halo(ranks, a.nx(), a.ny());
  Array r = problem.b();
  Array direction = r;
  Array a_direction = cell_values(a.nx(), a.ny());
  double square = dot(r, r, work);
  Progress progress(limits, square);
  while (progress.goes_on()) {
    apply(a, halo, direction, a_direction, work);
    const double length = square / dot(direction, a_direction, work);
    add_scaled(u, length, direction, work);
    add_scaled(r, -length, a_direction, work);
    const double square_before = square;
    square = dot(r, r, work);
    scale_and_add(direction, square / square_before, r, work);
    progress.end_iteration(square, work, census);
  }
  return progress.outcome();
}

Outcome mg_solve(const Problem& problem, const RankGrid& ranks, const Limits& limits, Array& u,
                 Work& work, Census* census) {
  const pathline::Region region("mg_solve");
  const Operator& a = problem.a();
  const Halo halo(ranks, a.nx(), a.ny());
  Multigrid multigrid(ranks, a, work);
  Array r = problem.b();
  Array correction = cell_values(a.nx(), a.ny());
  Array a_correction = cell_values(a.nx(), a.ny());
  Progress progress(limits, dot(r, r, work));
  while (progress.goes_on()) {
    multigrid.v_cycle(r, correction);
    add_scaled(u, 1, correction, work);
    apply(a, halo, correction, a_correction, work);
    add_scaled(r, -1, a_correction, work);
    progress.end_iteration(dot(r, r, work), work, census);
  }
  return progress.outcome();
}

}  // namespace poisson
