// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/scene.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/scratch_folder.hpp"
#include "insitu/write.hpp"

namespace pathline::insitu {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

/// `nodes` with two ranks each, in pairs on a switch.
Machine machine_of(uint32_t nodes) {
  std::vector<RankPlace> places;
  std::map<std::string, std::string> addresses;
  for (uint32_t i = 0; i < nodes; ++i) {
    const std::string host = "n" + std::to_string(i);
    places.push_back({host, {}});
    places.push_back({host, {}});
    addresses[host] = "top.leaf" + std::to_string(i / 2) + "." + host;
  }
  return build_machine(places, {}, switch_tree(addresses).value());
}

Step step_of(uint32_t ranks, std::vector<PairFigures> pairs) {
  return {.ranks = std::vector<RankFigures>(ranks), .pairs = std::move(pairs)};
}

const Figures kFigures{.functions = {"MPI_Isend"}};

template <class T>
const std::vector<T>& values(const vtk::Grid& grid, const std::string& name) {
  for (const vtk::Array& array : grid.cell_arrays) {
    if (array.name == name) return std::get<std::vector<T>>(array.values);
  }
  ADD_FAILURE() << "no array " << name;
  static const std::vector<T> none;
  return none;
}

double z_of(const vtk::Grid& grid, size_t cell) {
  const auto begin = cell == 0 ? 0 : grid.offsets[cell - 1];
  return grid.points[3 * grid.connectivity[begin] + 2];
}

void check(const vtk::Grid& grid) {
  ASSERT_EQ(grid.offsets.size(), grid.types.size());
  for (const int64_t point : grid.connectivity) {
    ASSERT_LT(static_cast<size_t>(point), grid.point_count());
  }
  for (const double coordinate : grid.points) ASSERT_TRUE(std::isfinite(coordinate));
  for (const vtk::Array& array : grid.cell_arrays) {
    EXPECT_EQ(array.tuple_count(), grid.cell_count()) << array.name;
  }
}

TEST(Scene, NodesArePlanesWithLargerGapsBetweenSwitches) {
  const Machine machine = machine_of(4);
  const Scene scene(machine, {.node_gap = 5});
  const vtk::Grid hardware = scene.hardware();
  check(hardware);
  ASSERT_EQ(hardware.cell_count(), 4U);
  EXPECT_DOUBLE_EQ(z_of(hardware, 1) - z_of(hardware, 0), 5);
  EXPECT_DOUBLE_EQ(z_of(hardware, 2) - z_of(hardware, 1), 15);
  EXPECT_DOUBLE_EQ(z_of(hardware, 3) - z_of(hardware, 2), 5);
  const vtk::Grid network = scene.network();
  check(network);
  EXPECT_THAT(values<std::string>(network, "switch_name"), ElementsAre("leaf0", "leaf1", "top"));
  for (size_t i = 0; i < network.points.size(); i += 3) EXPECT_EQ(network.points[i], 0);
}

TEST(Scene, AToBAndBToADiffer) {
  const Machine machine = machine_of(2);
  const Scene scene(machine, {});
  const vtk::Grid lines =
      scene.messages(kFigures, step_of(4, {{0, 2, 0, 1, 0}, {1, 0, 0, 2, 7}, {2, 0, 0, 1, 9}}));
  check(lines);
  ASSERT_EQ(lines.cell_count(), 3U);
  EXPECT_THAT(values<int32_t>(lines, "inter_node"), ElementsAre(1, 0, 1));
  EXPECT_THAT(values<uint64_t>(lines, "total : bytes"), ElementsAre(0, 7, 9));
  EXPECT_THAT(values<uint32_t>(lines, "MPI_Isend : counter"), ElementsAre(1, 2, 1));
  const auto y = [&](size_t point) { return lines.points[3 * point + 1]; };
  EXPECT_GT(y(0), y(1));  // From 0 down to 2.
  EXPECT_GT(y(4), y(5));  // From 2 down to 0: another line.
  EXPECT_EQ(y(0), y(4));
}

TEST(Scene, ARankThatSendsToItselfHasALoop) {
  const Machine machine = machine_of(1);
  const Scene scene(machine, {});
  const vtk::Grid lines = scene.messages(kFigures, step_of(2, {{1, 1, 0, 1, 5}}));
  check(lines);
  ASSERT_EQ(lines.cell_count(), 1U);
  EXPECT_EQ(lines.types[0], vtk::kPolyLine);
  EXPECT_EQ(lines.points[0], lines.points[lines.points.size() - 3]);
}

TEST(Scene, PeriodicMessagesLeaveThePicture) {
  const Machine machine = machine_of(8);
  const Step step = step_of(16, {{0, 14, 0, 1, 5}, {0, 4, 0, 1, 5}, {14, 0, 0, 1, 5}});
  const vtk::Grid direct = Scene(machine, {}).messages(kFigures, step);
  EXPECT_EQ(direct.cell_count(), 3U);
  const Scene scene(machine, {.periodic = true});
  const vtk::Grid around = scene.messages(kFigures, step);
  check(around);
  EXPECT_THAT(values<int32_t>(around, "source"), ElementsAre(0, 0, 0, 14, 14));
  double last = 0;
  for (size_t i = 2; i < direct.points.size(); i += 3) last = std::max(last, direct.points[i]);
  EXPECT_LT(around.points[5], 0);     // Leaves before the first plane,
  EXPECT_GT(around.points[8], last);  // and comes back behind the last.
}

TEST(Scene, OnACircleNoTwoNodesMeet) {
  const Machine machine = machine_of(64);
  const Scene scene(machine, {.arrangement = Arrangement::kCircle});
  const vtk::Grid ranks = scene.ranks(kFigures, step_of(128, {}));
  check(ranks);
  check(scene.network());
  for (size_t a = 0; a < ranks.cell_count(); ++a) {
    for (size_t b = a + 1; b < ranks.cell_count(); ++b) {
      const double dx = ranks.points[12 * a] - ranks.points[12 * b];
      const double dz = ranks.points[12 * a + 2] - ranks.points[12 * b + 2];
      EXPECT_GT(std::hypot(dx, dz), 0.8) << a << ' ' << b;
    }
  }
}

TEST(TopologyWriter, LeavesAllStepsBehindOneFile) {
  const base::ScratchFolder folder;
  const Machine machine = machine_of(2);
  const Scene scene(machine, {});
  TopologyWriter writer(folder.path() / "out", scene);
  ASSERT_TRUE(writer.begin().ok());
  Step step = step_of(4, {{0, 1, 0, 1, 0}});
  for (const double time : {0.0, 1.0, 1.0, 0.5}) {  // Stands still, goes back.
    step.time_s = time;
    ++step.number;
    ASSERT_TRUE(writer.add(kFigures, step).ok());
  }
  const auto text = base::MappedFile::open(folder.path() / "out/topology.pvd");
  ASSERT_TRUE(text.ok());
  double before = -1;
  size_t found = 0;
  for (size_t at = 0; (at = text.value().text().find("timestep=\"", at)) != std::string::npos;) {
    at += 10;
    const double time = std::stod(std::string(text.value().text().substr(at, 30)));
    EXPECT_GT(time, before);
    before = time;
    ++found;
  }
  EXPECT_EQ(found, 4U);
  const base::Status again = TopologyWriter("/dev/null/out", scene).begin();
  EXPECT_FALSE(again.ok());
}

}  // namespace
}  // namespace pathline::insitu
