// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "examples/poisson/array.hpp"
#include "examples/poisson/operator.hpp"
#include "examples/poisson/work.hpp"

namespace poisson {

/// Solves A u = b on the coarsest grid, which one rank has: A = L L^T, where L has as many
/// diagonals as the shorter side of the grid has cells, and one more.
///
/// cost  cells * side^2 once, 4 * cells * side operations for each solution.
class DirectSolver {
 public:
  explicit DirectSolver(const Operator& a, Work& work);

  void solve(const Array& b, Array& u, Work& work) const;

 private:
  [[nodiscard]] size_t index(int x, int y) const {
    return static_cast<size_t>(x) * step_x_ + static_cast<size_t>(y) * step_y_;
  }
  double& factor(size_t row, size_t column) { return factor_[row * (band_ + 1) + row - column]; }
  [[nodiscard]] double factor(size_t row, size_t column) const {
    return factor_[row * (band_ + 1) + row - column];
  }
  [[nodiscard]] size_t first_column(size_t row) const { return row > band_ ? row - band_ : 0; }

  size_t count_;
  size_t band_;
  size_t step_x_;
  size_t step_y_;
  std::vector<double> factor_;
};

}  // namespace poisson
