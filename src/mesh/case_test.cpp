// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/case.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::mesh {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Case, FindsRanksByTheNumberThatVaries) {
  EXPECT_THAT(by_rank({"out_2_10.vtu", "out_2_0.vtu", "out_2_1.vtu", "out_2_9.vtu", "out_2_2.vtu",
                       "out_2_3.vtu", "out_2_4.vtu", "out_2_5.vtu", "out_2_6.vtu", "out_2_7.vtu",
                       "out_2_8.vtu"})
                  .value(),
              ElementsAre("out_2_0.vtu", "out_2_1.vtu", "out_2_2.vtu", "out_2_3.vtu", "out_2_4.vtu",
                          "out_2_5.vtu", "out_2_6.vtu", "out_2_7.vtu", "out_2_8.vtu", "out_2_9.vtu",
                          "out_2_10.vtu"));
  EXPECT_THAT(by_rank({"p0001.vtu", "p0000.vtu"}).value(), ElementsAre("p0000.vtu", "p0001.vtu"));
  EXPECT_THAT(by_rank({"box.vtu"}).value(), ElementsAre("box.vtu"));
}

TEST(Case, SaysWhyNamesTellNoRank) {
  const auto error = [](std::vector<std::string> names) {
    const auto ordered = by_rank(std::move(names));
    return ordered ? "no error" : ordered.error().message;
  };
  EXPECT_EQ(error({"a0.vtu", "b1.vtu"}),
            "the names a0.vtu and b1.vtu differ in more than the number of a rank");
  EXPECT_EQ(
      error({"m0_0.vtu", "m0_1.vtu", "m1_0.vtu", "m1_1.vtu"}),
      "the names m0_0.vtu and m1_0.vtu differ in two numbers, of which one may be a time step");
  EXPECT_EQ(error({"p1.vtu", "p2.vtu"}), "p2.vtu is not one of the ranks 0 to 1 of so many files");
  EXPECT_EQ(error({"p0.vtu", "p00.vtu"}),
            "p00.vtu is not one of the ranks 0 to 1 of so many files");
}

TEST(Case, ReadsIndices) {
  EXPECT_THAT(files_in_index("<VTKFile type=\"PUnstructuredGrid\"><PUnstructuredGrid>\n"
                             "<PPoints/><Piece Source=\"a &amp; b/0.vtu\"/>\n<Piece Extent=\"0 1\" "
                             "Source='1.vtu'/></PUnstructuredGrid></VTKFile>",
                             "m.pvtu")
                  .value(),
              ElementsAre("a & b/0.vtu", "1.vtu"));
  EXPECT_THAT(files_in_index("<VTKFile type=\"vtkMultiBlockDataSet\"><vtkMultiBlockDataSet>\n"
                             "<Block index=\"0\"><DataSet index=\"0\" file=\"0.vts\"/>\n"
                             "<DataSet index=\"1\" file=\"1.vts\"/></Block></vtkMultiBlockDataSet>",
                             "m.vtm")
                  .value(),
              ElementsAre("0.vts", "1.vts"));
  const auto error = [](const char* text) {
    const auto files = files_in_index(text, "m.pvtu");
    return files ? "no error" : files.error().message;
  };
  EXPECT_EQ(error("<VTKFile type=\"PPolyData\">\n<Piece/>"),
            "cannot read m.pvtu: line 2: piece 0 has no file");
  EXPECT_EQ(error("<VTKFile type=\"PPolyData\">\n"),
            "cannot read m.pvtu: line 1: it names no files");
  EXPECT_THAT(error("<VTKFile type=\"Collection\">\n"),
              HasSubstr("no index of a parallel VTK file"));
}

TEST(Case, FindsTheFoldersOfProcessors) {
  const base::ScratchFolder folder;
  for (const int rank : {0, 1, 2, 10, 3, 4, 5, 6, 7, 8, 9}) {
    std::filesystem::create_directories(folder.path() / fmt::format("processor{}", rank));
  }
  folder.write("result_0.vtu", "");
  const auto found = find_case({folder.path().string()});
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found.value().kind, Case::Kind::kOpenFoam);
  ASSERT_EQ(found.value().parts.size(), 11U);
  EXPECT_EQ(found.value().parts[10].filename(), "processor10");
  std::filesystem::remove(folder.path() / "processor4");
  EXPECT_THAT(find_case({folder.path().string()}).error().message,
              HasSubstr("has 10 processor folders, but none of them is processor4"));
}

TEST(Case, FindsFilesAndIndices) {
  const base::ScratchFolder folder;
  const std::string path = folder.path().string();
  EXPECT_THAT(find_case({path}).error().message, HasSubstr("holds no decomposed mesh"));
  EXPECT_THAT(find_case({path + "/no.vtu"}).error().message, HasSubstr("there is no "));
  folder.write("part_1.vtu", "");
  folder.write("part_0.vtu", "");
  folder.write("readme.txt", "");
  EXPECT_THAT(find_case({path}).value().parts,
              ElementsAre(folder.path() / "part_0.vtu", folder.path() / "part_1.vtu"));
  EXPECT_THAT(find_case({path + "/part_1.vtu", path + "/part_0.vtu"}).value().parts,
              ElementsAre(folder.path() / "part_1.vtu", folder.path() / "part_0.vtu"));
  folder.write("all.pvtu", "<VTKFile type=\"PUnstructuredGrid\"><Piece Source=\"part_1.vtu\"/>");
  EXPECT_THAT(find_case({path}).value().parts, ElementsAre(folder.path() / "part_1.vtu"));
  folder.write("more.vtm", "");
  EXPECT_THAT(find_case({path}).error().message,
              HasSubstr("holds several parallel files, all.pvtu and more.vtm among them"));
  EXPECT_THAT(find_case({path, path}).error().message,
              HasSubstr("is a folder, expected the VTK file"));
  folder.write("result.pvd", "");
  EXPECT_EQ(find_case({path + "/result.pvd"}).error().code, base::ErrorCode::kUnsupported);
  EXPECT_THAT(find_case({path + "/part_0.vtu"}, "r").error().message,
              HasSubstr("--rank-field is for the .case"));
}

}  // namespace
}  // namespace pathline::mesh
