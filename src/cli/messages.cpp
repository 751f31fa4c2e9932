// SPDX-License-Identifier: BSD-3-Clause
#include "app/empty_result.hpp"
#include "app/message_summary.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/message_rows.hpp"

namespace pathline::cli {
namespace {

struct MessagesOptions : CommonOptions {
  bool summary = false;
};

void list(const Opened& run, Table& table) {
  const trace::Messages& messages = run.trace.messages;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (run.selection.has_message(messages, i)) add_message(table, run.trace, i);
  }
}

/// "7 pairs of ranks ..., most 0 to 1: 400 of 8 B a step".
std::string tiny_text(const app::MessageSummary& summary) {
  if (summary.tiny.empty()) return "";
  const comm::TinyPair& most = summary.tiny.front();
  const uint64_t each = most.bytes / most.count;
  return fmt::format(
      "many tiny messages: {} {} them, most rank {} to {}: {} of {}{}. One message for many would "
      "save their start-up.",
      base::counted(summary.tiny.size(), "pair of ranks", "pairs of ranks"),
      summary.tiny.size() == 1 ? "sends" : "send", most.sender, most.receiver,
      base::human_count(summary.steps > 0 ? most.count / summary.steps : most.count),
      base::human_bytes(static_cast<double>(each)), summary.steps > 0 ? " a step" : "");
}

Table summary_table(const MessagesOptions& options) {
  constexpr auto kPeople = Column::Readers::kPeople;
  Table table(options, {{.name = "kind", .is_text = true, .least = 16},
                        {.name = "min_bytes", .unit = Unit::kBytes},
                        {.name = "max_bytes", .unit = Unit::kBytes},
                        {.name = "count", .unit = Unit::kCount},
                        {.name = "count_per_s", .readers = Column::Readers::kPrograms},
                        {.name = "bytes", .unit = Unit::kBytes},
                        {.name = "bytes_per_s", .readers = Column::Readers::kPrograms},
                        {.name = "share", .unit = Unit::kShare, .spare = 1, .readers = kPeople},
                        {.name = "rate", .is_text = true, .spare = 2, .readers = kPeople},
                        {.name = "mean_s", .unit = Unit::kSeconds}});
  return table;
}

void summarise(const Opened& run, Table& table) {
  const app::MessageSummary summary = run.summary ? app::message_summary(*run.summary, run.trace)
                                                  : app::message_summary(run.trace, run.selection);
  uint64_t bytes = 0;
  for (const app::MessageClass& row : summary.classes) bytes += row.bytes;
  for (const app::MessageClass& row : summary.classes) {
    const auto rate = [&](uint64_t amount) {
      return summary.seconds > 0 ? static_cast<double>(amount) / summary.seconds : 0;
    };
    table.row(
        {row.kind, fmt::format("{}", row.min_bytes), fmt::format("{}", row.max_bytes),
         fmt::format("{}", row.count), fmt::format("{:.6g}", rate(row.count)),
         fmt::format("{}", row.bytes), fmt::format("{:.6g}", rate(row.bytes)),
         fmt::format("{:.6f}",
                     bytes > 0 ? static_cast<double>(row.bytes) / static_cast<double>(bytes) : 0),
         base::human_number(rate(row.count)) + "/s, " + base::human_bytes(rate(row.bytes)) + "/s",
         fmt::format("{:.9f}", row.mean_s)});
  }
  if (const std::string tiny = tiny_text(summary); !tiny.empty()) table.footnote(tiny);
}

base::Result<int> run_messages(const MessagesOptions& options) {
  Table table = options.summary ? summary_table(options) : message_table(options);
  if (auto status = table.check_sort(); !status) return status.error();
  // Sizes of the whole run are in its summary.
  const bool is_of_all =
      options.summary && !options.from_s && !options.until_s && options.ranks.empty();
  summary::Parts tables = summary::Parts::none();
  tables.sizes = true;
  auto opened = open(options, is_of_all ? Takes::kSummaries : Takes::kTraces, tables,
                     options.summary ? std::nullopt : std::optional(app::PartNeeds::kMessages));
  if (!opened) return opened.error();
  Opened& run = *opened.value();
  if (run.summary && !run.summary->sizes) {  // Made by an older version.
    if (auto status = read_events(options, run); !status) return status.error();
  }
  if (run.summary) table.add_summary_to_json();
  options.summary ? summarise(run, table) : list(run, table);
  const comm::Summary* const facts = run.summary ? &run.summary->facts
                                     : run.facts ? &*run.facts
                                                 : nullptr;
  const uint64_t sends = facts ? facts->unmatched_sends : run.trace.unmatched_sends.size();
  const uint64_t receives = facts ? facts->unmatched_receives : run.trace.unmatched_receives.size();
  if (sends + receives > 0 && !options.quiet) {
    note(fmt::format("{} and {} found no partner and are not listed; 'pathline info' tells more",
                     base::counted(sends, "send", "sends"),
                     base::counted(receives, "receive", "receives")));
  }
  if (table.empty() && !options.quiet) {
    note(run.summary ? app::why_no_messages(run.summary->facts) : run.why_no_messages());
  }
  if (auto status = table.finish(); !status) return status.error();
  return kDone;
}

}  // namespace

void add_messages_command(Command& program, Action& action) {
  auto options = std::make_shared<MessagesOptions>();
  Command command = program.command("messages", "Every message, by the time it was sent");
  add_input(command, *options);
  add_output(command, *options);
  add_format(command, *options);
  add_rows(command, *options);
  add_selection(command, *options);
  command.flag("--summary", options->summary,
               "Sizes and rates of messages and collective operations instead of every message");
  command.footer(
      "A message is listed when it was sent in the time range and one of its ranks is "
      "chosen. With --summary, messages are put together by size; a collective operation counts "
      "once, "
      "with the bytes that all members sent; mean is from send to receive, and the time of a "
      "member "
      "in an operation.\nExamples:\n  pathline messages run --summary\n  pathline messages run "
      "--ranks 0\n"
      "  pathline messages run -o messages.csv");
  command.on_chosen([options, &action] { action = [options] { return run_messages(*options); }; });
}

}  // namespace pathline::cli
