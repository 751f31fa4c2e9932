// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "app/counted_profile.hpp"
#include "app/judged_part.hpp"
#include "app/profile_rows.hpp"
#include "app/rank_rows.hpp"
#include "app/whole_run.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

struct ProfileOptions : CommonOptions {
  std::string by = "region";
};

/// What the input holds: events, or a profile.
struct Source {
  explicit Source(unsigned threads) : pool(threads) {}
  base::ThreadPool pool;
  trace::Trace trace;
  trace::Selection selection;
  std::optional<profile::TableProfile> file;  ///< Instead of the events of `trace`.
  std::optional<profile::Profile> summary;    ///< The same.
  std::optional<comm::Waits> waits;           ///< The same.
  bool is_summed = false;                     ///< These are of a chosen time.
  bool lacks_waits = false;                   ///< SumsOfTime::lacks_waits
  /// Of the whole run, where `trace` may be a part of it: what a region is called depends on which
  /// others there are.
  std::vector<profile::CallPathNode> paths;
};

bool is_of_ranks(const ProfileOptions& options) {
  return options.by == "rank" || options.by == "host";
}

/// The events of a summary, of the chosen time or all, and who waited there where rows are ranks;
/// or what they sum up to.
base::Status read_time(const ProfileOptions& options, summary::RunSummary& summary,
                       base::Progress& progress, Source& source) {
  const auto needs = is_of_ranks(options) ? app::PartNeeds::kWaits : app::PartNeeds::kCalls;
  app::KeptIndex kept;
  auto sums = sums_of(options, summary, needs, source.pool, progress, kept);
  if (!sums) return sums.error();
  if (sums.value()) {
    source.trace = std::move(summary.run);
    source.summary = std::move(sums.value()->profile);
    source.waits = std::move(sums.value()->waits);
    source.is_summed = true;
    source.lacks_waits = sums.value()->lacks_waits;
    return {};
  }
  auto part = part_of(options, summary, needs, source.pool, &kept);
  if (!part) return part.error();
  if (part.value()) {
    source.trace = std::move(*part.value());
    return {};
  }
  auto events = events_of(options, summary, source.pool, progress);
  if (!events) return events.error();
  source.trace = std::move(events).value();
  return {};
}

base::Result<std::unique_ptr<Source>> open_source(const ProfileOptions& options) {
  auto source = std::make_unique<Source>(options.threads);
  base::Progress progress;
  const std::vector<std::string> metrics = {std::string(profile::kTimeMetric),
                                            std::string(profile::kVisitsMetric)};
  auto input =
      open_input(options, metrics, source->pool, progress, {.pairs = false, .steps = false});
  if (!input) return input.error();
  auto* trace = std::get_if<trace::Trace>(&input.value());
  if (trace != nullptr && trace->end_ticks == trace->start_ticks &&
      app::has_counted_profile(options.input)) {
    auto table = app::read_counted_profile(options.input);
    if (!table) return table.error();
    input = input::Input(profile::ProfileFile{.table = std::move(table).value()});
    trace = nullptr;
  }
  if (trace != nullptr) {
    source->trace = std::move(*trace);
  } else if (auto* summary = std::get_if<summary::RunSummary>(&input.value())) {
    const auto time = select(options, summary->run);
    if (!time) return time.error();
    if (app::leaves_out_time(summary->run, time.value())) {
      if (auto status = read_time(options, *summary, progress, *source); !status) {
        return status.error();
      }
      source->paths = std::move(summary->profile.call_paths);
    } else {
      source->trace = std::move(summary->run);
      source->summary = std::move(summary->profile);
      source->waits = std::move(summary->waits);
    }
  } else {
    if (options.from_s || options.until_s) return app::no_window(options.input);
    auto file = profile::from_table(std::get<profile::ProfileFile>(std::move(input).value()).table);
    if (!file) {
      return base::Error{file.error().code,
                         fmt::format("{}: {}", options.input, file.error().message)};
    }
    source->file = std::move(file).value();
  }
  auto selection = select(options, source->file ? source->file->trace : source->trace);
  if (!selection) return selection.error();
  source->selection = std::move(selection).value();
  return source;
}

std::string seconds(std::optional<double> value) {
  return value ? fmt::format("{:.9f}", *value) : "";
}

