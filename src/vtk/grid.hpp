// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pathline::vtk {

/// Numbers or texts that belong to the cells, the points or the whole of a grid.
struct Array {
  using Values = std::variant<std::vector<int32_t>, std::vector<uint32_t>, std::vector<int64_t>,
                              std::vector<uint64_t>, std::vector<double>, std::vector<std::string>>;

  std::string name;
  Values values;  ///< One tuple after the other.
  unsigned components = 1;
  std::vector<std::string> component_names = {};  ///< Empty, or one for each component.
  /// So many times the same: `values` holds one tuple. 0: `values` is all. Costs neither memory nor
  /// time.
  size_t repeated = 0;

  [[nodiscard]] size_t tuple_count() const;
};

/// Numbers of VTK's cell types.
enum CellType : uint8_t {
  kVertex = 1,
  kLine = 3,
  kPolyLine = 4,
  kTriangle = 5,
  kPolygon = 7,
  kQuad = 9,
  kTetrahedron = 10,
  kHexahedron = 12,
  kWedge = 13,
  kPyramid = 14,
  kPolyhedron = 42
};

/// An unstructured grid: cells of any shape between points.
struct Grid {
  std::vector<double> points;         ///< x, y, z of each.
  std::vector<int64_t> connectivity;  ///< The points of the cells, one cell after the other.
  std::vector<int64_t> offsets;       ///< Per cell: where its points end.
  std::vector<uint8_t> types;         ///< Per cell: CellType.
  /// For polyhedra only: number of faces, then for each its number of points and the points.
  std::vector<int64_t> faces = {};
  /// Per cell: where its part of `faces` ends, -1 for a cell without; empty without polyhedra.
  std::vector<int64_t> face_offsets = {};
  std::vector<Array> cell_arrays = {};
  std::vector<Array> point_arrays = {};
  std::vector<Array> field_arrays = {};

  [[nodiscard]] size_t point_count() const { return points.size() / 3; }
  [[nodiscard]] size_t cell_count() const { return types.size(); }
  int64_t add_point(double x, double y, double z) {
    points.insert(points.end(), {x, y, z});
    return static_cast<int64_t>(point_count()) - 1;
  }
  void add_cell(CellType type, std::initializer_list<int64_t> corners) {
    connectivity.insert(connectivity.end(), corners);
    offsets.push_back(static_cast<int64_t>(connectivity.size()));
    types.push_back(type);
  }
};

}  // namespace pathline::vtk
