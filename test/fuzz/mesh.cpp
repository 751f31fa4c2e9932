// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/mesh.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "mesh/case.hpp"
#include "mesh/ensight.hpp"
#include "mesh/openfoam.hpp"
#include "mesh/piece.hpp"
#include "mesh/run_grids.hpp"
#include "mesh/test_ensight.hpp"
#include "mesh/test_foam.hpp"

namespace pathline::fuzz {
namespace {

constexpr const char* kFile = "mesh.vtu";
constexpr const char* kBinary = "    arch \"LSB;label=32;scalar=64\";\n";

/// An error must name the file and the line, the offset, or the face, cell or list in it.
std::string broken_by_error(const base::Error& error, std::string_view file) {
  const std::string& message = error.message;
  if (message.find(file) == std::string::npos) return "this error names no file: " + message;
  for (const char* place : {": line ", ": offset ", ": face ", ": cell ", ": owners of "}) {
    if (message.find(place) != std::string::npos) return "";
  }
  return "this error names no place: " + message;
}

std::string broken_by(const vtk::Grid& grid) {
  const size_t cells = grid.cell_count();
  if (grid.offsets.size() != cells) return "not every cell has an offset";
  if (!std::is_sorted(grid.offsets.begin(), grid.offsets.end())) return "offsets descend";
  if (cells > 0 && grid.offsets.back() != static_cast<int64_t>(grid.connectivity.size())) {
    return "the last cell ends elsewhere";
  }
  const auto is_point = [&](int64_t point) {
    return point >= 0 && static_cast<size_t>(point) < grid.point_count();
  };
  if (!std::all_of(grid.connectivity.begin(), grid.connectivity.end(), is_point)) {
    return "a cell has a point that is not there";
  }
  if (!grid.face_offsets.empty() && grid.face_offsets.size() != cells) {
    return "not every cell has a place for faces";
  }
  if (mesh::Piece::of(grid).cell_count() != cells) return "what was written has other cells";
  return "";
}

std::string probe_piece(std::string_view text) {
  const auto piece = mesh::Piece::parse(std::string(text), kFile);
  if (!piece) return broken_by_error(piece.error(), kFile);
  constexpr uint64_t kManyBytes = uint64_t{1} << 22;
  const vtk::Array arrays[] = {{.name = "rank", .values = std::vector<int32_t>{3}},
                               {.name = "load", .values = std::vector<double>{0.25}}};
  if (piece.value().bytes_with(std::size(arrays)) > kManyBytes) return "";
  const std::string with = piece.value().with_arrays(arrays);
  if (with.size() > piece.value().bytes_with(std::size(arrays)))
    return "arrays take more than said";
  const auto again = mesh::Piece::parse(with, kFile);
  if (!again) return "what arrays were added to cannot be read: " + again.error().message;
  if (again.value().cell_count() != piece.value().cell_count()) {
    return "what arrays were added to has other cells";
  }
  return "";
}

/// A file of EnSight beside others that are whole.
std::string probe_ensight(std::string_view kind, std::string_view text) {
  using Form = mesh::EnsightText::Form;
  if (kind == "ensight_case") {
    const auto parsed = mesh::parse_ensight_case(text, mesh::kRankField, kFile);
    return parsed ? "" : broken_by_error(parsed.error(), kFile);
  }
  const Form form = kind.ends_with("binary") ? Form::kLittle : Form::kAscii;
  const std::string geometry = mesh::ensight_geometry(form);
  const std::string field = mesh::ensight_field(form);
  mesh::EnsightTexts texts{geometry, field, "mesh.geo", "mesh.rank"};
  (kind.starts_with("ensight_field") ? texts.field : texts.geometry) = text;
  const auto grids = mesh::ensight_grids(texts);
  if (!grids) return broken_by_error(grids.error(), "mesh.");
  for (const vtk::Grid& grid : grids.value()) {
    if (std::string broken = broken_by(grid); !broken.empty()) return broken;
  }
  return "";
}

}  // namespace

std::string mesh_example(std::string_view kind) {
  if (kind == "points") return mesh::two_cubes_points();
  if (kind == "faces") return mesh::two_cubes_faces();
  if (kind == "owner") return mesh::two_cubes_owner();
  if (kind == "neighbour") return mesh::two_cubes_neighbour();
  if (kind == "binary_points") {
    std::string points;
    for (const double x : {0.0, 1.0, 2.0}) {
      for (const double y : {0.0, 1.0}) {
        for (const double z : {0.0, 1.0}) points += mesh::bytes_of<double>({x, y, z});
      }
    }
    return mesh::foam_text("vectorField", "12\n(" + points + ")", "binary", kBinary);
  }
  if (kind == "binary_faces") {
    return mesh::foam_text(
        "faceCompactList",
        "12\n(" + mesh::bytes_of<int32_t>({0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44}) +
            ")\n\n44\n(" +
            mesh::bytes_of<int32_t>({1, 4, 10, 7,  0,  6, 9, 3,  0, 1, 7, 6,  3,  9, 10,
                                     4, 0, 3,  4,  1,  6, 7, 10, 9, 2, 5, 11, 8,  1, 2,
                                     8, 7, 4,  10, 11, 5, 1, 4,  5, 2, 7, 8,  11, 10}) +
            ")",
        "binary", kBinary);
  }
  if (kind == "ensight_case") return mesh::ensight_case();
  if (kind.starts_with("ensight")) {
    using Form = mesh::EnsightText::Form;
    const Form form = kind.ends_with("binary") ? Form::kLittle : Form::kAscii;
    return kind.starts_with("ensight_field") ? mesh::ensight_field(form)
                                             : mesh::ensight_geometry(form);
  }
  if (kind == "index") {
    return "<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" version=\"0.1\">\n"
           "<PUnstructuredGrid GhostLevel=\"0\">\n<PPoints><PDataArray "
           "type=\"Float32\"/></PPoints>\n"
           "<Piece Source=\"a &amp; b/part_0.vtu\"/>\n<Piece Source='part_1.vtu'/>\n"
           "</PUnstructuredGrid>\n</VTKFile>\n";
  }
  if (kind == "vti") {
    return "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" "
           "byte_order=\"BigEndian\" header_type=\"UInt64\" compressor=\"vtkLZ4DataCompressor\">\n"
           "<ImageData WholeExtent=\"0 3 0 2 0 2\"><!-- no cells yet -->\n"
           "<Piece Extent=\"0 3 0 2 0 "
           "2\"><PointData/><CellData/></Piece>\n</ImageData>\n</VTKFile>\n";
  }
  if (kind == "run_grid") {
    // A triangle and a line between four points.
    const std::string arrays[] = {mesh::bytes_of<double>({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}),
                                  mesh::bytes_of<int64_t>({0, 1, 2, 2, 3}),
                                  mesh::bytes_of<int64_t>({3, 5}), "\5\3"};
    std::string data;
    for (const std::string& array : arrays) {
      data += mesh::bytes_of<int64_t>({static_cast<int64_t>(array.size())}) + array;
    }
    return "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" "
           "header_type=\"UInt64\">\n"
           "<UnstructuredGrid>\n<Piece NumberOfPoints=\"4\" NumberOfCells=\"2\">\n"
           "<Points><DataArray Name=\"Points\" offset=\"0\"/></Points>\n"
           "<Cells><DataArray Name=\"connectivity\" offset=\"104\"/>\n"
           "<DataArray Name=\"offsets\" offset=\"152\"/><DataArray Name=\"types\" offset=\"176\"/>"
           "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_" +
           data + "\n</AppendedData>\n</VTKFile>\n";
  }
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
      "byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n"
      "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n<CellData Scalars=\"rank\">\n"
      "<DataArray type=\"Int32\" Name=\"rank\" format=\"ascii\">7</DataArray>\n</CellData>\n"
      "<Points><DataArray Name=\"Points\" format=\"appended\" offset=\"0\"/></Points>\n"
      "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_";
  text += std::string("\0\1\2<Piece NumberOfCells=\"2\">\0", 28);
  return text + "</AppendedData>\n</VTKFile>\n";
}

std::string probe_mesh(std::string_view kind, std::string_view text) {
  if (kind == "vtu" || kind == "vti") return probe_piece(text);
  if (kind.starts_with("ensight")) return probe_ensight(kind, text);
  if (kind == "run_grid") {
    const auto grid = mesh::parse_run_grid(text, kFile);
    return grid ? broken_by(grid.value()) : broken_by_error(grid.error(), kFile);
  }
  if (kind == "index") {
    const auto files = mesh::files_in_index(text, kFile);
    return files ? "" : broken_by_error(files.error(), kFile);
  }
  const std::string points = mesh::two_cubes_points();
  const std::string faces = mesh::two_cubes_faces();
  const std::string owner = mesh::two_cubes_owner();
  const std::string neighbour = mesh::two_cubes_neighbour();
  mesh::FoamTexts texts{points, faces, owner, neighbour, "polyMesh"};
  if (kind.ends_with("points")) texts.points = text;
  if (kind.ends_with("faces")) texts.faces = text;
  if (kind == "owner") texts.owner = text;
  if (kind == "neighbour") texts.neighbour = text;
  const auto grid = mesh::foam_grid(texts);
  return grid ? broken_by(grid.value()) : broken_by_error(grid.error(), "polyMesh/");
}

}  // namespace pathline::fuzz
