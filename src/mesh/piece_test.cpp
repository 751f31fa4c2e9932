// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/piece.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::mesh {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<vtk::Array> kRank = {{.name = "rank", .values = std::vector<int32_t>{2}}};
// Eight bytes follow, 2 and 2 as 32 bits.
constexpr const char* kTwice2 = "CAAAAAIAAAACAAAA";

std::string file(std::string_view type, std::string_view content, std::string_view more = "") {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<!-- <Piece> --><VTKFile type=\"{}\" version=\"0.1\"{}>\n{}", type,
      more, content);
}
std::string grid(std::string_view piece) {
  return file("UnstructuredGrid",
              fmt::format("<UnstructuredGrid>\n{}</UnstructuredGrid>\n", piece));
}
std::string error_of(const std::string& text) {
  const auto piece = Piece::parse(text, "part.vtu");
  return piece ? "no error" : piece.error().message;
}
/// What is added to the file; it must be the old text otherwise.
std::string added(const std::string& text, const std::vector<vtk::Array>& arrays = kRank) {
  const auto piece = Piece::parse(text, "part.vtu");
  EXPECT_TRUE(piece.ok()) << piece.error().message;
  if (!piece) return "";
  const std::string now = piece.value().with_arrays(arrays);
  size_t same = 0;
  while (same < text.size() && now[same] == text[same]) ++same;
  size_t same_at_end = 0;
  while (same_at_end < text.size() - same &&
         now[now.size() - 1 - same_at_end] == text[text.size() - 1 - same_at_end]) {
    ++same_at_end;
  }
  EXPECT_LE(text.size() - same - same_at_end, 1U) << now;  // The stroke of <CellData/>.
  return now.substr(same, now.size() - same - same_at_end);
}

TEST(Piece, AddsBehindTheArraysThatAreThere) {
  const std::string text = grid(
      "<Piece NumberOfPoints=\"9\" NumberOfCells=\"2\">\n<PointData></PointData>\n"
      "<CellData Scalars=\"p\">\n<DataArray Name=\"p\" format=\"ascii\">1 "
      "2</DataArray>\n</CellData>\n"
      "<Cells></Cells>\n</Piece>\n");
  EXPECT_EQ(
      Piece::parse(text, "").value().with_arrays(kRank),
      grid("<Piece NumberOfPoints=\"9\" NumberOfCells=\"2\">\n<PointData></PointData>\n"
           "<CellData Scalars=\"p\">\n<DataArray Name=\"p\" format=\"ascii\">1 2</DataArray>\n"
           "<DataArray type=\"Int32\" Name=\"rank\" NumberOfComponents=\"1\" "
           "format=\"binary\">\nCAAAAAIAAAACAAAA\n</DataArray>\n</CellData>\n"
           "<Cells></Cells>\n</Piece>\n"));
}

TEST(Piece, MakesTheElementWhereItIsEmptyOrMissing) {
  EXPECT_THAT(added(grid("<Piece NumberOfCells='2'><CellData/></Piece>")),
              HasSubstr(fmt::format("<DataArray type=\"Int32\" Name=\"rank\" NumberOfComponents="
                                    "\"1\" format=\"binary\">\n{}\n</DataArray>\n</CellData",
                                    kTwice2)));
  EXPECT_THAT(Piece::parse(grid("<Piece NumberOfCells='2'><CellData x=\"a>b\" /></Piece>"), "")
                  .value()
                  .with_arrays(kRank),
              HasSubstr("<CellData x=\"a>b\" >\n<DataArray"));
  EXPECT_THAT(Piece::parse(grid("<Piece NumberOfCells='2'><Cells/></Piece>"), "")
                  .value()
                  .with_arrays(kRank),
              HasSubstr("<Cells/><CellData>\n<DataArray"));
}

TEST(Piece, LeavesAppendedDataAlone) {
  std::string text =
      file("UnstructuredGrid",
           "<UnstructuredGrid><Piece NumberOfCells=\"2\"><CellData>\n<DataArray Name=\"p\" "
           "format=\"appended\" offset=\"0\"/></CellData></Piece></UnstructuredGrid>\n"
           "<AppendedData encoding=\"raw\">\n_");
  text +=
      std::string("<Piece NumberOfCells=\"\0<<< </CellData> <CellData>", 50) + "</AppendedData>";
  EXPECT_THAT(added(text), HasSubstr("Name=\"rank\""));
}

TEST(Piece, FollowsByteOrderSizesAndCompressor) {
  const char* const piece = "<Piece NumberOfCells=\"2\"></Piece>";
  EXPECT_THAT(added(file("UnstructuredGrid", piece, " byte_order=\"BigEndian\"")),
              HasSubstr("\nAAAACAAAAAIAAAAC\n"));
  EXPECT_THAT(added(file("UnstructuredGrid", piece, " header_type=\"UInt64\"")),
              HasSubstr("\nCAAAAAAAAAACAAAAAgAAAA==\n"));
  EXPECT_THAT(added(file("UnstructuredGrid", piece, " compressor=\"vtkLZ4DataCompressor\"")),
              // One block of at most 2^18 bytes, the last of 8; packed 9: token, eight bytes.
              HasSubstr("\nAQAAAAAABAAIAAAACQAAAA==gAIAAAACAAAA\n"));
  EXPECT_THAT(error_of(file("UnstructuredGrid", piece, " compressor=\"vtkLZMADataCompressor\"")),
              HasSubstr("line 2: compressor is 'vtkLZMADataCompressor'"));
  EXPECT_THAT(error_of(file("UnstructuredGrid", piece, " header_type=\"UInt8\"")),
              HasSubstr("header_type is 'UInt8'"));
}

