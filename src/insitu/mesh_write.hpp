// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "insitu/figures.hpp"
#include "mesh/case.hpp"
#include "vtk/grid.hpp"

namespace pathline::insitu {

/// What stands on the cells of a rank, with one value for each rank: "rank", all of rank_arrays(),
/// and for each of `destinations` and each of Figures::functions "FUNCTION to DESTINATION :
/// counter" and ": bytes". Only of those that are asked for: all would be as many as the square of
/// the ranks.
std::vector<vtk::Array> mesh_arrays(const Figures& figures, const Step& step,
                                    std::span<const uint32_t> destinations);

struct MeshReport {
  uint64_t cells = 0;
  uint64_t least_cells = 0;  ///< Of a rank.
  uint64_t most_cells = 0;
};

/// Puts the figures of each step on the mesh:
///
///   mesh.pvd                        what ParaView opens
///   mesh.py                         the same in colours: a state for ParaView, pictures by
///   pvpython mesh/step_NNNNNN.vtm            a block for each rank mesh/step_NNNNNN/rank_N.vtu the
///   mesh of the rank; the suffix is that of its kind
///
/// Each part of the mesh is read once, and as many of them are held as fit in half a gibibyte.
/// Where all of them do, what was written stays readable when a later step fails.
///
/// mesh      has a part for each rank of the figures
/// errors    those of mesh::read_part(); kUnsupported for a part whose arrays would take more than
///           2 GiB; kIo.
base::Result<MeshReport> write_mesh(const mesh::Case& mesh, const Figures& figures,
                                    std::span<const uint32_t> destinations,
                                    const std::filesystem::path& folder, base::ThreadPool& pool,
                                    base::Progress& progress);

}  // namespace pathline::insitu
