// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vtk/grid.hpp"

namespace pathline::mesh {

/// The faces of a cell, each as its corners in the order that looks anticlockwise from outside.
class Outline {
 public:
  void clear();
  /// inward  The corners look anticlockwise from inside.
  void add_face(std::span<const int64_t> corners, bool inward);

  [[nodiscard]] size_t face_count() const { return ends_.size(); }
  [[nodiscard]] std::span<const int64_t> face(size_t index) const;
  [[nodiscard]] const std::vector<int64_t>& corners() const { return corners_; }

 private:
  std::vector<int64_t> corners_;
  std::vector<size_t> ends_;
};

/// Adds the cell to `grid`: as a tetrahedron, pyramid, wedge or hexahedron if its faces are those
/// of one, whatever their order, else as a polyhedron. `grid.face_offsets` must be kept as long as
/// the cells, with -1 for those that are no polyhedra. cost  O(corners) of the cell; O(corners log
/// corners) for a polyhedron.
void add_cell(vtk::Grid& grid, const Outline& outline);

}  // namespace pathline::mesh
