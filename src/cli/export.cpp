// SPDX-License-Identifier: BSD-3-Clause
#include "app/export.hpp"

#include <fmt/format.h>

#include "app/export_part.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/topology_options.hpp"
#include "otf2/writer.hpp"
#include "trace/cut.hpp"

namespace pathline::cli {
namespace {

struct ExportOptions : CommonOptions {
  std::string to;
  std::string regions;
};

/// Says what the part lacks: nobody should take it for a mistake of the program.
void note_about(const trace::Cut& cut) {
  if (cut.lost_sends + cut.lost_receives > 0) {
    note(fmt::format("{} and {} have their partner outside of the part",
                     base::counted(cut.lost_sends, "send", "sends"),
                     base::counted(cut.lost_receives, "receive", "receives")));
  }
  if (cut.split_collectives > 0) {
    note(base::counted(cut.split_collectives, "collective operation lacks",
                       "collective operations lack") +
         " members that end outside of the part");
  }
  if (cut.reopened_calls > 0) {
    note(base::counted(cut.reopened_calls, "call", "calls") +
         " had begun before the part; each is a visit in it");
  }
}

base::Status export_part(const ExportOptions& options, Opened& run) {
  auto left_out = app::regions_left_out(run.trace.definitions, options.regions);
  if (!left_out) return left_out.error();
  base::Status status;
  std::optional<trace::Cut> part;
  with_progress(run.progress, options.quiet, [&] {
    run.progress.begin("cutting", "", 0);
    auto cut = trace::cut(run.trace, run.selection, left_out.value(), run.pool);
    if (!cut) {
      status = cut.error();
      return;
    }
    part = std::move(cut).value();
    status = otf2::write(part->trace, options.output, "traces", run.progress);
  });
  if (status && !options.quiet) note_about(*part);
  return status;
}

base::Result<int> run_export(const ExportOptions& options) {
  if (options.output == "-") {
    return base::Error{base::ErrorCode::kInvalidArgument, "an export needs a place to go to",
                       "Name it with -o PATH."};
  }
  if (!options.regions.empty() && options.to != "otf2") {
    return base::Error{base::ErrorCode::kUnsupported, "--regions goes with --to otf2 only"};
  }
  auto opened = open(options);
  if (!opened) return opened.error();
  Opened& run = *opened.value();
  if (options.to == "otf2" && !(run.selection.everything() && options.regions.empty())) {
    if (auto status = export_part(options, run); !status) return status.error();
    return kDone;
  }
  if (options.to == "vtk") {
    if (!run.selection.everything()) {
      return base::Error{base::ErrorCode::kUnsupported,
                         "what goes to VTK are whole time steps of all ranks: --from, --until and "
                         "--ranks do not go with --to vtk"};
    }
    TopologyOptions topology;
    static_cast<CommonOptions&>(topology) = options;
    if (auto status = write_topology(topology, run, run.progress, run.pool); !status) {
      return status.error();
    }
    return kDone;
  }
  base::Status status;
  with_progress(run.progress, options.quiet, [&] {
    if (options.to == "otf2") {
      status = otf2::write(run.trace, options.output, "traces", run.progress);
    } else if (options.to == "chrome") {
      status = app::export_chrome(run.trace, run.selection, options.output, run.progress);
    } else {
      status = app::export_csv(run.trace, run.selection, options.output, run.progress);
    }
  });
  if (!status) return status.error();
  return kDone;
}

}  // namespace

void add_export_command(Command& program, Action& action) {
  auto options = std::make_shared<ExportOptions>();
  Command command = program.command("export", "Writes a run in another format");
  add_input(command, *options);
  command
      .option("--to", options->to,
              "otf2 (a folder), chrome (a JSON file for Perfetto), csv (a folder of tables) or vtk "
              "(a folder: what 'pathline topology' writes)")
      .required()
      .one_of({"otf2", "chrome", "csv", "vtk"});
  options->makes_folder = true;
  command.option("-o,--output", options->output, "File or folder to write").required();
  add_selection(command, *options);
  command.option(
      "--regions", options->regions,
      "Only calls of these regions, for otf2: 'solve*,!MPI_Test'; time of others falls to "
      "their caller. MPI and 'time step' stay unless '!' names them; messages always stay");
  command.footer(
      "Examples:\n  pathline export run --to chrome -o run.json\n"
      "  pathline export run --to csv -o tables\n"
      "  pathline export run --to otf2 -o part --from 10 --until 20 --ranks 0-63");
  command.on_chosen([options, &action] { action = [options] { return run_export(*options); }; });
}

}  // namespace pathline::cli
