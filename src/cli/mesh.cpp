// SPDX-License-Identifier: BSD-3-Clause
#include "app/mesh.hpp"

#include <memory>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/step_choice.hpp"

namespace pathline::cli {
namespace {

struct MeshOptions : CommonOptions {
  std::vector<std::string> parts;
  std::string rank_field;
  std::vector<std::string> to_ranks;
  StepChoice steps;
};

app::MeshRequest request_of(const MeshOptions& options) {
  return {.parts = options.parts,
          .rank_field = options.rank_field,
          .to_ranks = options.to_ranks,
          .figures = options.steps.figures(),
          .steps = options.steps.source()};
}

base::Status follow_mesh(const MeshOptions& options) {
  base::ThreadPool pool(options.threads);
  base::Progress progress;
  return app::follow_mesh(options.input, request_of(options), options.output, pool, progress);
}

base::Status write_mesh(const MeshOptions& options) {
  auto opened = open(options);
  if (!opened) return opened.error();
  Opened& run = *opened.value();
  const app::MeshRequest request = request_of(options);
  base::Result<app::MeshFiles> files = base::Error{};
  with_progress(run.progress, options.quiet, [&] {
    files = app::write_mesh(run.source, run.trace, request, options.output, run.pool, run.progress);
  });
  if (!files) return files.error();
  if (options.quiet) return {};
  const app::MeshFiles& written = files.value();
  for (const std::string& remark : written.remarks) note(remark);
  if (!written.has_steps) note_no_steps();
  note(fmt::format(
      "{} on {} of {}, {} to {} each; open {}/mesh.pvd in ParaView, or load "
      "{}/mesh.py as a state",
      base::counted(written.steps, "time step", "time steps"),
      base::counted(written.mesh.cells, "cell", "cells"),
      base::counted(written.ranks, "rank", "ranks"), base::human_count(written.mesh.least_cells),
      base::human_count(written.mesh.most_cells), options.output, options.output));
  return {};
}

}  // namespace

void add_mesh_command(Command& program, Action& action) {
  auto options = std::make_shared<MeshOptions>();
  Command command =
      program.command("mesh", "Each time step on the mesh of the simulation, as VTK for ParaView");
  add_input(command, *options);
  command
      .option(
          "--case", options->parts,
          "The decomposed mesh: an OpenFOAM case, a .pvtu or .vtm, a folder with the VTK file of "
          "each rank, these files one by one, or the .case of an EnSight result. Without it the "
          "mesh "
          "that the program handed over while it was recorded with --insitu geometry")
      .one_value_each()
      .value_name("CASE");
  command
      .option(
          "--rank-field", options->rank_field,
          "In an EnSight result: the field that holds the rank of each cell; mpi_rank_id, which "
          "is Code_Saturne's, unless you say")
      .value_name("NAME");
  options->makes_folder = true;
  command.option("-o,--output", options->output, "Folder to write").required();
  command
      .option("--to", options->to_ranks,
              "Also what was sent to these ranks, as in 0,3,8-15; may be given again")
      .one_value_each()
      .value_name("RANKS");
  add_step_options(command, options->steps);
  add_source_options(command, options->steps);
  command.footer(
      "Part N of the mesh is that of rank N: of OpenFOAM the folder processorN, else the N-th "
      "file,\n"
      "or the one with that number in its name. What a rank did stands on all of its cells.\n"
      "Examples:\n  pathline mesh run -o vtk\n  pathline mesh run --case cavity --step-marker "
      "allreduce:16/4 -o vtk\n"
      "  pathline mesh run --case result.pvtu --to 0 -o vtk");
  command.on_chosen([options, &action] {
    action = [options]() -> base::Result<int> {
      if (auto status = needs_folder(options->output); !status) return status.error();
      const auto status = options->steps.follow ? follow_mesh(*options) : write_mesh(*options);
      if (!status) return status.error();
      return kDone;
    };
  });
}

}  // namespace pathline::cli
