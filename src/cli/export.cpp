// SPDX-License-Identifier: BSD-3-Clause
#include "app/export.hpp"

#include "cli/command.hpp"
#include "cli/topology_options.hpp"
#include "otf2/writer.hpp"

namespace pathline::cli {
namespace {

struct ExportOptions : CommonOptions {
  std::string to;
};

base::Result<int> run_export(const ExportOptions& options) {
  if (options.output == "-") {
    return base::Error{base::ErrorCode::kInvalidArgument, "an export needs a place to go to",
                       "Name it with -o PATH."};
  }
  auto opened = open(options);
  if (!opened) return opened.error();
  Opened& run = *opened.value();
  if (options.to == "otf2" && !run.selection.everything()) {
    return base::Error{base::ErrorCode::kUnsupported,
                       "an OTF2 archive is written whole: --from, --until and --ranks do not go "
                       "with --to otf2"};
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
  command.option("-o,--output", options->output, "File or folder to write").required();
  add_selection(command, *options);
  command.footer(
      "Examples:\n  pathline export run --to chrome -o run.json\n"
      "  pathline export run --to csv -o tables");
  command.on_chosen([options, &action] { action = [options] { return run_export(*options); }; });
}

}  // namespace pathline::cli
