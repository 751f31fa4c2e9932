// SPDX-License-Identifier: BSD-3-Clause
#include "profile/profile.hpp"

#include <filesystem>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

struct ProfileOptions : CommonOptions {
  std::string by = "region";
};

/// "main/solve/MPI_Waitall".
std::string path_of(const profile::Profile& profile, const std::vector<std::string>& labels,
                    profile::CallPath call_path) {
  std::string text;
  for (; call_path.valid(); call_path = profile.call_paths[call_path].parent) {
    const trace::Region region = profile.call_paths[call_path].region;
    const std::string name = region.valid() ? labels[region] : "?";
    text = text.empty() ? name : name + '/' + text;
  }
  return text;
}

base::Result<int> run_profile(const ProfileOptions& options) {
  auto opened = open(options);
  if (!opened) return opened.error();
  const trace::Trace& trace = opened.value()->trace;
  const trace::Selection& selection = opened.value()->selection;
  const auto profile = profile::from_trace(trace, selection, opened.value()->pool);
  const auto rows = options.by == "region" ? profile::by_region(trace, selection, profile)
                    : options.by == "rank" ? profile::by_rank(trace, profile)
                                           : profile::by_call_path(trace, selection, profile);
  const std::vector<std::string> labels = profile::region_labels(trace, profile);
  const char* first = options.by == "region" ? "region"
                      : options.by == "rank" ? "rank"
                                             : "callpath";
  Table table(options, {{first, options.by != "rank"},
                        {"visits"},
                        {"inclusive_s"},
                        {"exclusive_s"},
                        {"exclusive_min_s"},
                        {"exclusive_max_s"},
                        {"imbalance"}});
  for (const profile::FlatRow& row : rows) {
    const std::string name = row.rank.valid()        ? fmt::format("{}", uint32_t{row.rank})
                             : row.call_path.valid() ? path_of(profile, labels, row.call_path)
                                                     : labels[row.region];
    const auto seconds = [&](uint64_t ticks) {
      return fmt::format("{:.9f}", trace.span_seconds(ticks));
    };
    table.row({name, fmt::format("{}", row.visits), seconds(row.inclusive_ticks),
               seconds(row.exclusive_ticks), seconds(row.exclusive_min_ticks),
               seconds(row.exclusive_max_ticks),
               row.imbalance > 0 ? fmt::format("{:.4f}", row.imbalance) : ""});
  }
  if (auto status = table.finish(); !status) return status.error();
  std::error_code ignored;
  const std::filesystem::path counted = std::filesystem::path(options.input) / "profile.csv";
  if (rows.empty() && !options.quiet && std::filesystem::exists(counted, ignored)) {
    fmt::print(stderr, "pathline: calls were counted only, which is in {}\n",
               base::printable(counted.string()));
  }
  if (table.is_for_people() && !options.quiet) {
    fmt::print(
        stderr,
        "pathline: visits and times are sums over all locations{}: threads and GPU streams\n",
        options.by == "rank" ? " of a rank" : "");
  }
  return kDone;
}

}  // namespace

void add_profile_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<ProfileOptions>();
  CLI::App* command = app.add_subcommand("profile", "Where the time goes, by region");
  add_input(*command, *options);
  add_output(*command, *options);
  add_format(*command, *options);
  add_selection(*command, *options);
  command->add_option("--by", options->by, "Rows: region, callpath or rank")
      ->check(CLI::IsMember({"region", "callpath", "rank"}))
      ->capture_default_str();
  command->footer(
      "Visits and times are sums over all locations: threads and GPU streams. Visits count the "
      "calls that begin in the window; a call that was open when it begins has time without a "
      "visit. Minimum, maximum and imbalance (maximum over mean; none where no time passed) are "
      "over ranks, with --by rank over the locations of the rank. Regions that share a name are "
      "told apart by file and line, or by the number of their definition.\n"
      "Examples:\n  pathline profile run\n"
      "  pathline profile run --by callpath --from 10 --until 20");
  command->callback([options, &action] { action = [options] { return run_profile(*options); }; });
}

}  // namespace pathline::cli
