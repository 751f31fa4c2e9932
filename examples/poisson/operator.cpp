// SPDX-License-Identifier: BSD-3-Clause
#include "examples/poisson/operator.hpp"

namespace poisson {

Operator Operator::coarsened() const {
  Array x_faces(nx() / 2 + 1, ny() / 2);
  for (int y = 0; y < x_faces.height(); ++y) {
    for (int x = 0; x < x_faces.width(); ++x) {
      x_faces(x, y) = 0.5 * (x_faces_(2 * x, 2 * y) + x_faces_(2 * x, 2 * y + 1));
    }
  }
  Array y_faces(nx() / 2, ny() / 2 + 1);
  for (int y = 0; y < y_faces.height(); ++y) {
    for (int x = 0; x < y_faces.width(); ++x) {
      y_faces(x, y) = 0.5 * (y_faces_(2 * x, 2 * y) + y_faces_(2 * x + 1, 2 * y));
    }
  }
  return {std::move(x_faces), std::move(y_faces)};
}

}  // namespace poisson
