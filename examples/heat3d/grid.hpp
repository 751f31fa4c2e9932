// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "examples/heat3d/parameters.hpp"

namespace heat3d {

/// The points of one rank, with a halo of one point on each side: what the neighbours have there,
/// or the wall. Two fields, since a step reads one and writes the other; x varies fastest.
class Grid {
 public:
  /// place   of this rank among all, 0 to ranks - 1 in each direction.
  Grid(const Parameters& parameters, const Triple<int>& place);

  [[nodiscard]] const Triple<int>& size() const { return size_; }    ///< Without the halo.
  [[nodiscard]] const Triple<int>& first() const { return first_; }  ///< Of the whole grid's.
  [[nodiscard]] const Triple<int>& whole() const { return whole_; }  ///< Size of the whole grid.

  /// Of a point in a field; each coordinate goes from -1 to size.
  [[nodiscard]] size_t index(int x, int y, int z) const {
    return (static_cast<size_t>(z + 1) * stride_y_ + static_cast<size_t>(y + 1)) * stride_x_ +
           static_cast<size_t>(x + 1);
  }

  /// which   0 or 1. Both lie in one piece of memory, `field_size` values apart.
  double* field(int which) { return values_.data() + which * field_size(); }
  [[nodiscard]] const double* field(int which) const {
    return values_.data() + which * field_size();
  }
  [[nodiscard]] size_t field_size() const { return values_.size() / 2; }

  /// One explicit Euler step with central differences, from field `from` into the other one.
  ///
  /// weight   a dt / h^2 of each direction.
  /// returns  the largest change of a point of this rank.
  double update(int from, const Triple<double>& weight);

 private:
  void fill_face(size_t direction, int coordinate, double value);

  Triple<int> size_;
  Triple<int> first_;
  Triple<int> whole_;
  size_t stride_x_;
  size_t stride_y_;
  std::vector<double> values_;
};

}  // namespace heat3d
