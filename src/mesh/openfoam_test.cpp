// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/openfoam.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "mesh/test_foam.hpp"

namespace pathline::mesh {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Texts {
  std::string points = two_cubes_points();
  std::string faces = two_cubes_faces();
  std::string owner = two_cubes_owner();
  std::string neighbour = two_cubes_neighbour();

  [[nodiscard]] base::Result<vtk::Grid> grid() const {
    return foam_grid({points, faces, owner, neighbour, "polyMesh"});
  }
  [[nodiscard]] std::string error() const {
    const auto made = grid();
    return made ? "no error" : made.error().message;
  }
};

TEST(OpenFoam, MakesCellsOfFaces) {
  const auto grid = Texts().grid();
  ASSERT_TRUE(grid.ok()) << grid.error().message;
  EXPECT_THAT(grid.value().points, SizeIs(36));
  EXPECT_THAT(grid.value().types, ElementsAre(vtk::kHexahedron, vtk::kHexahedron));
  EXPECT_THAT(grid.value().offsets, ElementsAre(8, 16));
  // The left cube stands on the inner face, its first; from inside: 1 7 10 4, opposite 0 6 9 3.
  // The right one stands on the same face, seen from its own inside.
  EXPECT_THAT(grid.value().connectivity,
              ElementsAre(1, 7, 10, 4, 0, 6, 9, 3, /**/ 7, 1, 4, 10, 8, 2, 5, 11));
  EXPECT_THAT(grid.value().faces, IsEmpty());
  EXPECT_THAT(grid.value().face_offsets, IsEmpty());
}

TEST(OpenFoam, NeighboursMayBeListedForAllFaces) {
  Texts texts;
  texts.neighbour = foam_text("labelList", "11(1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1)");
  ASSERT_TRUE(texts.grid().ok()) << texts.error();
  EXPECT_EQ(texts.grid().value().connectivity, Texts().grid().value().connectivity);
}

TEST(OpenFoam, ARankMayHaveNoCells) {
  const Texts nothing{foam_text("vectorField", "0()"), foam_text("faceList", "0()"),
                      foam_text("labelList", "0()"), foam_text("labelList", "0()")};
  ASSERT_TRUE(nothing.grid().ok()) << nothing.error();
  EXPECT_EQ(nothing.grid().value().cell_count(), 0U);
}

TEST(OpenFoam, SaysWhatDoesNotFitTogether) {
  Texts texts;
  texts.points = foam_text("vectorField", "2((0 0 0) (1 1 1))");
  EXPECT_EQ(texts.error(),
            "cannot read polyMesh/faces: face 0 has the corner 4, but there are 2 points");
  texts = {};
  texts.faces = foam_text("faceList", "1(2(0 1))");
  EXPECT_EQ(texts.error(),
            "cannot read polyMesh/owner: line 12: the list has 11 entries, but there are 1 faces");
  texts.owner = foam_text("labelList", "1(0)");
  EXPECT_EQ(texts.error(), "cannot read polyMesh/faces: face 0 has 2 corners, expected at least 3");
  texts = {};
  texts.owner = foam_text("labelList", "10{0}");
  EXPECT_EQ(texts.error(),
            "cannot read polyMesh/owner: owners of 10 faces, but there are 11 faces");
  texts.owner = foam_text("labelList", "11(0 0 0 0 0 0 1 1 1 1 999999)");
  EXPECT_THAT(texts.error(), HasSubstr("face 10 belongs to cell 999999, but 11 faces"));
  texts.owner = foam_text("labelList", "11(0 0 0 0 0 0 1 1 1 1 -1)");
  EXPECT_THAT(texts.error(), HasSubstr("face 10 belongs to cell -1"));
  texts.owner = foam_text("labelList", "11(0 0 0 0 0 0 1 1 1 1 3)");
  EXPECT_EQ(texts.error(), "cannot read polyMesh/owner: cell 2 has 0 faces, expected at least 4");
  texts = {};
  texts.neighbour = foam_text("labelList", "1(2)");
  EXPECT_EQ(texts.error(),
            "cannot read polyMesh/neighbour: face 0 belongs to cell 2, but there are 2 cells");
}

TEST(OpenFoam, ReadsTheFilesOfAProcessor) {
  const base::ScratchFolder folder;
  const auto processor = folder.path() / "processor0";
  EXPECT_THAT(read_foam_grid(processor).error().message,
              HasSubstr("processor0/constant/polyMesh/points, nor the same with .gz"));
  folder.write("processor0/constant/polyMesh/points", two_cubes_points());
  folder.write("processor0/constant/polyMesh/faces", two_cubes_faces());
  folder.write("processor0/constant/polyMesh/owner", two_cubes_owner());
  folder.write("processor0/constant/polyMesh/neighbour.gz", "this is not packed");
  const auto grid = read_foam_grid(processor);
  ASSERT_FALSE(grid.ok());
  EXPECT_THAT(grid.error().message, HasSubstr("neighbour"));
  folder.write("processor0/constant/polyMesh/neighbour", two_cubes_neighbour());
  EXPECT_EQ(read_foam_grid(processor).value().cell_count(), 2U);
}

}  // namespace
}  // namespace pathline::mesh
