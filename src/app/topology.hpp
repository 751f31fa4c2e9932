// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "app/placement.hpp"
#include "app/step_source.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "insitu/figures.hpp"
#include "insitu/machine.hpp"
#include "insitu/scene.hpp"

namespace pathline::app {

/// The machine that a run used: hardware and places as the run directory holds them, hosts as the
/// trace names them where there is none.
///
/// input  the run directory, or an archive, beside which its files may lie
/// slurm  a topology.conf; "" for none
/// errors those of reading `slurm`. What else cannot be read is a remark.
base::Result<insitu::Machine> machine_of(const std::filesystem::path& input,
                                         const trace::Trace& trace, const std::string& slurm);

/// The machine of ranks 0, 1, 2 ...
/// hardware  folder with one hwloc XML file for each host; may be missing
base::Result<insitu::Machine> machine_at(std::span<const RankPlace> ranks,
                                         const std::filesystem::path& hardware,
                                         const std::string& slurm);

struct TopologyRequest {
  std::string slurm;
  insitu::SceneOptions scene;
  insitu::FigureOptions figures;
  StepSource steps;
};

struct TopologyReport {
  size_t steps = 0;
  size_t nodes = 0;
  size_t ranks = 0;
  size_t switches = 0;
  bool has_steps = false;            ///< False: the whole run is one.
  std::vector<std::string> remarks;  ///< What the user should know.
};

/// Writes topology.pvd and what belongs to it into `folder`.
/// errors  those of machine_of(), find_steps(), insitu::figures_of() and of writing.
base::Result<TopologyReport> write_topology(const std::filesystem::path& input,
                                            const trace::Trace& trace,
                                            const TopologyRequest& request,
                                            const std::filesystem::path& folder,
                                            base::ThreadPool& pool, base::Progress& progress);

/// The same while the run goes on, step by step as follow_run() has it; write_topology() makes it
/// whole.
/// errors  those of follow_run(), machine_at() and of writing.
base::Status follow_topology(const std::filesystem::path& run, const TopologyRequest& request,
                             const std::filesystem::path& folder, base::ThreadPool& pool,
                             base::Progress& progress);

}  // namespace pathline::app
