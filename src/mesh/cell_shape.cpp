// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/cell_shape.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace pathline::mesh {
namespace {

/// A base of three or four corners, and above each the corner that an edge leads to: all the same
/// for what ends in an apex.
struct Column {
  size_t sides = 0;
  std::array<int64_t, 4> base{};  // Looks anticlockwise from outside.
  std::array<int64_t, 4> top{};
};

/// What stands before and behind the edge from `from` to `to` in the face that has it.
struct Beside {
  int64_t before;
  int64_t behind;
};
std::optional<Beside> beside_edge(const Outline& outline, size_t base, int64_t from, int64_t to) {
  for (size_t f = 0; f < outline.face_count(); ++f) {
    if (f == base) continue;
    const auto face = outline.face(f);
    for (size_t i = 0; i < face.size(); ++i) {
      if (face[i] != from || face[(i + 1) % face.size()] != to) continue;
      return Beside{face[(i + face.size() - 1) % face.size()], face[(i + 2) % face.size()]};
    }
  }
  return std::nullopt;
}

std::optional<Column> column_on(const Outline& outline, size_t base) {
  const auto face = outline.face(base);
  Column column{.sides = face.size()};
  const size_t n = column.sides;
  std::copy(face.begin(), face.end(), column.base.begin());
  std::array<int64_t, 4> top_by_other{};
  for (size_t i = 0; i < n; ++i) {
    // Neighbours run along their common edge in opposite directions.
    const auto found = beside_edge(outline, base, face[(i + 1) % n], face[i]);
    if (!found) return std::nullopt;
    column.top[i] = found->behind;
    top_by_other[(i + 1) % n] = found->before;
  }
  if (column.top != top_by_other) return std::nullopt;
  return column;
}

/// How many different numbers there are.
size_t distinct(std::span<const int64_t> numbers) {
  size_t count = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto before = numbers.first(i);
    if (std::find(before.begin(), before.end(), numbers[i]) == before.end()) ++count;
  }
  return count;
}

struct Shape {
  vtk::CellType type;
  size_t triangles;
  size_t quads;
  size_t base_sides;
  size_t corners;
};
constexpr Shape kShapes[] = {{vtk::kTetrahedron, 4, 0, 3, 4},
                             {vtk::kPyramid, 4, 1, 4, 5},
                             {vtk::kWedge, 2, 3, 3, 6},
                             {vtk::kHexahedron, 0, 6, 4, 8}};

bool add_as(vtk::Grid& grid, const Outline& outline, const Shape& shape) {
  size_t base = 0;
  while (outline.face(base).size() != shape.base_sides) ++base;
  const auto column = column_on(outline, base);
  if (!column) return false;
  const size_t n = column->sides;
  const bool has_apex = shape.corners == n + 1;
  std::vector<int64_t> corners(column->base.begin(), column->base.begin() + n);
  if (has_apex) {
    if (distinct(std::span(column->top).first(n)) != 1) return false;
    corners.push_back(column->top[0]);
  } else {
    corners.insert(corners.end(), column->top.begin(), column->top.begin() + n);
  }
  if (distinct(corners) != shape.corners) return false;
  // VTK sees the base of all but a wedge from inside.
  if (shape.type != vtk::kWedge) {
    std::reverse(corners.begin() + 1, corners.begin() + n);
    if (!has_apex) std::reverse(corners.begin() + n + 1, corners.end());
  }
  grid.connectivity.insert(grid.connectivity.end(), corners.begin(), corners.end());
  grid.offsets.push_back(static_cast<int64_t>(grid.connectivity.size()));
  grid.types.push_back(shape.type);
  grid.face_offsets.push_back(-1);
  return true;
}

void add_polyhedron(vtk::Grid& grid, const Outline& outline) {
  std::vector<int64_t> corners = outline.corners();
  std::sort(corners.begin(), corners.end());
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  grid.connectivity.insert(grid.connectivity.end(), corners.begin(), corners.end());
  grid.offsets.push_back(static_cast<int64_t>(grid.connectivity.size()));
  grid.types.push_back(vtk::kPolyhedron);
  grid.faces.push_back(static_cast<int64_t>(outline.face_count()));
  for (size_t f = 0; f < outline.face_count(); ++f) {
    const auto face = outline.face(f);
    grid.faces.push_back(static_cast<int64_t>(face.size()));
    grid.faces.insert(grid.faces.end(), face.begin(), face.end());
  }
  grid.face_offsets.push_back(static_cast<int64_t>(grid.faces.size()));
}

}  // namespace

void Outline::clear() {
  corners_.clear();
  ends_.clear();
}

void Outline::add_face(std::span<const int64_t> corners, bool inward) {
  if (inward) {
    corners_.insert(corners_.end(), corners.rbegin(), corners.rend());
  } else {
    corners_.insert(corners_.end(), corners.begin(), corners.end());
  }
  ends_.push_back(corners_.size());
}

std::span<const int64_t> Outline::face(size_t index) const {
  const size_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::span(corners_).subspan(begin, ends_[index] - begin);
}

void add_cell(vtk::Grid& grid, const Outline& outline) {
  size_t triangles = 0;
  size_t quads = 0;
  for (size_t f = 0; f < outline.face_count(); ++f) {
    triangles += outline.face(f).size() == 3 ? 1 : 0;
    quads += outline.face(f).size() == 4 ? 1 : 0;
  }
  for (const Shape& shape : kShapes) {
    if (triangles != shape.triangles || quads != shape.quads ||
        triangles + quads != outline.face_count()) {
      continue;
    }
    if (add_as(grid, outline, shape)) return;
  }
  add_polyhedron(grid, outline);
}

}  // namespace pathline::mesh
