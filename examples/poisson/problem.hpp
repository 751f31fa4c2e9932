// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/poisson/array.hpp"
#include "examples/poisson/operator.hpp"
#include "examples/poisson/rank_grid.hpp"

namespace poisson {

/// -div(k grad u) = f on the unit square, u = 0 at its walls: finite volumes, values in the centres
/// of the cells. k is `coefficient` in a disc in the middle and 1 around it. For k = 1 the solution
/// is u = x (1 - x) y (1 - y) exp(x + y); f is the same for all k.
class Problem {
 public:
  /// nx, ny  cells of each rank.
  Problem(const RankGrid& ranks, int nx, int ny, double coefficient);

  [[nodiscard]] const Operator& a() const { return a_; }
  [[nodiscard]] const Array& b() const { return b_; }  ///< f, over each cell.

  /// What flows out through the wall x = 1, and through all four. Only what is of this rank.
  [[nodiscard]] double flux_right(const Array& u) const;
  [[nodiscard]] double flux_out(const Array& u) const;

  /// The largest difference to the solution for k = 1, in a cell of this rank.
  [[nodiscard]] double largest_error(const Array& u) const;

 private:
  [[nodiscard]] double x_of(int x) const;
  [[nodiscard]] double y_of(int y) const;
  [[nodiscard]] double k_of(int x, int y) const;
  [[nodiscard]] double face(int x, int y, int other_x, int other_y) const;
  [[nodiscard]] Operator make_operator() const;

  RankGrid ranks_;
  int nx_;
  int ny_;
  double coefficient_;
  double hx_;
  double hy_;
  Operator a_;
  Array b_;
};

}  // namespace poisson
