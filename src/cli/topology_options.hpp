// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/command.hpp"
#include "cli/step_choice.hpp"

namespace pathline::cli {

/// What is drawn of a machine, and how.
struct TopologyOptions : CommonOptions {
  std::string slurm;
  std::string layout = "planes";
  double node_gap = 0;
  bool periodic = false;
  StepChoice steps;
};

void add_topology_options(Command& command, TopologyOptions& options);

/// Writes the folder options.output and says on stderr what is in it.
base::Status write_topology(const TopologyOptions& options, const Opened& run,
                            base::Progress& progress, base::ThreadPool& pool);

}  // namespace pathline::cli
