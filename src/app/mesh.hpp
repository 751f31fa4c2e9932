// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/step_source.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "insitu/figures.hpp"
#include "insitu/mesh_write.hpp"

namespace pathline::app {

struct MeshRequest {
  /// As mesh::find_case() takes them; empty for what the program handed over.
  std::vector<std::string> parts;
  std::string rank_field;             ///< For EnSight; "" for the usual one.
  std::vector<std::string> to_ranks;  ///< "0,3,8-15": destinations with arrays of their own.
  insitu::FigureOptions figures;
  StepSource steps;
};

struct MeshFiles {
  insitu::MeshReport mesh;
  size_t steps = 0;
  size_t ranks = 0;
  bool has_steps = false;            ///< False: the whole run is one.
  std::vector<std::string> remarks;  ///< What the user should know.
};

/// Puts the figures of a run on the mesh of its simulation; writes mesh.pvd and what belongs to it
/// into `folder`.
///
/// input   the run directory, or an archive in it
/// errors  those of mesh::find_case(), mesh::find_run_grids(), find_steps(), insitu::figures_of()
/// and
///         insitu::write_mesh(); kInvalidArgument when the mesh has not as many parts as the run
///         has ranks, and for a destination that is no rank.
base::Result<MeshFiles> write_mesh(const std::filesystem::path& input, const trace::Trace& trace,
                                   const MeshRequest& request, const std::filesystem::path& folder,
                                   base::ThreadPool& pool, base::Progress& progress);

/// The same while the run goes on, step by step as follow_run() has it; write_mesh() makes it
/// whole. Writes nothing as long as the program has handed over no mesh. errors  those of
/// follow_run() and write_mesh().
base::Status follow_mesh(const std::filesystem::path& run, const MeshRequest& request,
                         const std::filesystem::path& folder, base::ThreadPool& pool,
                         base::Progress& progress);

}  // namespace pathline::app
