// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/message_rows.hpp"

namespace pathline::cli {
namespace {

base::Result<int> run_messages(const CommonOptions& options) {
  auto opened = open(options);
  if (!opened) return opened.error();
  const trace::Trace& trace = opened.value()->trace;
  const trace::Messages& messages = trace.messages;
  Table table = message_table(options);
  for (size_t i = 0; i < messages.size(); ++i) {
    if (!opened.value()->selection.has_message(messages, i)) continue;
    add_message(table, trace, i);
  }
  const size_t unmatched = trace.unmatched_sends.size() + trace.unmatched_receives.size();
  if (unmatched > 0 && !options.quiet) {
    note(fmt::format("{} and {} found no partner and are not listed; 'pathline info' tells more",
                     base::counted(trace.unmatched_sends.size(), "send", "sends"),
                     base::counted(trace.unmatched_receives.size(), "receive", "receives")));
  }
  if (auto status = table.finish(); !status) return status.error();
  return kDone;
}

}  // namespace

void add_messages_command(Command& program, Action& action) {
  auto options = std::make_shared<CommonOptions>();
  Command command = program.command("messages", "Every message, by the time it was sent");
  add_input(command, *options);
  add_output(command, *options);
  add_format(command, *options);
  add_selection(command, *options);
  command.footer(
      "A message is listed when it was sent in the time range and one of its ranks is "
      "chosen.\nExamples:\n  pathline messages run --ranks 0\n"
      "  pathline messages run -o messages.csv");
  command.on_chosen([options, &action] { action = [options] { return run_messages(*options); }; });
}

}  // namespace pathline::cli
