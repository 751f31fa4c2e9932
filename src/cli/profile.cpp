// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>

#include "app/profile_rows.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

struct ProfileOptions : CommonOptions {
  std::string by = "region";
};

/// The rows of what the input holds: events, or a profile.
base::Result<std::vector<app::ProfileRow>> rows_of(const ProfileOptions& options,
                                                   app::ProfileBy by) {
  base::ThreadPool pool(options.threads);
  base::Progress progress;
  const std::vector<std::string> metrics = {std::string(profile::kTimeMetric),
                                            std::string(profile::kVisitsMetric)};
  auto input = open_input(options, metrics, pool, progress);
  if (!input) return input.error();
  if (const auto* trace = std::get_if<trace::Trace>(&input.value())) {
    const auto selection = select(options, *trace);
    if (!selection) return selection.error();
    return app::profile_rows(*trace, selection.value(), by, pool);
  }
  if (options.from_s || options.until_s) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("{} is a profile of a whole run: --from and --until belong to a trace",
                    options.input)};
  }
  const auto file =
      profile::from_table(std::get<profile::ProfileFile>(std::move(input).value()).table);
  if (!file) {
    return base::Error{file.error().code,
                       fmt::format("{}: {}", options.input, file.error().message)};
  }
  const auto selection = select(options, file.value().trace);
  if (!selection) return selection.error();
  return app::profile_rows(file.value(), selection.value(), by);
}

base::Result<int> run_profile(const ProfileOptions& options) {
  const auto by = options.by == "region" ? app::ProfileBy::kRegion
                  : options.by == "rank" ? app::ProfileBy::kRank
                                         : app::ProfileBy::kCallPath;
  const auto rows = rows_of(options, by);
  if (!rows) return rows.error();
  Table table(options, {{options.by, by != app::ProfileBy::kRank},
                        {"visits"},
                        {"inclusive_s"},
                        {"exclusive_s"},
                        {"exclusive_min_s"},
                        {"exclusive_max_s"},
                        {"imbalance"}});
  const auto seconds = [](std::optional<double> value) {
    return value ? fmt::format("{:.9f}", *value) : "";
  };
  for (const app::ProfileRow& row : rows.value()) {
    table.row({row.name, row.visits ? fmt::format("{}", *row.visits) : "", seconds(row.inclusive_s),
               seconds(row.exclusive_s), seconds(row.exclusive_min_s), seconds(row.exclusive_max_s),
               row.imbalance > 0 ? fmt::format("{:.4f}", row.imbalance) : ""});
  }
  if (auto status = table.finish(); !status) return status.error();
  std::error_code ignored;
  const std::filesystem::path counted = std::filesystem::path(options.input) / "profile.csv";
  if (rows.value().empty() && !options.quiet && std::filesystem::exists(counted, ignored)) {
    note("calls were counted only, which is in " + counted.string());
  }
  if (table.is_for_people() && !options.quiet) {
    note(fmt::format("visits and times are sums over all locations{}: threads and GPU streams",
                     options.by == "rank" ? " of a rank" : ""));
  }
  return kDone;
}

}  // namespace

void add_profile_command(Command& program, Action& action) {
  auto options = std::make_shared<ProfileOptions>();
  Command command = program.command("profile", "Where the time goes, by region");
  add_input(command, *options);
  add_output(command, *options);
  add_format(command, *options);
  add_selection(command, *options);
  command.option("--by", options->by, "Rows: region, callpath or rank")
      .one_of({"region", "callpath", "rank"})
      .show_default();
  command.footer(
      "Visits and times are sums over all locations: threads and GPU streams. Visits count the "
      "calls that begin in the window; a call that was open when it begins has time without a "
      "visit. Minimum, maximum and imbalance (maximum over mean; none where no time passed) are "
      "over ranks, with --by rank over the locations of the rank. Regions that share a name are "
      "told apart by file and line, or by the number of their definition.\n"
      "INPUT may also be a Cube profile (*.cubex) of Score-P or Scalasca, or a folder with one and "
      "no trace: its metrics time and visits, where it has them. Its regions of one name are one.\n"
      "Examples:\n  pathline profile run\n"
      "  pathline profile run --by callpath --from 10 --until 20");
  command.on_chosen([options, &action] { action = [options] { return run_profile(*options); }; });
}

}  // namespace pathline::cli