TEST(Piece, CountsTheCellsOfEachKind) {
  const auto cells = [](const char* type, const char* attributes) {
    const auto piece = Piece::parse(file(type, fmt::format("<Piece {}></Piece>", attributes)), "f");
    return piece ? fmt::format("{}{}", piece.value().cell_count(), piece.value().suffix())
                 : piece.error().message;
  };
  EXPECT_EQ(cells("UnstructuredGrid", "NumberOfCells=\"7\""), "7.vtu");
  EXPECT_EQ(
      cells("PolyData",
            "NumberOfVerts=\"1\" NumberOfLines=\"2\" NumberOfStrips=\"4\" NumberOfPolys=\"8\""),
      "15.vtp");
  EXPECT_EQ(cells("PolyData", "NumberOfPolys=\"8\""), "8.vtp");
  EXPECT_EQ(cells("StructuredGrid", "Extent=\"0 3 2 4 -1 4\""), "30.vts");
  EXPECT_EQ(cells("RectilinearGrid", "Extent=\"0 3 2 4 5 5\""), "6.vtr");  // Flat.
  EXPECT_EQ(cells("ImageData", "Extent=\"0 -1 0 -1 0 -1\""), "0.vti");
  for (const char* wrong : {"Extent=\"0 1 0 1 0\"", "Extent=\"0 x 0 1 0 1\"", ""}) {
    EXPECT_THAT(cells("ImageData", wrong), HasSubstr("does not say how many cells"));
  }
  EXPECT_THAT(cells("PolyData", "NumberOfPolys=\"-8\""), HasSubstr("does not say how many cells"));
  EXPECT_THAT(cells("ImageData", "Extent=\"0 2000000000 0 2000000000 0 2000000000\""),
              HasSubstr("more than 2147483648 cells"));
  EXPECT_THAT(cells("UnstructuredGrid", "NumberOfCells=\"18446744073709551615\""),
              HasSubstr("more than 2147483648 cells"));
}

TEST(Piece, HasAPlaceInEachPart) {
  const std::string text = grid(
      "<Piece NumberOfCells=\"1\"></Piece>\n<Piece NumberOfCells=\"2\"></Piece>\n<Piece "
      "NumberOfCells=\"0\"/>\n");
  const auto piece = Piece::parse(text, "f");
  ASSERT_TRUE(piece.ok()) << piece.error().message;
  EXPECT_EQ(piece.value().cell_count(), 3U);
  const std::string now = piece.value().with_arrays(kRank);
  EXPECT_THAT(now, HasSubstr("\nBAAAAAIAAAA=\n"));
  EXPECT_THAT(now, HasSubstr(fmt::format("\n{}\n", kTwice2)));
}

TEST(Piece, DoesNotTakeANameThatIsTaken) {
  const std::string text = grid(
      "<Piece NumberOfCells=\"2\"><CellData><DataArray Name=\"rank\"> 1 1 </DataArray></CellData>"
      "</Piece>");
  EXPECT_THAT(added(text), HasSubstr("Name=\"rank (run)\""));
  // On points it is another array.
  EXPECT_THAT(added(grid("<Piece NumberOfCells=\"2\"><PointData><DataArray Name=\"rank\"/>"
                         "</PointData></Piece>")),
              HasSubstr("Name=\"rank\""));
}

TEST(Piece, SaysWhatIsWrong) {
  EXPECT_EQ(error_of("no XML"), "cannot read part.vtu: line 1: it is no XML, expected <VTKFile>");
  EXPECT_EQ(error_of("<html></html>"),
            "cannot read part.vtu: line 1: it begins with <html>, expected <VTKFile>");
  EXPECT_THAT(error_of(file("PUnstructuredGrid", "")),
              HasSubstr("it holds 'PUnstructuredGrid', expected the mesh of one rank"));
  EXPECT_THAT(error_of(grid("<Piece NumberOfCells=\"2\">\n<CellData>")),
              HasSubstr("a <Piece> does not end"));
  EXPECT_THAT(error_of(grid("<Piece NumberOfCells=\"2\">\n<Piece NumberOfCells=\"2\">")),
              HasSubstr("line 5: a <Piece> begins inside another one"));
  EXPECT_THAT(error_of(grid("<Piece NumberOfCells=\"2\">\n<CellData/><CellData/></Piece>")),
              HasSubstr("line 5: a <Piece> has a second <CellData>"));
  EXPECT_THAT(error_of(grid("<Piece NumberOfCells=\"2\"/>")), HasSubstr("nothing is in it"));
  EXPECT_THAT(error_of(grid("</Piece>")), HasSubstr("this </Piece> ends nothing"));
  EXPECT_THAT(error_of(grid("<Piece NumberOfCells=\"2")), HasSubstr("a tag has no end"));
}

TEST(Piece, RefusesLegacyFiles) {
  const base::ScratchFolder folder;
  const auto path = folder.write("part.vtk", "# vtk DataFile Version 3.0\nmesh\nASCII\n");
  const auto piece = Piece::read(path);
  ASSERT_FALSE(piece.ok());
  EXPECT_EQ(piece.error().code, base::ErrorCode::kUnsupported);
  EXPECT_THAT(piece.error().message, HasSubstr("part.vtk is a legacy VTK file"));
}

TEST(Piece, IsMadeOfAGrid) {
  vtk::Grid mesh;
  mesh.points = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  mesh.add_cell(vtk::kTriangle, {0, 1, 2});
  const Piece piece = Piece::of(mesh);
  EXPECT_EQ(piece.cell_count(), 1U);
  EXPECT_THAT(piece.with_arrays(kRank), HasSubstr("Name=\"rank\""));
  EXPECT_THAT(piece.text(), Not(HasSubstr("Name=\"rank\"")));
}

}  // namespace
}  // namespace pathline::mesh
