// SPDX-License-Identifier: BSD-3-Clause
#include "comm/matrix.hpp"

#include "app/call_path_matrix.hpp"
#include "app/host_matrix.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

struct MatrixOptions : CommonOptions {
  std::string by = "rank";
  std::optional<uint32_t> step;
};

/// What names a row, and the columns that all matrices have.
Table table_of(const MatrixOptions& options) {
  std::vector<Column> columns = {{.name = "sender"}, {.name = "receiver"}};
  if (options.by == "host") {
    columns = {{.name = "sender_host", .is_text = true},
               {.name = "receiver_host", .is_text = true}};
  } else if (options.by == "callpath") {
    columns = {{.name = "callpath", .is_text = true}};
  }
  const Column numbers[] = {{.name = "messages", .unit = Unit::kCount},
                            {.name = "bytes", .unit = Unit::kBytes},
                            {.name = "min_s", .unit = Unit::kSeconds, .spare = 2},
                            {.name = "mean_s", .unit = Unit::kSeconds, .spare = 1},
                            {.name = "max_s", .unit = Unit::kSeconds, .spare = 3}};
  columns.insert(columns.end(), std::begin(numbers), std::end(numbers));
  return {options, std::move(columns)};
}

std::string seconds(double value) { return fmt::format("{:.9f}", value); }

void add_ranks(const trace::Trace& trace, const comm::Matrix& matrix, Table& table) {
  const auto hz = static_cast<double>(trace.definitions.clock.ticks_per_second);
  const graph::Traffic& traffic = matrix.traffic;
  for (uint32_t sender = 0; sender < traffic.rank_count(); ++sender) {
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      table.row({fmt::format("{}", sender), fmt::format("{}", traffic.receiver[i]),
                 fmt::format("{}", traffic.messages[i]), fmt::format("{}", traffic.bytes[i]),
                 seconds(static_cast<double>(matrix.min_ticks[i]) / hz),
                 seconds(matrix.mean_ticks[i] / hz),
                 seconds(static_cast<double>(matrix.max_ticks[i]) / hz)});
    }
  }
}

void add_hosts(const std::vector<app::HostPair>& pairs, Table& table) {
  const auto name = [](const std::string& host) { return host.empty() ? "unknown" : host; };
  for (const app::HostPair& pair : pairs) {
    table.row({name(pair.sender_host), name(pair.receiver_host), fmt::format("{}", pair.messages),
               fmt::format("{}", pair.bytes), seconds(pair.min_s), seconds(pair.mean_s),
               seconds(pair.max_s)});
  }
}

void add_paths(const std::vector<app::PathMessages>& paths, Table& table) {
  for (const app::PathMessages& path : paths) {
    table.row({path.call_path.empty() ? "(outside of calls)" : path.call_path,
               fmt::format("{}", path.messages), fmt::format("{}", path.bytes), seconds(path.min_s),
               seconds(path.mean_s), seconds(path.max_s)});
  }
}

base::Result<int> run_matrix(const MatrixOptions& options) {
  Table table = table_of(options);
  if (auto status = table.check_sort(); !status) return status.error();
  // Where a message was sent from, no part of a run knows.
  const bool of_paths = options.by == "callpath";
  const auto needs = of_paths ? std::nullopt : std::optional(app::PartNeeds::kMessages);
  auto opened = options.step
                    ? open_step(options, *options.step, needs)
                    : open(options, of_paths ? Takes::kTraces : Takes::kSums, kOnlyPairs, needs);
  if (!opened) return opened.error();
  const trace::Trace& trace = opened.value()->trace;
  const bool has_tables = opened.value()->is_of_file();
  const comm::Matrix matrix = opened.value()->matrix(options.step);
  const std::vector<app::HostPair> pairs = app::host_matrix(trace, matrix);
  if (options.by == "host") {
    add_hosts(pairs, table);
  } else if (options.by == "rank") {
    add_ranks(trace, matrix, table);
  } else {
    add_paths(
        app::call_path_matrix(trace, opened.value()->selection, options.step, opened.value()->pool),
        table);
  }
  if (const std::string crossing = app::crossing_text(pairs); !crossing.empty()) {
    table.footnote(crossing);
  }
  if (pairs.empty() && !options.quiet && !has_tables) {
    note(opened.value()->why_no_messages());
  }
  if (has_tables) table.add_summary_to_json();
  if (auto finished = table.finish(); !finished) return finished.error();
  return kDone;
}

}  // namespace

void add_matrix_command(Command& program, Action& action) {
  auto options = std::make_shared<MatrixOptions>();
  Command command = program.command("matrix", "Who sent how much to whom");
  add_input(command, *options);
  add_output(command, *options);
  add_format(command, *options);
  add_rows(command, *options);
  add_selection(command, *options);
  command.option("--by", options->by, "Rows: pairs of ranks or of hosts, or the calls that send")
      .one_of({"rank", "host", "callpath"})
      .show_default();
  command.option("--step", options->step, "Only the messages sent in this time step");
  command.footer(
      "A message takes the time from the time stamp of its send record, written when the send is "
      "called, to that of its receive record, written when the receive is complete. It is negative "
      "where the clocks of the two disagree, and holds the lateness of the receiver: a message "
      "that "
      "nobody was ready for takes until somebody was.\nExamples:\n"
      "  pathline matrix run --sort bytes --top 10\n  pathline matrix run --by host\n"
      "  pathline matrix run --by callpath\n"
      "  pathline matrix run --step 12 --format csv");
  command.on_chosen([options, &action] { action = [options] { return run_matrix(*options); }; });
}

}  // namespace pathline::cli
