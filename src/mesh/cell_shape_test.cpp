// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/cell_shape.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::mesh {
namespace {

using Face = std::vector<int64_t>;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

vtk::Grid grid_of(const std::vector<Face>& faces) {
  Outline outline;
  for (const Face& face : faces) outline.add_face(face, false);
  vtk::Grid grid;
  add_cell(grid, outline);
  return grid;
}

// As in VTK's book: the corners of each face anticlockwise from outside.
const std::vector<Face> kTetra = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};
const std::vector<Face> kPyramid = {{0, 3, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
const std::vector<Face> kWedge = {{0, 1, 2}, {3, 5, 4}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}};
const std::vector<Face> kCube = {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4},
                                 {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}};

/// The faces of a cell of VTK with these corners, each from its least corner on, sorted.
std::vector<Face> normal(std::vector<Face> faces) {
  for (Face& face : faces) {
    std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
  }
  std::sort(faces.begin(), faces.end());
  return faces;
}
std::vector<Face> faces_of_cell(const std::vector<Face>& of_type,
                                const std::vector<int64_t>& corners) {
  std::vector<Face> faces = of_type;
  for (Face& face : faces) {
    for (int64_t& corner : face) corner = corners[static_cast<size_t>(corner)];
  }
  return normal(faces);
}

TEST(CellShape, OrdersCornersAsVtkDoes) {
  const vtk::Grid tetra = grid_of({{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}});
  EXPECT_THAT(tetra.types, ElementsAre(vtk::kTetrahedron));
  EXPECT_THAT(tetra.connectivity, ElementsAre(0, 1, 2, 3));
  const vtk::Grid cube =
      grid_of({{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}});
  EXPECT_THAT(cube.types, ElementsAre(vtk::kHexahedron));
  EXPECT_THAT(cube.connectivity, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(cube.offsets, ElementsAre(8));
  EXPECT_THAT(cube.face_offsets, ElementsAre(-1));
  EXPECT_THAT(grid_of(kWedge).connectivity, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(grid_of(kPyramid).connectivity, ElementsAre(0, 1, 2, 3, 4));
}

TEST(CellShape, DoesNotDependOnTheOrderOfFacesAndTheirFirstCorner) {
  std::mt19937 random(7);
  const std::pair<const std::vector<Face>*, vtk::CellType> shapes[] = {{&kTetra, vtk::kTetrahedron},
                                                                       {&kPyramid, vtk::kPyramid},
                                                                       {&kWedge, vtk::kWedge},
                                                                       {&kCube, vtk::kHexahedron}};
  for (const auto& [shape, type] : shapes) {
    for (int round = 0; round < 50; ++round) {
      // Any points, any order of faces, any first corner.
      std::vector<int64_t> points(8);
      std::iota(points.begin(), points.end(), 100);
      std::shuffle(points.begin(), points.end(), random);
      std::vector<Face> faces = *shape;
      std::shuffle(faces.begin(), faces.end(), random);
      for (Face& face : faces) {
        for (int64_t& corner : face) corner = points[static_cast<size_t>(corner)];
        std::rotate(face.begin(), face.begin() + random() % face.size(), face.end());
      }
      const vtk::Grid grid = grid_of(faces);
      ASSERT_THAT(grid.types, ElementsAre(type));
      EXPECT_EQ(faces_of_cell(*shape, grid.connectivity), normal(faces));
    }
  }
}

TEST(CellShape, TurnsFacesThatLookInwards) {
  Outline outline;
  for (const Face& face : kTetra) outline.add_face(Face(face.rbegin(), face.rend()), true);
  vtk::Grid grid;
  add_cell(grid, outline);
  EXPECT_EQ(faces_of_cell(kTetra, grid.connectivity), normal(kTetra));
}

TEST(CellShape, AnythingElseIsAPolyhedron) {
  // A cube whose top is two triangles.
  std::vector<Face> faces(kCube.begin(), kCube.end() - 1);
  faces.push_back({4, 5, 6});
  faces.push_back({4, 6, 7});
  const vtk::Grid grid = grid_of(faces);
  EXPECT_THAT(grid.types, ElementsAre(vtk::kPolyhedron));
  EXPECT_THAT(grid.connectivity, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(grid.faces, ElementsAreArray({7, 4, 0, 4, 7, 3, 4, 1, 2, 6, 5, 4, 0, 1, 5, 4, 4,
                                            3, 7, 6, 2, 4, 0, 3, 2, 1, 3, 4, 5, 6, 3, 4, 6, 7}));
  EXPECT_THAT(grid.face_offsets, ElementsAre(34));
}

TEST(CellShape, WhatOnlyCountsLikeACubeIsAPolyhedron) {
  // Six quads, but one edge is passed twice in the same direction.
  std::vector<Face> faces = kCube;
  std::reverse(faces[0].begin(), faces[0].end());
  EXPECT_THAT(grid_of(faces).types, ElementsAre(vtk::kPolyhedron));
  // And six that are all the same.
  EXPECT_THAT(grid_of(std::vector<Face>(6, Face{0, 1, 2, 3})).types, ElementsAre(vtk::kPolyhedron));
}

}  // namespace
}  // namespace pathline::mesh
