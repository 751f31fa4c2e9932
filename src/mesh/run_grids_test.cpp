// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/run_grids.hpp"

#include <cstring>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::mesh {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string raw(const void* begin, uint64_t bytes) {
  std::string out(sizeof bytes, '\0');
  std::memcpy(out.data(), &bytes, sizeof bytes);
  return out.append(static_cast<const char*>(begin), bytes);
}

/// A line of two cells as the recorder writes it.
std::string line(std::vector<int64_t> connectivity = {0, 1, 1, 2},
                 std::vector<int64_t> offsets = {2, 4}) {
  const std::vector<double> points = {0, 0, 0, 1, 0, 0, 2, 0, 0};
  const uint8_t types[] = {3, 3};
  std::string data = raw(points.data(), 72);
  const size_t at_connectivity = data.size();
  data += raw(connectivity.data(), 8 * connectivity.size());
  const size_t at_offsets = data.size();
  data += raw(offsets.data(), 8 * offsets.size());
  const size_t at_types = data.size();
  data += raw(types, 2);
  return fmt::format(
      "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "<UnstructuredGrid>\n<Piece NumberOfPoints=\"3\" NumberOfCells=\"2\">\n"
      "<Points><DataArray Name=\"Points\" offset=\"0\"/></Points>\n"
      "<Cells><DataArray Name=\"connectivity\" offset=\"{}\"/>\n"
      "<DataArray Name=\"offsets\" offset=\"{}\"/>\n<DataArray Name=\"types\" offset=\"{}\"/>\n"
      "</Cells></Piece></UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_{}\n"
      "</AppendedData></VTKFile>",
      at_connectivity, at_offsets, at_types, data);
}

std::string error(const std::string& text) {
  const auto grid = parse_run_grid(text, "rank_0.vtu");
  return grid ? "" : grid.error().message;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  return text.replace(text.find(what), what.size(), with);
}

TEST(RunGrids, AreRead) {
  const auto grid = parse_run_grid(line(), "rank_0.vtu");
  ASSERT_TRUE(grid.ok()) << grid.error().message;
  EXPECT_THAT(grid.value().points, ElementsAre(0, 0, 0, 1, 0, 0, 2, 0, 0));
  EXPECT_THAT(grid.value().connectivity, ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(grid.value().offsets, ElementsAre(2, 4));
  EXPECT_THAT(grid.value().types, ElementsAre(3, 3));
}

TEST(RunGrids, ThatAreDamagedAreRefused) {
  EXPECT_THAT(error(""), HasSubstr("cannot read rank_0.vtu: line 1: there is no <AppendedData>"));
  EXPECT_THAT(error(replaced(line(), "UInt64", "UInt32")), HasSubstr("no mesh as the recorder"));
  EXPECT_THAT(error(replaced(line(), "NumberOfCells=\"2\"", "NumberOfCells=\"3\"")),
              HasSubstr("arrays are not there as a whole"));
  EXPECT_THAT(error(replaced(line(), "NumberOfPoints=\"3\"", "NumberOfPoints=\"99999999999\"")),
              HasSubstr("the counts of points and cells are damaged"));
  EXPECT_THAT(error(replaced(line(), "\"offsets\" offset=\"", "\"offsets\" offset=\"9")),
              HasSubstr("arrays are not there as a whole"));
  EXPECT_THAT(error(line({0, 1, 1, 3})), HasSubstr("rank_0.vtu: cell 1 has points that are not"));
  EXPECT_THAT(error(line({0, 1, 1, -1})), HasSubstr("cell 1 has points that are not"));
  EXPECT_THAT(error(line({0, 1, 1, 2}, {5, 4})), HasSubstr("cell 0 has points that are not"));
  const std::string whole = line();
  for (size_t length = 0; length + 34 < whole.size(); ++length) {
    EXPECT_NE(error(whole.substr(0, length)), "") << length;
  }
}

TEST(RunGrids, CountFromTheirStepOn) {
  const base::ScratchFolder folder;
  folder.write("grid/step_000005/rank_0.vtu", line());
  folder.write("grid/step_000010/rank_0.vtu", line({0, 1, 0, 2}));
  folder.write("grid/step_000007/rank_2.vtu", line());
  folder.write("grid/step_000007/rank_1.vtu.part", "");
  folder.write("grid/step_x/rank_1.vtu", "");
  const auto found = find_run_grids(folder.path() / "grid", 3);
  ASSERT_TRUE(found.ok()) << found.error().message;
  const Case& run = found.value();
  EXPECT_EQ(run.parts.size(), 3U);
  const auto part = [&](size_t rank, uint32_t step) {
    return run.part_at(rank, step).lexically_relative(folder.path() / "grid").string();
  };
  EXPECT_EQ(part(0, 4), "");
  EXPECT_EQ(part(0, 5), "step_000005/rank_0.vtu");
  EXPECT_EQ(part(0, 9), "step_000005/rank_0.vtu");
  EXPECT_EQ(part(0, 4000000000U), "step_000010/rank_0.vtu");
  EXPECT_EQ(part(1, 100), "");
  EXPECT_EQ(part(2, 7), "step_000007/rank_2.vtu");
  EXPECT_EQ(read_part(run, 0, 5).value().cell_count(), 2U);
  EXPECT_EQ(read_part(run, 1, 5).value().cell_count(), 0U);

  EXPECT_THAT(find_run_grids(folder.path() / "grid", 2).error().message,
              HasSubstr("rank_2.vtu is of rank 2, but the run has the ranks 0 to 1"));
  EXPECT_THAT(find_run_grids(folder.path() / "none", 2).error().message,
              HasSubstr("there is no mesh in "));
}

}  // namespace
}  // namespace pathline::mesh
