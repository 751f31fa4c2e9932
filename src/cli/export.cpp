// SPDX-License-Identifier: BSD-3-Clause
#include "app/export.hpp"

#include "cli/command.hpp"
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
              "otf2 (a folder), chrome (a JSON file for Perfetto) or csv (a folder of "
              "tables)")
      .required()
      .one_of({"otf2", "chrome", "csv"});
  command.option("-o,--output", options->output, "File or folder to write").required();
  add_selection(command, *options);
  command.footer(
      "Examples:\n  pathline export run --to chrome -o run.json\n"
      "  pathline export run --to csv -o tables");
  command.on_chosen([options, &action] { action = [options] { return run_export(*options); }; });
}

}  // namespace pathline::cli
