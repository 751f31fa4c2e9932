// SPDX-License-Identifier: BSD-3-Clause
#include "app/score.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "app/output.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

struct ScoreOptions : CommonOptions {
  std::string filter;
  std::string filter_out;
};

base::Result<base::RegionFilter> read_filter(const std::string& path) {
  base::RegionFilter filter;
  const auto file = base::MappedFile::open(path);
  if (!file) return file.error();
  base::FilterError error;
  if (!filter.parse(file.value().text(), error)) {
    return base::Error{base::ErrorCode::kCorrupt,
                       fmt::format("cannot read {}: line {}: {}", path, error.line, error.text)};
  }
  return filter;
}

std::string size_text(uint64_t bytes) { return base::human_bytes(static_cast<double>(bytes)); }

/// "24.0 MB in all, 1.00 MB a rank, most on rank 3: 1.20 MB".
std::string sizes(uint64_t total, const std::vector<uint64_t>& of_ranks) {
  std::string text = size_text(total) + " in all";
  if (of_ranks.empty()) return text;
  const auto most = std::max_element(of_ranks.begin(), of_ranks.end());
  const uint64_t sum = std::accumulate(of_ranks.begin(), of_ranks.end(), uint64_t{0});
  return text + fmt::format(", {} a rank, most on rank {}: {}", size_text(sum / of_ranks.size()),
                            most - of_ranks.begin(), size_text(*most));
}

base::Result<int> run_score(ScoreOptions options) {
  options.messages = trace::WantedMessages::kCount;
  if (!options.filter_out.empty()) {
    for (const std::string& read : {options.input, options.filter}) {
      if (auto status = app::check_output(read, options.filter_out); !status) return status.error();
    }
  }
  base::RegionFilter filter;
  if (!options.filter.empty()) {
    auto read = read_filter(options.filter);
    if (!read) return read.error();
    filter = std::move(read).value();
  }
  auto opened = open(options, options.filter.empty() ? Takes::kSummaries : Takes::kTraces,
                     {.pairs = false, .waits = false, .steps = false});
  if (!opened) return opened.error();
  const trace::Trace& trace = opened.value()->trace;
  const auto& summary = opened.value()->summary;
  const app::Score score =
      summary ? app::score(*summary, trace) : app::score(trace, filter, opened.value()->pool);
  Table table(options, {{"region", true},
                        {"group", true},
                        {.name = "calls", .unit = Unit::kCount},
                        {.name = "time_s", .unit = Unit::kSeconds},
                        {.name = "time_per_call_s", .unit = Unit::kSeconds, .spare = 1},
                        {.name = "trace_bytes", .unit = Unit::kBytes},
                        {.name = "share", .unit = Unit::kShare}});
  for (const app::ScoreRow& row : score.rows) {
    if (row.filtered) continue;
    const auto total = static_cast<double>(std::max<uint64_t>(1, score.trace_bytes));
    table.row(
        {row.label, std::string(row.group), fmt::format("{}", row.calls),
         fmt::format("{:.9f}", row.time_s),
         row.calls == 0 ? "" : fmt::format("{:.9f}", row.time_s / static_cast<double>(row.calls)),
         fmt::format("{}", row.trace_bytes),
         fmt::format("{:.4f}", static_cast<double>(row.trace_bytes) / total)});
  }
  std::vector<std::string> notes = {"the trace takes about " +
                                    sizes(score.trace_bytes, score.bytes_of_ranks)};
  if (!options.filter.empty()) {
    notes.push_back(fmt::format(
        "{} leaves out {} and {}; {} stay", options.filter,
        base::counted(score.filtered_regions, "region", "regions"), size_text(score.filtered_bytes),
        sizes(score.trace_bytes - score.filtered_bytes, score.kept_of_ranks)));
  }
  if (!options.filter_out.empty()) {
    const std::string text = app::proposed_filter(trace, score);
    if (text.empty()) {
      notes.emplace_back(
          "no region has so many short calls that leaving it out would help; no filter was "
          "written");
    } else if (auto status = base::write_file(options.filter_out, text); !status) {
      return status.error();
    }
  }
  if (!options.quiet) {
    for (const std::string& text : notes) note(text);
  }
  if (summary) table.add_summary_to_json();
  if (auto status = table.finish(); !status) return status.error();
  return kDone;
}

}  // namespace

void add_score_command(Command& program, Action& action) {
  auto options = std::make_shared<ScoreOptions>();
  Command command =
      program.command("score", "Which regions make the trace large, and a filter for them");
  add_input(command, *options);
  add_output(command, *options);
  add_format(command, *options);
  add_rows(command, *options);
  command.option("--filter", options->filter,
                 "Show what remains with this filter (Score-P's syntax)");
  command.option("--filter-out", options->filter_out,
                 "Write a filter for 'pathline record --filter' to this file");
  command.footer(
      "Groups: mpi, io, omp (OpenMP), com (leads to MPI calls), usr (does not). Times are "
      "exclusive; "
      "bytes are those of\nthe events in an OTF2 archive, where each belongs to the innermost "
      "call. "
      "The filter leaves out regions of group\nusr with at least 1 % of the bytes and less than 10 "
      "us a call, and what --filter leaves out; never MPI.\nExamples:\n"
      "  pathline score run\n  pathline score run --filter-out short.filter");
  command.on_chosen([options, &action] { action = [options] { return run_score(*options); }; });
}

}  // namespace pathline::cli
