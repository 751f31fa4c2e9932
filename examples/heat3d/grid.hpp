// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "examples/heat3d/parameters.hpp"

namespace heat3d {

/// What Grid::update() computes for a point: its double 1, three in each direction 9, their sum 2,
/// the new value 1, and 1 to compare the change with the largest.
inline constexpr int kUpdateFlopPerPoint = 14;

/// The points of one rank, with a halo of one point on each side: what the neighbours have there,
/// or the wall. Two fields, since a step reads one and writes the other; x varies fastest.
class Grid {
 public:
  enum class Storage {
    kPoints,
    kMessages,  ///< No points, but memory for a message to and from each side, for all fields.
  };

  /// place   of this rank among all, 0 to ranks - 1 in each direction.
  Grid(const Parameters& parameters, const Triple<int>& place, Storage storage);

  [[nodiscard]] const Triple<int>& size() const { return size_; }    ///< Without the halo.
  [[nodiscard]] const Triple<int>& first() const { return first_; }  ///< Of the whole grid's.
  [[nodiscard]] const Triple<int>& whole() const { return whole_; }  ///< Size of the whole grid.

  [[nodiscard]] bool has_points() const { return has_points_; }
  [[nodiscard]] int64_t point_count() const { return int64_t{size_[0]} * size_[1] * size_[2]; }
  /// Points of a layer across `direction`, without the halo.
  [[nodiscard]] int layer_size(size_t direction) const {
    return static_cast<int>(point_count() / size_[direction]);
  }

  /// Of a point in a field; each coordinate goes from -1 to size.
  [[nodiscard]] size_t index(int x, int y, int z) const {
    return (static_cast<size_t>(z + 1) * stride_y_ + static_cast<size_t>(y + 1)) * stride_x_ +
           static_cast<size_t>(x + 1);
  }

  /// which   0 or 1. Both lie in one piece of memory that begins with field 0.
  double* field(int which) { return values_.data() + field_offset(which); }
  [[nodiscard]] const double* field(int which) const {
    return values_.data() + field_offset(which);
  }
  /// From the first value of field 0 to that of this one.
  [[nodiscard]] size_t field_offset(int which) const {
    return has_points_ && which == 1 ? values_.size() / 2 : 0;
  }
  /// Of all fields.
  [[nodiscard]] size_t value_count() const { return values_.size(); }

  /// One explicit Euler step with central differences, from field `from` into the other one.
  ///
  /// weight   a dt / h^2 of each direction.
  /// returns  the largest change of a point of this rank.
  double update(int from, const Triple<double>& weight);

 private:
  void set_start(const Parameters& parameters, const Triple<int>& place);
  void fill_face(size_t direction, int coordinate, double value);

  bool has_points_;
  Triple<int> size_;
  Triple<int> first_;
  Triple<int> whole_;
  size_t stride_x_;
  size_t stride_y_;
  std::vector<double> values_;
};

}  // namespace heat3d
