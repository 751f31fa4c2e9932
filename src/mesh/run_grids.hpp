// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "mesh/case.hpp"
#include "vtk/grid.hpp"

// The meshes that a program handed over while it was recorded, as src/record/grid_file.cpp writes
// them: FOLDER/step_N/rank_R.vtu, what rank R had from step N on.

namespace pathline::mesh {

/// Where the meshes of a run lie in its directory.
inline constexpr const char* kRunGrids = "insitu/grid";

/// The meshes that `folder` holds. Other names in it count for nothing: a file that is not complete
/// has one. returns  as many parts as ranks; those without a file, or not yet, are without cells.
/// errors   kNotFound without any mesh; kInvalidArgument for a rank that there is not; kIo.
base::Result<Case> find_run_grids(const std::filesystem::path& folder, size_t rank_count);

/// errors  kCorrupt and kUnsupported naming file and line, or cell.
base::Result<vtk::Grid> parse_run_grid(std::string_view text, const std::string& name);

/// errors  those of base::MappedFile and parse_run_grid().
base::Result<vtk::Grid> read_run_grid(const std::filesystem::path& path);

}  // namespace pathline::mesh
