// SPDX-License-Identifier: BSD-3-Clause
#include "examples/heat3d/grid.hpp"

#include <algorithm>
#include <cmath>

namespace heat3d {

Grid::Grid(const Parameters& parameters, const Triple<int>& place, Storage storage)
    : has_points_(storage == Storage::kPoints), whole_(parameters.points) {
  for (size_t i = 0; i < 3; ++i) {
    size_[i] = parameters.points[i] / parameters.ranks[i];
    first_[i] = place[i] * size_[i];
  }
  stride_x_ = static_cast<size_t>(size_[0]) + 2;
  stride_y_ = static_cast<size_t>(size_[1]) + 2;
  if (has_points_) {
    set_start(parameters, place);
    return;
  }
  // What is sent is the same for all sides; what is received lies behind it, side by side.
  size_t value_count = 0;
  for (size_t i = 0; i < 3; ++i) {
    value_count = std::max(value_count, static_cast<size_t>(layer_size(i)));
  }
  for (size_t i = 0; i < 3; ++i) value_count += 2 * static_cast<size_t>(layer_size(i));
  values_.resize(value_count);
}

void Grid::set_start(const Parameters& parameters, const Triple<int>& place) {
  values_.assign(2 * stride_x_ * stride_y_ * (static_cast<size_t>(size_[2]) + 2),
                 parameters.initial);
  for (size_t i = 0; i < 3; ++i) {
    if (place[i] == 0) fill_face(i, -1, parameters.walls[2 * i]);
    if (place[i] == parameters.ranks[i] - 1) fill_face(i, size_[i], parameters.walls[2 * i + 1]);
  }
}

void Grid::fill_face(size_t direction, int coordinate, double value) {
  Triple<int> begin = {0, 0, 0};
  Triple<int> end = size_;
  begin[direction] = coordinate;
  end[direction] = coordinate + 1;
  for (int z = begin[2]; z < end[2]; ++z) {
    for (int y = begin[1]; y < end[1]; ++y) {
      for (int x = begin[0]; x < end[0]; ++x) {
        for (const int which : {0, 1}) field(which)[index(x, y, z)] = value;
      }
    }
  }
}

double Grid::update(int from, const Triple<double>& weight) {
  const size_t stride_z = stride_x_ * stride_y_;
  double largest = 0;
  for (int z = 0; z < size_[2]; ++z) {
    for (int y = 0; y < size_[1]; ++y) {
      const double* old = field(from) + index(0, y, z);
      double* updated = field(1 - from) + index(0, y, z);
      for (int x = 0; x < size_[0]; ++x, ++old, ++updated) {
        // heat3d_f08.f90 computes in the same order, so that both give the same bits.
        const double twice = 2 * *old;
        const double change = weight[0] * (old[-1] - twice + old[1]) +
                              weight[1] * (*(old - stride_x_) - twice + old[stride_x_]) +
                              weight[2] * (*(old - stride_z) - twice + old[stride_z]);
        *updated = *old + change;
        largest = std::max(largest, std::abs(change));
      }
    }
  }
  return largest;
}

}  // namespace heat3d
