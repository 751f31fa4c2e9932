// SPDX-License-Identifier: BSD-3-Clause
#include "app/diff.hpp"

#include "cli/command.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

struct DiffOptions : CommonOptions {
  std::string other;
};

base::Result<int> run_diff(const DiffOptions& options) {
  CommonOptions second = options;
  second.input = options.other;
  auto opened_a = open(options);
  if (!opened_a) return opened_a.error();
  auto opened_b = open(second);
  if (!opened_b) return opened_b.error();
  const auto differences =
      app::diff({opened_a.value()->trace, opened_a.value()->selection},
                {opened_b.value()->trace, opened_b.value()->selection}, opened_a.value()->pool);
  Table table(options, {{"kind", true}, {"name", true}, {"metric", true}, {"a"}, {"b"}});
  for (const app::Difference& row : differences) {
    table.row({row.kind, row.name, row.metric, row.a, row.b});
  }
  if (auto status = table.finish(); !status) return status.error();
  return differences.empty() ? kDone : kAnswerIsNo;
}

}  // namespace

void add_diff_command(Command& program, Action& action) {
  auto options = std::make_shared<DiffOptions>();
  Command command = program.command("diff", "Regions and pairs whose numbers differ");
  add_input(command, *options);
  command.option("OTHER", options->other, "The run to compare with").required();
  add_output(command, *options);
  add_format(command, *options);
  add_selection(command, *options);
  command.footer(
      "Exit status 1 when something differs. An empty value: only the other run has it. Regions "
      "are "
      "compared by name: those that share one are added up.\n"
      "Examples:\n  pathline diff before after\n"
      "  pathline diff before after --format csv | grep exclusive_s");
  command.on_chosen([options, &action] { action = [options] { return run_diff(*options); }; });
}

}  // namespace pathline::cli
