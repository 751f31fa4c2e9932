// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace poisson {

/// Values on a rectangle, x varying fastest, with a frame of `halo` more on each side. All 0 at
/// first.
class Array {
 public:
  Array(int width, int height, int halo = 0)
      : width_(width),
        height_(height),
        halo_(halo),
        values_(static_cast<size_t>(width + 2 * halo) * static_cast<size_t>(height + 2 * halo)) {}

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

  /// x from -halo to width + halo - 1, y alike.
  double& operator()(int x, int y) { return values_[index(x, y)]; }
  double operator()(int x, int y) const { return values_[index(x, y)]; }

  void fill(double value) { std::fill(values_.begin(), values_.end(), value); }

 private:
  [[nodiscard]] size_t index(int x, int y) const {
    return static_cast<size_t>(y + halo_) * static_cast<size_t>(width_ + 2 * halo_) +
           static_cast<size_t>(x + halo_);
  }

  int width_;
  int height_;
  int halo_;
  std::vector<double> values_;
};

/// An unknown for each cell of a rank, and room for those of its neighbours.
inline Array cell_values(int nx, int ny) { return Array(nx, ny, 1); }

}  // namespace poisson
