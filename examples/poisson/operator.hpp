// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "examples/poisson/array.hpp"

namespace poisson {

/// What flows out of each cell of a rank, as a function of the values in the cells: over each face
/// its coefficient times the difference of the two values. Behind a wall the value is 0.
class Operator {
 public:
  /// x_faces  (nx + 1) x ny coefficients, the face (x, y) being to the left of the cell (x, y).
  /// y_faces  nx x (ny + 1), below the cell.
  Operator(Array x_faces, Array y_faces)
      : x_faces_(std::move(x_faces)), y_faces_(std::move(y_faces)) {}

  [[nodiscard]] int nx() const { return y_faces_.width(); }
  [[nodiscard]] int ny() const { return x_faces_.height(); }
  [[nodiscard]] const Array& x_faces() const { return x_faces_; }
  [[nodiscard]] const Array& y_faces() const { return y_faces_; }

  [[nodiscard]] double diagonal(int x, int y) const {
    return x_faces_(x, y) + x_faces_(x + 1, y) + y_faces_(x, y) + y_faces_(x, y + 1);
  }

  /// The neighbours' part, which the diagonal's exceeds by what flows out.
  [[nodiscard]] double neighbours(const Array& u, int x, int y) const {
    return x_faces_(x, y) * u(x - 1, y) + x_faces_(x + 1, y) * u(x + 1, y) +
           y_faces_(x, y) * u(x, y - 1) + y_faces_(x, y + 1) * u(x, y + 1);
  }

  /// For cells of twice the width and height; nx and ny are even. Between two coarse centres lie
  /// the halves next to the common face, which are those of the two fine pairs: each of these
  /// conducts half as well over twice the distance, both together as the mean. At walls it is the
  /// same.
  [[nodiscard]] Operator coarsened() const;

 private:
  Array x_faces_;
  Array y_faces_;
};

}  // namespace poisson
