// SPDX-License-Identifier: BSD-3-Clause
#include "cli/step_choice.hpp"

namespace pathline::cli {

void add_step_options(Command& command, StepChoice& choice) {
  command
      .option("--region", choice.regions,
              "Show this region; may be given again. By default those that take most time")
      .one_value_each();
  const Option every =
      command.option("--every", choice.every, "Only every N-th time step").range(1U, UINT32_MAX);
  command.option("--step", choice.step, "Only this time step").excludes(every);
}

void add_source_options(Command& command, StepChoice& choice) {
  command.option("--step-marker", choice.marker,
                 "CALL:BYTES/N: every N-th such call starts a step, as in allreduce:16/4");
  command.flag(
      "--follow", choice.follow,
      "While INPUT, a run directory, is being recorded: write each time step when it is over, "
      "until the command has ended");
}

void note_no_steps() {
  note(
      "the program marks no time steps: the whole run is one. --step-marker can say where they "
      "begin");
}

base::Status needs_folder(const std::string& output) {
  if (output != "-") return {};
  return base::Error{base::ErrorCode::kInvalidArgument, "VTK files need a folder to go to",
                     "Name it with -o DIR."};
}

}  // namespace pathline::cli
