// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/openfoam.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/text_input.hpp"
#include "mesh/cell_shape.hpp"
#include "mesh/foam_file.hpp"

namespace pathline::mesh {
namespace {

namespace fs = std::filesystem;

struct FoamMesh {
  std::vector<double> points;
  NumberLists faces;
  std::vector<int64_t> owner;      ///< Of each face; from outside of it corners run anticlockwise.
  std::vector<int64_t> neighbour;  ///< Of the first faces; -1 for none.
};

base::Error corrupt(const std::string& folder, const char* file, std::string_view fact) {
  return {base::ErrorCode::kCorrupt,
          fmt::format("cannot read {}/{}: {}", base::printable(folder), file, fact)};
}

base::Status check_faces(const FoamMesh& mesh, const std::string& folder) {
  const size_t points = mesh.points.size() / 3;
  for (size_t f = 0; f < mesh.faces.size(); ++f) {
    const auto face = mesh.faces[f];
    if (face.size() < 3) {
      return corrupt(folder, "faces",
                     fmt::format("face {} has {} corners, expected at least 3", f, face.size()));
    }
    for (const int64_t point : face) {
      if (point < 0 || static_cast<uint64_t>(point) >= points) {
        return corrupt(
            folder, "faces",
            fmt::format("face {} has the corner {}, but there are {} points", f, point, points));
      }
    }
  }
  return {};
}

/// returns  the number of cells
base::Result<size_t> check_cells(const FoamMesh& mesh, const std::string& folder) {
  const size_t faces = mesh.faces.size();
  if (mesh.owner.size() != faces) {
    return corrupt(
        folder, "owner",
        fmt::format("owners of {} faces, but there are {} faces", mesh.owner.size(), faces));
  }
  int64_t last = -1;
  for (size_t f = 0; f < faces; ++f) {
    // A cell has at least four faces.
    if (mesh.owner[f] < 0 || static_cast<uint64_t>(mesh.owner[f]) >= faces) {
      return corrupt(folder, "owner",
                     fmt::format("face {} belongs to cell {}, but {} faces cannot make so many", f,
                                 mesh.owner[f], faces));
    }
    last = std::max(last, mesh.owner[f]);
  }
  for (size_t f = 0; f < mesh.neighbour.size(); ++f) {
    if (mesh.neighbour[f] < -1 || mesh.neighbour[f] > last) {
      return corrupt(folder, "neighbour",
                     fmt::format("face {} belongs to cell {}, but there are {} cells", f,
                                 mesh.neighbour[f], last + 1));
    }
  }
  return static_cast<size_t>(last + 1);
}

/// The faces of each cell: those that it owns as their number, others as ~number.
struct CellFaces {
  CellFaces(const FoamMesh& mesh, size_t cells) : begins(cells + 1, 0) {
    each(mesh, [&](int64_t cell, int64_t) { ++begins[static_cast<size_t>(cell) + 1]; });
    for (size_t cell = 0; cell < cells; ++cell) begins[cell + 1] += begins[cell];
    faces.resize(begins[cells]);
    std::vector<size_t> next(begins.begin(), begins.end() - 1);
    each(mesh,
         [&](int64_t cell, int64_t face) { faces[next[static_cast<size_t>(cell)]++] = face; });
  }
  [[nodiscard]] std::span<const int64_t> operator[](size_t cell) const {
    return std::span(faces).subspan(begins[cell], begins[cell + 1] - begins[cell]);
  }

  std::vector<size_t> begins;
  std::vector<int64_t> faces;

 private:
  template <class Visit>
  static void each(const FoamMesh& mesh, Visit visit) {
    for (size_t f = 0; f < mesh.owner.size(); ++f) {
      visit(mesh.owner[f], static_cast<int64_t>(f));
      if (f < mesh.neighbour.size() && mesh.neighbour[f] >= 0) {
        visit(mesh.neighbour[f], ~static_cast<int64_t>(f));
      }
    }
  }
};

base::Result<vtk::Grid> grid_of(FoamMesh mesh, const std::string& folder) {
  if (auto status = check_faces(mesh, folder); !status) return status.error();
  const auto cells = check_cells(mesh, folder);
  if (!cells) return cells.error();
  vtk::Grid grid;
  grid.points = std::move(mesh.points);
  grid.offsets.reserve(cells.value());
  grid.types.reserve(cells.value());
  grid.face_offsets.reserve(cells.value());
  const CellFaces faces_of(mesh, cells.value());
  Outline outline;
  for (size_t cell = 0; cell < cells.value(); ++cell) {
    const auto faces = faces_of[cell];
    if (faces.size() < 4) {
      return corrupt(folder, "owner",
                     fmt::format("cell {} has {} faces, expected at least 4", cell, faces.size()));
    }
    outline.clear();
    for (const int64_t face : faces) {
      outline.add_face(mesh.faces[static_cast<size_t>(face < 0 ? ~face : face)], face < 0);
    }
    add_cell(grid, outline);
  }
  // Without polyhedra there is nothing to say of them.
  if (grid.faces.empty()) grid.face_offsets.clear();
  return grid;
}

/// `folder`/`name`, or the same packed.
base::Result<base::TextInput> open_text(const fs::path& folder, const std::string& name) {
  std::error_code failure;
  for (const char* suffix : {"", ".gz"}) {
    const fs::path file = folder / (name + suffix);
    if (fs::exists(file, failure)) return base::TextInput::open(file);
  }
  return base::Error{
      base::ErrorCode::kNotFound,
      fmt::format("there is no {}, nor the same with .gz", (folder / name).string()),
      "Meshes are read from constant/polyMesh of each processor, where decomposePar puts them."};
}

}  // namespace

base::Result<vtk::Grid> foam_grid(const FoamTexts& texts) {
  FoamMesh mesh;
  const auto open = [&](std::string_view text, const char* file) {
    return FoamFile::parse(text, texts.folder + "/" + file);
  };
  auto points = open(texts.points, "points");
  if (!points) return points.error();
  auto coordinates = points.value().points();
  if (!coordinates) return coordinates.error();
  mesh.points = std::move(coordinates).value();
  auto faces = open(texts.faces, "faces");
  if (!faces) return faces.error();
  auto corners = faces.value().faces();
  if (!corners) return corners.error();
  mesh.faces = std::move(corners).value();
  for (const auto& [text, file, to] : {std::tuple{texts.owner, "owner", &mesh.owner},
                                       {texts.neighbour, "neighbour", &mesh.neighbour}}) {
    auto list = open(text, file);
    if (!list) return list.error();
    auto labels = list.value().labels(mesh.faces.size(), "faces");
    if (!labels) return labels.error();
    *to = std::move(labels).value();
  }
  return grid_of(std::move(mesh), texts.folder);
}

base::Result<vtk::Grid> read_foam_grid(const fs::path& processor) {
  const fs::path folder = processor / "constant" / "polyMesh";
  const auto points = open_text(folder, "points");
  if (!points) return points.error();
  const auto faces = open_text(folder, "faces");
  if (!faces) return faces.error();
  const auto owner = open_text(folder, "owner");
  if (!owner) return owner.error();
  const auto neighbour = open_text(folder, "neighbour");
  if (!neighbour) return neighbour.error();
  return foam_grid({.points = points.value().text(),
                    .faces = faces.value().text(),
                    .owner = owner.value().text(),
                    .neighbour = neighbour.value().text(),
                    .folder = folder.string()});
}

}  // namespace pathline::mesh
