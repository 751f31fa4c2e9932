// SPDX-License-Identifier: BSD-3-Clause
#include "app/topology.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/topology_options.hpp"

namespace pathline::cli {

void add_topology_options(Command& command, TopologyOptions& options) {
  command
      .option("--slurm", options.slurm, "Slurm's topology.conf: draws the switches between nodes")
      .value_name("FILE");
  command
      .option("--layout", options.layout,
              "planes (one behind the other) or circle (around a common centre)")
      .one_of({"planes", "circle"})
      .show_default();
  command
      .option("--node-gap", options.node_gap,
              "Space between nodes, in widths of a PU; by default a quarter of a node")
      .range(0.1, 1e6);
  command.flag("--periodic", options.periodic,
               "Messages that are nearer around the end leave the picture there");
  add_step_options(command, options.steps);
}

namespace {

app::TopologyRequest request_of(const TopologyOptions& options) {
  app::TopologyRequest request;
  request.slurm = options.slurm;
  request.scene = {.arrangement = options.layout == "circle" ? insitu::Arrangement::kCircle
                                                             : insitu::Arrangement::kPlanes,
                   .node_gap = options.node_gap,
                   .periodic = options.periodic};
  request.figures = options.steps.figures();
  request.steps = options.steps.source();
  return request;
}

}  // namespace

base::Status write_topology(const TopologyOptions& options, const Opened& run,
                            base::Progress& progress, base::ThreadPool& pool) {
  const app::TopologyRequest request = request_of(options);
  base::Result<app::TopologyReport> report = base::Error{};
  with_progress(progress, options.quiet, [&] {
    report = app::write_topology(run.source, run.trace, request, options.output, pool, progress);
  });
  if (!report) return report.error();
  if (options.quiet) return {};
  const app::TopologyReport& written = report.value();
  for (const std::string& remark : written.remarks) note(remark);
  if (!written.has_steps) note_no_steps();
  note(
      fmt::format("{} of {} on {} written; open {}/topology.pvd in ParaView, or load "
                  "{}/topology.py as a state",
                  base::counted(written.steps, "time step", "time steps"),
                  base::counted(written.ranks, "rank", "ranks"),
                  base::counted(written.nodes, "node", "nodes"), options.output, options.output));
  return {};
}

void add_topology_command(Command& program, Action& action) {
  auto options = std::make_shared<TopologyOptions>();
  Command command = program.command(
      "topology", "Each time step on the machine, as VTK for ParaView: nodes, ranks, messages");
  add_input(command, *options);
  options->makes_folder = true;
  command.option("-o,--output", options->output, "Folder to write").required();
  add_topology_options(command, *options);
  add_source_options(command, options->steps);
  command.footer(
      "Each node is a plane with the hardware that its ranks may use, by hwloc, and the ranks "
      "below.\nMessages descend from sender to receiver. doc/insitu.md lists the arrays.\n"
      "Examples:\n  pathline topology run -o vtk\n"
      "  pathline topology run -o vtk --slurm topology.conf --layout circle");
  command.on_chosen([options, &action] {
    action = [options]() -> base::Result<int> {
      if (auto status = needs_folder(options->output); !status) return status.error();
      if (options->steps.follow) {
        base::ThreadPool pool(options->threads);
        base::Progress progress;
        if (auto status = app::follow_topology(options->input, request_of(*options),
                                               options->output, pool, progress);
            !status) {
          return status.error();
        }
        return kDone;
      }
      auto opened = open(*options);
      if (!opened) return opened.error();
      Opened& run = *opened.value();
      if (auto status = write_topology(*options, run, run.progress, run.pool); !status) {
        return status.error();
      }
      return kDone;
    };
  });
}

}  // namespace pathline::cli
