// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/step_source.hpp"
#include "cli/command.hpp"
#include "insitu/figures.hpp"

namespace pathline::cli {

/// Which time steps are put on the machine or on a mesh, and which regions get arrays.
struct StepChoice {
  std::vector<std::string> regions;
  unsigned every = 1;
  std::optional<uint32_t> step;
  std::string marker;
  bool follow = false;

  [[nodiscard]] insitu::FigureOptions figures() const {
    return {.every = every, .step = step, .regions = regions};
  }
  [[nodiscard]] app::StepSource source() const {
    app::StepSource source;
    source.by_marker = marker;
    return source;
  }
};

/// --region, --every and --step.
void add_step_options(Command& command, StepChoice& choice);
/// --step-marker and --follow.
void add_source_options(Command& command, StepChoice& choice);

/// Says what to do about a run that marks no time steps.
void note_no_steps();

/// errors  kInvalidArgument for "-": one file is not enough for them.
base::Status needs_folder(const std::string& output);

}  // namespace pathline::cli
