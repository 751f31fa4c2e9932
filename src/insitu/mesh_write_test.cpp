// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/mesh_write.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "insitu/mesh_script.hpp"

namespace pathline::insitu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Three ranks, two steps. Rank 0 sends to 1 by two functions, 1 to 2 without bytes.
Figures three_ranks() {
  Figures figures{.functions = {"MPI_Isend", "MPI_Put"}};
  for (const uint32_t number : {4U, 8U}) {
    Step step{.number = number, .time_s = 0.5, .ranks = std::vector<RankFigures>(3)};
    step.ranks[0].sent_bytes = 100 * number;
    step.pairs = {{.source = 0, .destination = 1, .function = 0, .calls = 2, .bytes = 60},
                  {.source = 0, .destination = 1, .function = 1, .calls = 1, .bytes = 40},
                  {.source = 1, .destination = 2, .function = 0, .calls = 3, .bytes = 0}};
    figures.steps.push_back(std::move(step));
  }
  return figures;
}

template <class T>
std::vector<T> values_of(const std::vector<vtk::Array>& arrays, std::string_view name) {
  for (const vtk::Array& array : arrays) {
    if (array.name == name) return std::get<std::vector<T>>(array.values);
  }
  ADD_FAILURE() << "there is no array " << name;
  return {};
}

TEST(MeshArrays, HaveDestinationsThatWereAskedFor) {
  const Figures figures = three_ranks();
  const uint32_t to[] = {2, 1, 2};
  const auto arrays = mesh_arrays(figures, figures.steps[0], to);
  EXPECT_THAT(values_of<int32_t>(arrays, "rank"), ElementsAre(0, 1, 2));
  EXPECT_THAT(values_of<uint64_t>(arrays, "sent : bytes"), ElementsAre(400, 0, 0));
  EXPECT_THAT(values_of<uint32_t>(arrays, "MPI_Isend to 1 : counter"), ElementsAre(2, 0, 0));
  EXPECT_THAT(values_of<uint64_t>(arrays, "MPI_Isend to 1 : bytes"), ElementsAre(60, 0, 0));
  EXPECT_THAT(values_of<uint64_t>(arrays, "MPI_Put to 1 : bytes"), ElementsAre(40, 0, 0));
  EXPECT_THAT(values_of<uint32_t>(arrays, "MPI_Isend to 2 : counter"), ElementsAre(0, 3, 0));
  EXPECT_THAT(values_of<uint64_t>(arrays, "MPI_Put to 2 : bytes"), ElementsAre(0, 0, 0));
  // Each once, and no others.
  size_t of_destinations = 0;
  for (const vtk::Array& array : arrays)
    of_destinations += array.name.find(" to ") != std::string::npos;
  EXPECT_EQ(of_destinations, 8U);
}

/// So many vertices, as the recorder writes them.
std::string grid_file(int cells) {
  const auto array = [](const std::string& data) {
    const uint64_t bytes = data.size();
    return std::string(reinterpret_cast<const char*>(&bytes), sizeof bytes) + data;
  };
  const auto count = static_cast<size_t>(cells);
  std::string numbers(8 * count, '\0');  // The first point for all of them.
  std::string ends = numbers;
  for (size_t i = 0; i < count; ++i) ends[8 * i] = static_cast<char>(i + 1);
  const std::string data =
      array(std::string(24, '\0')) + array(numbers) + array(ends) + array(std::string(count, '\1'));
  return fmt::format(
      "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "<Piece NumberOfPoints=\"1\" NumberOfCells=\"{}\">\n<DataArray Name=\"Points\" offset=\"0\"/>"
      "<DataArray Name=\"connectivity\" offset=\"32\"/><DataArray Name=\"offsets\" offset=\"{}\"/>"
      "<DataArray Name=\"types\" offset=\"{}\"/></Piece><AppendedData encoding=\"raw\">\n_{}",
      cells, 40 + 8 * cells, 48 + 16 * cells, data);
}

class MeshFiles : public testing::Test {
 protected:
  MeshFiles() {
    for (int rank = 0; rank < 3; ++rank) {
      mesh_.parts.push_back(folder_.write(
          fmt::format("in/{}.vti", rank),
          fmt::format("<VTKFile type=\"ImageData\"><ImageData><Piece Extent=\"0 {} 0 1 0 1\">"
                      "</Piece></ImageData></VTKFile>",
                      rank + 1)));
    }
  }
  base::Result<MeshReport> write(unsigned threads = 1) {
    base::ThreadPool pool(threads);
    base::Progress progress;
    return write_mesh(mesh_, three_ranks(), {}, folder_.path() / "out", pool, progress);
  }

  base::ScratchFolder folder_;
  mesh::Case mesh_;
};

