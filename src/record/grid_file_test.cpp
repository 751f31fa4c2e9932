// SPDX-License-Identifier: BSD-3-Clause
#include "record/grid_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <sys/mman.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::record {
namespace {

using testing::HasSubstr;

/// Two tetrahedra that share a side, and a line.
struct Mesh {
  std::vector<double> points = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
  std::vector<int64_t> connectivity = {0, 1, 2, 3, 1, 2, 3, 4, 0, 4};
  std::vector<int64_t> offsets = {4, 8, 10};
  std::vector<uint8_t> types = {10, 10, 3};

  [[nodiscard]] Grid grid() const {
    return {points.data(),       static_cast<int64_t>(points.size() / 3),
            connectivity.data(), offsets.data(),
            types.data(),        static_cast<int64_t>(types.size())};
  }
};

/// What is wrong with a grid, "" for a mesh.
std::string fault_of(const Grid& grid) {
  char why[256];
  if (is_readable(grid, why)) (void)is_mesh(grid, why);
  return why;
}

TEST(GridFile, TakesMeshes) {
  EXPECT_EQ(fault_of(Mesh().grid()), "");
  EXPECT_EQ(fault_of(Grid{}), "");
  // Points without cells, cells of a free number of points, and of types that we do not know.
  Grid points = Mesh().grid();
  points.n_cells = 0;
  points.connectivity = points.offsets = nullptr;
  points.types = nullptr;
  const Mesh mesh;
  points.points = mesh.points.data();
  EXPECT_EQ(fault_of(points), "");
  Mesh free;
  free.types = {7, 71, 200};
  EXPECT_EQ(fault_of(free.grid()), "");
}

TEST(GridFile, RefusesNonsenseNamingCellAndValue) {
  const auto with = [](auto change) {
    Mesh mesh;
    Grid grid = mesh.grid();
    change(mesh, grid);
    return fault_of(grid);
  };
  EXPECT_EQ(with([](Mesh&, Grid& g) { g.n_points = -3; }), "n_points is -3");
  EXPECT_EQ(with([](Mesh&, Grid& g) { g.n_cells = INT64_MIN; }), "n_cells is -9223372036854775808");
  EXPECT_EQ(with([](Mesh&, Grid& g) { g.n_cells = INT64_MAX; }), "n_cells is 9223372036854775807");
  EXPECT_EQ(with([](Mesh&, Grid& g) { g.points = nullptr; }), "points is NULL, expected 5 values");
  EXPECT_EQ(with([](Mesh&, Grid& g) { g.types = nullptr; }), "types is NULL, expected 3 values");
  EXPECT_EQ(with([](Mesh&, Grid& g) { g.connectivity = nullptr; }),
            "connectivity is NULL, expected 10 values");
  EXPECT_EQ(with([](Mesh& m, Grid&) { m.connectivity[5] = 5; }),
            "cell 1 names point 5, expected 0 to 4");
  EXPECT_EQ(with([](Mesh& m, Grid&) { m.connectivity[0] = -1; }),
            "cell 0 names point -1, expected 0 to 4");
  EXPECT_THAT(with([](Mesh& m, Grid&) { m.offsets[1] = 3; }),
              HasSubstr("the offset of cell 1 is 3, expected 4 to 10: "));
  EXPECT_THAT(with([](Mesh& m, Grid&) { m.offsets[0] = 11; }),
              HasSubstr("the offset of cell 0 is 11, expected 0 to 10: "));
  EXPECT_THAT(with([](Mesh& m, Grid&) { m.offsets[2] = -1; }),
              HasSubstr("the offset of the last cell, 2, is -1"));
  // Where cells begin, as the legacy format has it.
  EXPECT_THAT(with([](Mesh& m, Grid&) {
                m.offsets = {0, 4, 8};
              }),
              HasSubstr("cell 0 of type 10 has 0 points, expected 4"));
  EXPECT_EQ(with([](Mesh& m, Grid&) { m.types[1] = 12; }),
            "cell 1 of type 12 has 4 points, expected 8");
  EXPECT_EQ(with([](Mesh& m, Grid&) { m.types[2] = 42; }),
            "cell 2 is a polyhedron (type 42), whose faces cannot be handed over");
}

TEST(GridFile, DoesNotReadWhereThereIsNoMemory) {
  constexpr size_t kBytes = 1U << 20U;
  void* const hole =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(hole, MAP_FAILED);
  const Mesh mesh;
  Grid grid = mesh.grid();
  // There, but not to be read: what threads keep for their heaps and below their stacks.
  mprotect(static_cast<char*>(hole) + 4096, 4096, PROT_NONE);
  grid.points = static_cast<const double*>(hole);
  EXPECT_EQ(fault_of(grid), "");
  grid.n_points = 200;
  EXPECT_EQ(fault_of(grid), "points leads to memory that is not there, expected 200 values");
  munmap(hole, kBytes);
  grid = mesh.grid();
  grid.points = static_cast<const double*>(hole);
  EXPECT_EQ(fault_of(grid), "points leads to memory that is not there, expected 5 values");
  grid = mesh.grid();
  grid.n_points = int64_t{1} << 39;
  EXPECT_EQ(fault_of(grid),
            "points leads to memory that is not there, expected 549755813888 values");
}

TEST(GridFile, HashesEveryNumber) {
  const Mesh mesh;
  const uint64_t hash = hash_of(mesh.grid());
  EXPECT_EQ(hash_of(Mesh().grid()), hash);
  const auto changed = [&](auto change) {
    Mesh other;
    change(other);
    return hash_of(other.grid()) != hash;
  };
  for (size_t i = 0; i < mesh.points.size(); ++i) {
    EXPECT_TRUE(changed([&](Mesh& m) { m.points[i] += 1e-9; })) << i;
  }
  for (size_t i = 0; i < mesh.connectivity.size(); ++i) {
    EXPECT_TRUE(changed([&](Mesh& m) { m.connectivity[i] ^= 1; })) << i;
  }
  EXPECT_TRUE(changed([](Mesh& m) { m.types[0] = 9; }));
  EXPECT_TRUE(changed([](Mesh& m) { m.offsets[0] = 5; }));
  EXPECT_TRUE(changed([](Mesh& m) { std::swap(m.points[0], m.points[3]); }));
}

TEST(GridFile, IsVtkWithTheArraysAsTheyAre) {
  const base::ScratchFolder folder;
  const std::string step = folder.path() / "insitu/grid/step_000007";
  const Mesh mesh;
  ASSERT_EQ(write_grid_file(mesh.grid(), step.c_str(), 3), 0);
  const std::string text = folder.read("insitu/grid/step_000007/rank_3.vtu");
  EXPECT_THAT(text, HasSubstr("<Piece NumberOfPoints=\"5\" NumberOfCells=\"3\">"));
  EXPECT_THAT(text, HasSubstr("Name=\"connectivity\" format=\"appended\" offset=\"128\"/>"));
  const size_t data = text.find("<AppendedData encoding=\"raw\">\n_") + 31;
  const auto holds = [&](size_t at, const void* begin, size_t bytes) {
    uint64_t size = 0;
    std::memcpy(&size, text.data() + data + at, sizeof size);
    return size == bytes && std::memcmp(text.data() + data + at + 8, begin, bytes) == 0;
  };
  EXPECT_TRUE(holds(0, mesh.points.data(), 120));
  EXPECT_TRUE(holds(128, mesh.connectivity.data(), 80));
  EXPECT_TRUE(holds(216, mesh.offsets.data(), 24));
  EXPECT_TRUE(holds(248, mesh.types.data(), 3));
  EXPECT_EQ(text.substr(data + 259), "\n</AppendedData>\n</VTKFile>\n");
  EXPECT_FALSE(std::filesystem::exists(step + "/rank_3.vtu.part"));
}

TEST(GridFile, SaysWhyItCannotBeWritten) {
  const base::ScratchFolder folder;
  folder.write("insitu", "in the way");
  EXPECT_EQ(write_grid_file({}, (folder.path() / "insitu/grid/step_1").c_str(), 0), ENOTDIR);
  EXPECT_EQ(write_grid_file({}, std::string(1300, 'a').c_str(), 0), ENAMETOOLONG);
}

}  // namespace
}  // namespace pathline::record