/// Regions or call paths.
Table calls_table(const ProfileOptions& options) {
  constexpr auto kPeople = Column::Readers::kPeople;
  Table table(options, {{.name = options.by, .is_text = true, .least = 16},
                        {.name = "visits", .unit = Unit::kCount, .spare = 3},
                        {.name = "inclusive_s", .unit = Unit::kSeconds, .spare = 4},
                        {.name = "exclusive_s", .unit = Unit::kSeconds},
                        {.name = "share", .unit = Unit::kShare, .spare = 1, .readers = kPeople},
                        {.name = "exclusive_min_s", .unit = Unit::kSeconds, .spare = 6},
                        {.name = "exclusive_max_s", .unit = Unit::kSeconds, .spare = 2},
                        {.name = "imbalance", .unit = Unit::kFactor, .spare = 5},
                        {.name = "max_rank", .spare = 2}});
  return table;
}

void add_calls(const std::vector<app::ProfileRow>& rows, Table& table) {
  double whole = 0;
  for (const app::ProfileRow& row : rows) whole += row.exclusive_s.value_or(0);
  for (const app::ProfileRow& row : rows) {
    const bool any_time = row.imbalance > 0;
    table.row({row.name, row.visits ? fmt::format("{}", *row.visits) : "", seconds(row.inclusive_s),
               seconds(row.exclusive_s),
               row.exclusive_s && whole > 0 ? fmt::format("{:.6f}", *row.exclusive_s / whole) : "",
               seconds(row.exclusive_min_s), seconds(row.exclusive_max_s),
               any_time ? fmt::format("{:.4f}", row.imbalance) : "",
               any_time && row.max_rank.valid() ? fmt::format("{}", uint32_t{row.max_rank}) : ""});
  }
}

Table ranks_table(const ProfileOptions& options) {
  constexpr auto kPrograms = Column::Readers::kPrograms;
  Table table(options, {{.name = "rank"},
                        {.name = "visits", .unit = Unit::kCount, .spare = 2},
                        {.name = "inclusive_s", .readers = kPrograms},
                        {.name = "exclusive_s", .readers = kPrograms},
                        {.name = "exclusive_min_s", .readers = kPrograms},
                        {.name = "exclusive_max_s", .readers = kPrograms},
                        {.name = "imbalance", .readers = kPrograms},
                        {.name = "compute_s", .unit = Unit::kSeconds},
                        {.name = "mpi_s", .unit = Unit::kSeconds},
                        {.name = "wait_s", .unit = Unit::kSeconds},
                        {.name = "io_s", .unit = Unit::kSeconds},
                        {.name = "host", .is_text = true, .spare = 1}});
  return table;
}

/// work  of `rows`, in their order.
void add_ranks(const std::vector<app::ProfileRow>& rows, const std::vector<app::WorkRow>& work,
               bool has_waits, Table& table) {
  for (size_t i = 0; i < work.size(); ++i) {
    const app::ProfileRow& row = rows[i];
    table.row({row.name, row.visits ? fmt::format("{}", *row.visits) : "", seconds(row.inclusive_s),
               seconds(row.exclusive_s), seconds(row.exclusive_min_s), seconds(row.exclusive_max_s),
               row.imbalance > 0 ? fmt::format("{:.4f}", row.imbalance) : "",
               seconds(work[i].compute_s), seconds(work[i].mpi_s),
               has_waits ? seconds(work[i].wait_s) : "", seconds(work[i].io_s), work[i].host});
    if (work[i].stands_out) table.mark(7);
  }
}

Table hosts_table(const ProfileOptions& options) {
  constexpr auto kPeople = Column::Readers::kPeople;
  Table table(
      options,
      {{.name = "host", .is_text = true, .least = 16},
       {.name = "ranks", .unit = Unit::kCount},
       {.name = "compute_s", .unit = Unit::kSeconds},
       {.name = "mpi_s", .unit = Unit::kSeconds},
       {.name = "wait_s", .unit = Unit::kSeconds},
       {.name = "io_s", .unit = Unit::kSeconds},
       {.name = "compute_per_rank_s", .unit = Unit::kSeconds, .spare = 1, .readers = kPeople}});
  return table;
}

void add_hosts(const std::vector<app::WorkRow>& hosts, bool has_waits, Table& table) {
  for (const app::WorkRow& host : hosts) {
    table.row({host.host.empty() ? "unknown" : host.host, fmt::format("{}", host.ranks),
               seconds(host.compute_s), seconds(host.mpi_s), has_waits ? seconds(host.wait_s) : "",
               seconds(host.io_s), seconds(host.compute_s / host.ranks)});
    if (host.stands_out) table.mark(6);
  }
}

