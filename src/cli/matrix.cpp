// SPDX-License-Identifier: BSD-3-Clause
#include "comm/matrix.hpp"

#include "cli/command.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

struct MatrixOptions : CommonOptions {
  std::optional<uint32_t> step;
};

base::Result<int> run_matrix(const MatrixOptions& options) {
  auto opened = open(options);
  if (!opened) return opened.error();
  const trace::Trace& trace = opened.value()->trace;
  if (auto status = check_step(options, trace, options.step); !status) return status.error();
  const auto matrix =
      comm::matrix(trace, opened.value()->selection, options.step, opened.value()->pool);
  Table table(
      options,
      {{"sender"}, {"receiver"}, {"messages"}, {"bytes"}, {"min_s"}, {"mean_s"}, {"max_s"}});
  const auto seconds = [&](double ticks) {
    return fmt::format("{:.9f}",
                       ticks / static_cast<double>(trace.definitions.clock.ticks_per_second));
  };
  const graph::Traffic& traffic = matrix.traffic;
  for (uint32_t sender = 0; sender < traffic.rank_count(); ++sender) {
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      table.row({fmt::format("{}", sender), fmt::format("{}", traffic.receiver[i]),
                 fmt::format("{}", traffic.messages[i]), fmt::format("{}", traffic.bytes[i]),
                 seconds(static_cast<double>(matrix.min_ticks[i])), seconds(matrix.mean_ticks[i]),
                 seconds(static_cast<double>(matrix.max_ticks[i]))});
    }
  }
  if (auto status = table.finish(); !status) return status.error();
  return kDone;
}

}  // namespace

void add_matrix_command(Command& program, Action& action) {
  auto options = std::make_shared<MatrixOptions>();
  Command command = program.command("matrix", "Who sent how much to whom");
  add_input(command, *options);
  add_output(command, *options);
  add_format(command, *options);
  add_selection(command, *options);
  command.option("--step", options->step, "Only the messages sent in this time step");
  command.footer(
      "A message takes the time from the time stamp of its send record, written when the send is "
      "called, to that of its receive record, written when the receive is complete. It is negative "
      "where the clocks of the two disagree.\nExamples:\n"
      "  pathline matrix run\n  pathline matrix run --step 12 --format csv");
  command.on_chosen([options, &action] { action = [options] { return run_matrix(*options); }; });
}

}  // namespace pathline::cli
