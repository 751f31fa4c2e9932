// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "vtk/grid.hpp"

namespace pathline::mesh {

/// The texts of the four files of an OpenFOAM mesh, and what errors call them.
struct FoamTexts {
  std::string_view points;
  std::string_view faces;
  std::string_view owner;
  std::string_view neighbour;
  std::string folder;
};

/// The cells of a mesh. Faces that belong to more than the mesh says, points that do not exist and
/// cells without an inside are errors.
/// errors  those of FoamFile; kCorrupt naming the file, the entry and what is wrong with it.
/// cost    O(size of the texts) in time and memory.
base::Result<vtk::Grid> foam_grid(const FoamTexts& texts);

/// The mesh in `processor`/constant/polyMesh, files of which may be packed by gzip.
/// errors  kNotFound naming the file that is missing; those of base::TextInput and foam_grid().
base::Result<vtk::Grid> read_foam_grid(const std::filesystem::path& processor);

}  // namespace pathline::mesh
