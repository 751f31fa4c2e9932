// SPDX-License-Identifier: BSD-3-Clause
#include "vtk/write.hpp"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "base/file.hpp"
#include "base/parse.hpp"
#include "base/scratch_folder.hpp"

namespace pathline::vtk {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

uint64_t number_at(std::string_view bytes, size_t at) {
  uint64_t number = 0;
  std::memcpy(&number, bytes.substr(at).data(), sizeof number);
  return number;
}

/// The bytes of an array, unpacked as VTK's file format document describes it.
std::string bytes_of(const std::string& file, std::string_view name) {
  const std::string tag = "Name=\"" + std::string(name) + "\"";
  const size_t at = file.find("offset=\"", file.find(tag)) + 8;
  std::string_view digits = std::string_view(file).substr(at);
  const size_t offset = base::take_number<size_t>(digits).value();
  const size_t data = file.find("<AppendedData encoding=\"raw\">\n_") + 31;
  std::string_view in = std::string_view(file).substr(data + offset);
  const uint64_t blocks = number_at(in, 0);
  const uint64_t block_size = number_at(in, 8);
  const uint64_t last_size = number_at(in, 16);
  size_t from = 24 + 8 * blocks;
  std::string out;
  for (uint64_t i = 0; i < blocks; ++i) {
    const uint64_t packed = number_at(in, 24 + 8 * i);
    std::string block(i + 1 == blocks && last_size != 0 ? last_size : block_size, '\0');
    uLongf size = block.size();
    EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(block.data()), &size,
                         reinterpret_cast<const Bytef*>(in.data() + from), packed),
              Z_OK);
    EXPECT_EQ(size, block.size());
    out += block;
    from += packed;
  }
  return out;
}

template <class T>
std::vector<T> values_of(const std::string& file, std::string_view name) {
  const std::string bytes = bytes_of(file, name);
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

Grid square() {
  Grid grid;
  for (const auto& [x, y] : {std::pair(0, 0), std::pair(1, 0), std::pair(1, 1), std::pair(0, 1)}) {
    grid.add_point(x, y, 0.5);
  }
  grid.add_cell(kQuad, {0, 1, 2, 3});
  return grid;
}

TEST(WriteGrid, HoldsPointsCellsAndArrays) {
  Grid grid = square();
  grid.cell_arrays.push_back({.name = "a < \"b\" : c", .values = std::vector<int32_t>{-7}});
  grid.cell_arrays.push_back({.name = "host", .values = std::vector<std::string>{"n1"}});
  grid.field_arrays.push_back({.name = "s",
                               .values = std::vector<double>{1, 2},
                               .components = 2,
                               .component_names = {"mean", "max"}});
  const std::string text = grid_text(grid);
  EXPECT_THAT(text, HasSubstr("NumberOfPoints=\"4\" NumberOfCells=\"1\""));
  EXPECT_THAT(text, HasSubstr("Name=\"a &lt; &quot;b&quot; : c\""));
  EXPECT_THAT(text, HasSubstr("ComponentName1=\"max\""));
  EXPECT_THAT(values_of<double>(text, "Points"),
              ElementsAre(0, 0, 0.5, 1, 0, 0.5, 1, 1, 0.5, 0, 1, 0.5));
  EXPECT_THAT(values_of<int64_t>(text, "connectivity"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(values_of<uint8_t>(text, "types"), ElementsAre(9));
  EXPECT_THAT(values_of<int32_t>(text, "a &lt; &quot;b&quot; : c"), ElementsAre(-7));
  EXPECT_EQ(bytes_of(text, "host"), std::string("n1\0", 3));
}

TEST(WriteGrid, ARepeatedArrayIsWhatItStandsFor) {
  for (const size_t count : {1U, 5U, 32768U, 32769U, 100000U, 200001U}) {
    Grid once = square();
    Grid written = square();
    once.cell_arrays.push_back(
        {.name = "x", .values = std::vector<double>{0.25}, .repeated = count});
    written.cell_arrays.push_back({.name = "x", .values = std::vector<double>(count, 0.25)});
    EXPECT_EQ(bytes_of(grid_text(once), "x"), bytes_of(grid_text(written), "x")) << count;
    EXPECT_EQ(once.cell_arrays[0].tuple_count(), count);
  }
}

TEST(WriteGrid, NothingIsAFile) {
  const std::string text = grid_text({});
  EXPECT_THAT(text, HasSubstr("NumberOfCells=\"0\""));
  EXPECT_THAT(values_of<double>(text, "Points"), ElementsAre());
}

TEST(WriteBlocks, NestAndAreEscaped) {
  const base::ScratchFolder folder;
  const Block blocks[] = {{"ranks", "a&b.vtu"}, {"pieces", "", {{"0", "p0.vtu"}, {"1", "p1.vtu"}}}};
  ASSERT_TRUE(write_blocks(blocks, folder.path() / "x.vtm").ok());
  const auto file = base::MappedFile::open(folder.path() / "x.vtm");
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(std::string(file.value().text()),
              HasSubstr("<DataSet index=\"0\" name=\"ranks\" file=\"a&amp;b.vtu\"/>\n"
                        "<Block index=\"1\" name=\"pieces\">\n"
                        "<DataSet index=\"0\" name=\"0\" file=\"p0.vtu\"/>"));
}

TEST(WriteCollection, SaysWhereItCannotWrite) {
  const base::ScratchFolder folder;
  const TimeStep steps[] = {{0.5, "a.vtm"}};
  const auto status = write_collection(steps, folder.path() / "none/x.pvd");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("none/x.pvd"));
}

}  // namespace
}  // namespace pathline::vtk
