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
  std::vector<std::string> parts;     ///< As mesh::find_case() takes them.
  std::string rank_field;             ///< For EnSight; "" for the usual one.
  std::vector<std::string> to_ranks;  ///< "0,3,8-15": destinations with arrays of their own.
  insitu::FigureOptions figures;
  StepSource steps;
};

struct MeshFiles {
  insitu::MeshReport mesh;
  size_t steps = 0;
  size_t ranks = 0;
  bool has_steps = false;  ///< False: the whole run is one.
};

/// Puts the figures of a run on the mesh of its simulation; writes mesh.pvd and what belongs to it
/// into `folder`.
/// errors  those of mesh::find_case(), find_steps(), insitu::figures_of() and insitu::write_mesh();
///         kInvalidArgument when the mesh has not as many parts as the run has ranks, and for a
///         destination that is no rank.
base::Result<MeshFiles> write_mesh(const trace::Trace& trace, const MeshRequest& request,
                                   const std::filesystem::path& folder, base::ThreadPool& pool,
                                   base::Progress& progress);

}  // namespace pathline::app
