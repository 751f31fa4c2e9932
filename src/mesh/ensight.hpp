// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "vtk/grid.hpp"

namespace pathline::mesh {

/// What the .case file of an EnSight Gold result says of its mesh and of one field.
struct EnsightCase {
  std::string geometry;  ///< File, relative to the .case.
  std::string field;     ///< File of the "scalar per element" that was asked for.
};

/// errors  kNotFound for a field that is not there, naming those that are; kCorrupt; kUnsupported
/// for
///         meshes and fields that change from step to step, and for older kinds of EnSight.
base::Result<EnsightCase> parse_ensight_case(std::string_view text, std::string_view field,
                                             const std::string& name);

/// The texts of geometry and field, ASCII or binary of C, and what errors call them.
struct EnsightTexts {
  std::string_view geometry;
  std::string_view field;
  std::string geometry_name;
  std::string field_name;
};

/// The cells of a mesh by the rank that `field` holds for each: a grid for each rank from 0 to the
/// highest, points of others left out.
///
/// errors  kCorrupt naming the file and the line or the offset, also for a rank that is none;
///         kUnsupported for structured parts and elements that are not straight.
/// cost    O(size of the texts) in time and memory; no more ranks than cells, nor than 2^20.
base::Result<std::vector<vtk::Grid>> ensight_grids(const EnsightTexts& texts);

/// The same of files. errors  those of both, of base::TextInput for the .case and base::MappedFile
/// for what it names.
base::Result<std::vector<vtk::Grid>> read_ensight_grids(const std::filesystem::path& path,
                                                        std::string_view field);

}  // namespace pathline::mesh