/// What the stars say, or that there are none.
std::string outliers_text(const std::vector<app::WorkRow>& rows, bool by_host) {
  std::vector<std::string> names;
  for (const app::WorkRow& row : rows) {
    if (row.stands_out) names.push_back(by_host ? row.host : fmt::format("{}", row.rank));
  }
  if (names.empty()) return "";
  constexpr size_t kMost = 8;
  const size_t count = names.size();
  if (count > kMost) names.resize(kMost);
  return fmt::format("* {} {}{} not like the others: compute time far from the median",
                     count == 1 ? (by_host ? "host" : "rank") : (by_host ? "hosts" : "ranks"),
                     fmt::join(names, ", "),
                     count == 1      ? " is"
                     : count > kMost ? " ... are"
                                     : " are");
}

base::Result<int> run_profile(ProfileOptions options) {
  if (!is_of_ranks(options)) options.messages = trace::WantedMessages::kCount;
  const bool by_host = options.by == "host";
  Table table = by_host                ? hosts_table(options)
                : is_of_ranks(options) ? ranks_table(options)
                                       : calls_table(options);
  if (auto status = table.check_sort(); !status) return status.error();
  auto opened = open_source(options);
  if (!opened) return opened.error();
  Source& source = *opened.value();
  const bool of_ranks = is_of_ranks(options);
  const auto by = of_ranks                 ? app::ProfileBy::kRank
                  : options.by == "region" ? app::ProfileBy::kRegion
                                           : app::ProfileBy::kCallPath;
  const trace::Trace& trace = source.file ? source.file->trace : source.trace;
  const bool has_waits = !source.file;
  profile::Profile profile = source.file ? app::chosen(*source.file, source.selection)
                             : source.summary
                                 ? app::chosen(trace, std::move(*source.summary), source.selection)
                                 : profile::from_trace(trace, source.selection, source.pool);
  profile::add_paths(source.paths, profile);
  auto rows = app::profile_rows(trace, source.selection, profile, by);
  if (source.file) app::forget_unmeasured(*source.file, rows);
  if (of_ranks) {
    const auto waits = source.waits ? comm::chosen(*source.waits, source.selection)
                                    : comm::waits(trace, source.selection, source.pool);
    const auto work = app::work_by_rank(trace, profile, waits);
    const auto hosts = app::work_by_host(work);
    by_host ? add_hosts(hosts, has_waits, table) : add_ranks(rows, work, has_waits, table);
    const std::string outliers = outliers_text(by_host ? hosts : work, by_host);
    if (!outliers.empty()) table.footnote(outliers);
  } else {
    add_calls(rows, table);
  }
  if (source.summary && !source.is_summed) table.add_summary_to_json();
  if (source.lacks_waits) table.add_to_json("exact", "false");
  if (!options.quiet) {
    table.footnote(of_ranks ? "times are sums over threads; wait is part of mpi"
                            : "visits and times are sums over ranks and their threads");
  }
  if (auto status = table.finish(); !status) return status.error();
  return kDone;
}

}  // namespace

void add_profile_command(Command& program, Action& action) {
  auto options = std::make_shared<ProfileOptions>();
  Command command = program.command("profile", "Where the time goes, by region");
  add_input(command, *options);
  add_output(command, *options);
  add_format(command, *options);
  add_rows(command, *options);
  add_selection(command, *options);
  command.option("--by", options->by, "Rows: region, callpath, rank or host")
      .one_of({"region", "callpath", "rank", "host"})
      .show_default();
  command.footer(
      "Visits and times are sums over all locations: threads and GPU streams. Visits count the "
      "calls that begin in the window; a call that was open when it begins has time without a "
      "visit. Minimum, maximum and imbalance (maximum over mean; none where no time passed) are "
      "over ranks, max_rank is the first with the maximum. By rank and host: compute is the time "
      "in "
      "no call of MPI or of file I/O, wait the part of MPI that 'pathline waits' explains; a star "
      "marks compute times that are unlike those of the others. Regions that share a name are "
      "told apart by file and line, or by the number of their definition.\n"
      "INPUT may also be a Cube profile (*.cubex) of Score-P or Scalasca, or a folder with one and "
      "no trace: its metrics time and visits, where it has them. Its regions of one name are one.\n"
      "Examples:\n  pathline profile run\n"
      "  pathline profile run --by host\n"
      "  pathline profile run --by callpath --from 10 --until 20 --sort imbalance --top 10");
  command.on_chosen([options, &action] { action = [options] { return run_profile(*options); }; });
}

}  // namespace pathline::cli
