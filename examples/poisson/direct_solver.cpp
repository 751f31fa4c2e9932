// SPDX-License-Identifier: BSD-3-Clause
#include "examples/poisson/direct_solver.hpp"

#include <algorithm>
#include <cmath>

#include "pathline/pathline.h"

namespace poisson {

DirectSolver::DirectSolver(const Operator& a, Work& work)
    : count_(static_cast<size_t>(a.nx()) * static_cast<size_t>(a.ny())),
      band_(static_cast<size_t>(std::min(a.nx(), a.ny()))),
      step_x_(a.nx() <= a.ny() ? 1 : band_),
      step_y_(a.nx() <= a.ny() ? band_ : 1),
      factor_(count_ * (band_ + 1)) {
  for (int y = 0; y < a.ny(); ++y) {
    for (int x = 0; x < a.nx(); ++x) {
      const size_t row = index(x, y);
      factor(row, row) = a.diagonal(x, y);
      if (x > 0) factor(row, row - step_x_) -= a.x_faces()(x, y);
      if (y > 0) factor(row, row - step_y_) -= a.y_faces()(x, y);
    }
  }
  for (size_t row = 0; row < count_; ++row) {
    for (size_t column = first_column(row); column <= row; ++column) {
      double value = factor(row, column);
      for (size_t k = first_column(row); k < column; ++k) {
        value -= factor(row, k) * factor(column, k);
      }
      factor(row, column) = column == row ? std::sqrt(value) : value / factor(column, column);
    }
  }
  work.add(Part::kDirect, static_cast<double>(count_ * band_ * band_));
}

void DirectSolver::solve(const Array& b, Array& u, Work& work) const {
  const pathline::Region region("direct_solve");
  std::vector<double> values(count_);
  for (int y = 0; y < b.height(); ++y) {
    for (int x = 0; x < b.width(); ++x) values[index(x, y)] = b(x, y);
  }
  for (size_t row = 0; row < count_; ++row) {
    for (size_t k = first_column(row); k < row; ++k) values[row] -= factor(row, k) * values[k];
    values[row] /= factor(row, row);
  }
  for (size_t row = count_; row-- > 0;) {
    values[row] /= factor(row, row);
    for (size_t k = first_column(row); k < row; ++k) values[k] -= factor(row, k) * values[row];
  }
  for (int y = 0; y < u.height(); ++y) {
    for (int x = 0; x < u.width(); ++x) u(x, y) = values[index(x, y)];
  }
  work.add(Part::kDirect, static_cast<double>(4 * count_ * band_));
}

}  // namespace poisson