TEST_F(MeshFiles, AreThereForEachStepAndRank) {
  const auto report = write();
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report.value().cells, 6U);
  EXPECT_EQ(report.value().least_cells, 1U);
  EXPECT_EQ(report.value().most_cells, 3U);
  // The second step has the same time as the first, and must come after it.
  EXPECT_THAT(folder_.read("out/mesh.pvd"),
              HasSubstr("<DataSet timestep=\"0.5\" part=\"0\" file=\"mesh/step_000004.vtm\"/>\n"
                        "<DataSet timestep=\"0.5000000000000001\" part=\"0\" "
                        "file=\"mesh/step_000008.vtm\"/>\n"));
  EXPECT_THAT(
      folder_.read("out/mesh/step_000008.vtm"),
      HasSubstr("<DataSet index=\"1\" name=\"rank_1\" file=\"step_000008/rank_1.vti\"/>\n"));
  // Four times 800, as 64 bits behind their 32 bytes: one cell.
  EXPECT_THAT(folder_.read("out/mesh/step_000008/rank_0.vti"),
              HasSubstr("<DataArray type=\"UInt64\" Name=\"sent : bytes\" NumberOfComponents=\"1\" "
                        "format=\"binary\">\nCAAAACADAAAAAAAA\n"));
  const std::string first = folder_.read("out/mesh/step_000004/rank_2.vti");
  ASSERT_TRUE(write(3).ok());
  EXPECT_EQ(folder_.read("out/mesh/step_000004/rank_2.vti"), first);
}

TEST_F(MeshFiles, HaveTheMeshOfTheirStep) {
  mesh::Case run{.kind = mesh::Case::Kind::kRun};
  run.parts.resize(3);
  run.versions.resize(3);
  base::ThreadPool pool(2);
  base::Progress progress;
  const Figures figures = three_ranks();
  // Nobody has one yet, and then two do, the first of them another one in the second step.
  MeshWriter writer(run, {}, folder_.path() / "out", pool);
  run.versions[0][4] = folder_.write("one.vtu", grid_file(1));
  run.versions[0][6] = folder_.write("two.vtu", grid_file(2));
  ASSERT_TRUE(writer.add(figures, {&figures.steps[0], 1}, progress).ok());
  EXPECT_EQ(writer.report().cells, 1U);
  run.versions[2][8] = folder_.write("three.vtu", grid_file(3));
  ASSERT_TRUE(writer.add(figures, {&figures.steps[1], 1}, progress).ok());
  EXPECT_EQ(writer.report().cells, 5U);
  EXPECT_EQ(writer.report().least_cells, 0U);
  const auto cells = [&](const char* step, int rank) {
    const std::string text = folder_.read(fmt::format("out/mesh/{}/rank_{}.vtu", step, rank));
    const std::string_view key = "NumberOfCells=\"";
    return text.substr(text.find(key) + key.size(), 1);
  };
  EXPECT_EQ(cells("step_000004", 0) + cells("step_000004", 1) + cells("step_000004", 2), "100");
  EXPECT_EQ(cells("step_000008", 0) + cells("step_000008", 1) + cells("step_000008", 2), "203");
  EXPECT_THAT(folder_.read("out/mesh.pvd"), HasSubstr("mesh/step_000008.vtm"));
}

TEST_F(MeshFiles, NameThePartThatIsDamaged) {
  folder_.write("in/1.vti", "<VTKFile type=\"ImageData\"><ImageData><Piece");
  const auto report = write(3);
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("in/1.vti: line 1: a tag has no end"));
}

TEST_F(MeshFiles, AreRefusedWhereTheyWouldBeTooLarge) {
  folder_.write("in/2.vti",
                "<VTKFile type=\"ImageData\"><Piece Extent=\"0 1000 0 1000 0 1000\"></Piece>");
  const auto report = write();
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("arrays on 1000000000 cells of "));
  EXPECT_THAT(report.error().message, HasSubstr("in/2.vti would take more than 2 GiB"));
}

TEST(MeshScript, KnowsTheLimitsOfAllSteps) {
  Figures figures = three_ranks();
  figures.regions = {"a \"b\"\\\n"};
  for (Step& step : figures.steps) step.regions.assign(3, {.visits = 1, .seconds = 0.25});
  const uint32_t to[] = {1};
  const std::string script = mesh_script(figures, to);
  EXPECT_THAT(script, HasSubstr("    \"rank\": (0, 2),\n"));
  EXPECT_THAT(script, HasSubstr("    \"MPI_Put to 1 : bytes\": (0, 40),\n"));
  EXPECT_THAT(script, HasSubstr("    \"sent : bytes\": (0, 800),\n"));
  EXPECT_THAT(script, HasSubstr("    \"a \\\"b\\\"\\\\"));
  EXPECT_THAT(script, HasSubstr(" : time\": (0.25, 0.25),\n"));
}

}  // namespace
}  // namespace pathline::insitu
