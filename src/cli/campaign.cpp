// SPDX-License-Identifier: BSD-3-Clause
#include "app/campaign.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "base/parse.hpp"
#include "base/text.hpp"
#include "cli/campaign_output.hpp"
#include "cli/command.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

struct CampaignOptions : CommonOptions {
  std::string folder;
  std::vector<std::string> tags;
  unsigned cores = 0;
  bool dry_run = false;
  std::string other;
  std::string min_change = "1%";
  bool fail_if_any = false;
};

app::CampaignRequest request_of(const CampaignOptions& options) {
  return {.input = options.input, .folder = options.folder, .tags = options.tags};
}

campaign::RunnerOptions runner_of(const CampaignOptions& options) {
  std::error_code ignored;
  campaign::RunnerOptions runner;
  // Nobody reads what each run would say of itself, and 'pathline findings' says more.
  runner.record = {std::filesystem::read_symlink("/proc/self/exe", ignored).string(), "record",
                   "--no-findings"};
  runner.cores = options.cores;
  if (options.quiet) return runner;
  runner.note = [](const std::string& text) {
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      note(text.substr(begin, end - begin));
      begin = end + 1;
    }
  };
  return runner;
}

/// The campaign as the user would name it in the next command.
std::string next_name(const CampaignOptions& options, const std::filesystem::path& folder) {
  return options.folder.empty() ? base::printable(options.input) : base::printable(folder.string());
}

base::Result<int> say_end(const CampaignOptions& options, const app::CampaignRun& run) {
  const campaign::RunnerReport& report = run.report;
  const std::string name = next_name(options, run.folder);
  if (!options.quiet) {
    std::string line = fmt::format("{} done in {}", base::counted(report.done, "run", "runs"),
                                   base::human_seconds(report.seconds));
    if (report.kept > 0) line += fmt::format(", {} before", base::human_count(report.kept));
    if (report.failed > 0) line += fmt::format(", {} failed", base::human_count(report.failed));
    if (report.blocked > 0) {
      line += fmt::format(", {} not begun behind them", base::human_count(report.blocked));
    }
    if (report.waiting > 0) line += fmt::format(", {} left", base::human_count(report.waiting));
    note(line + " (" + run.folder.string() + ")");
    if (report.changed > 0) {
      note(fmt::format(
          "{} done by an earlier form of the study, and kept: 'pathline campaign run' "
          "does all anew",
          report.changed == 1 ? "1 run was"
                              : fmt::format("{} runs were", base::human_count(report.changed))));
    }
    if (report.in_queue > 0) {
      note(fmt::format("{} in Slurm's queue: 'pathline campaign continue {}' collects them",
                       base::counted(report.in_queue, "job goes on", "jobs go on"), name));
    } else if (report.failed + report.blocked + report.waiting > 0) {
      note(fmt::format("next: pathline campaign continue {} (does again what failed or is left)",
                       name));
    } else {
      note(fmt::format("next: pathline campaign result {0}, pathline model {0}", name));
    }
  }
  if (auto status = write_result(options.output, run.folder.string() + "\n"); !status) {
    return status.error();
  }
  if (report.signal != 0) return 128 + report.signal;
  return report.failed + report.blocked + report.waiting + report.in_queue > 0 ? kAnswerIsNo
                                                                               : kDone;
}

base::Result<int> run_run(const CampaignOptions& options) {
  auto planned = app::plan_study(options.input, options.tags);
  if (!planned) return planned.error();
  if (options.dry_run) {
    if (auto status = print_plan(options, *planned.value()); !status) return status.error();
    return kDone;
  }
  campaign::Attention attention;  // Before there are threads.
  base::ThreadPool pool(options.threads);
  base::Progress progress;
  base::Result<app::CampaignRun> run = app::CampaignRun{};
  with_progress(progress, options.quiet, [&] {
    run = app::run_campaign(request_of(options), *planned.value(), attention, runner_of(options),
                            pool, progress);
  });
  if (!run) return run.error();
  return say_end(options, run.value());
}

base::Result<int> run_continue(const CampaignOptions& options) {
  campaign::Attention attention;
  base::ThreadPool pool(options.threads);
  base::Progress progress;
  base::Result<app::CampaignRun> run = app::CampaignRun{};
  with_progress(progress, options.quiet, [&] {
    run =
        app::continue_campaign(request_of(options), attention, runner_of(options), pool, progress);
  });
  if (!run) return run.error();
  return say_end(options, run.value());
}

base::Result<int> run_status(const CampaignOptions& options) {
  auto folder = app::find_campaign(request_of(options));
  if (!folder) return folder.error();
  auto state = campaign::State::open(folder.value(), campaign::State::Access::kRead);
  if (!state) return state.error();
  if (auto status = print_status(options, state.value()); !status) return status.error();
  return kDone;
}

base::Result<campaign::ResultTable> table_of(const CampaignOptions& options,
                                             const app::CampaignRequest& request) {
  base::ThreadPool pool(options.threads);
  auto opened = app::open_campaign(request, true);
  if (!opened) return opened.error();
  app::OpenCampaign& campaign = opened.value();
  const app::PlannedStudy& planned = *campaign.planned;
  return campaign::result_table(*campaign.state, planned.study, planned.plan, *planned.extractor,
                                campaign.may_write, pool);
}

base::Result<int> run_result(const CampaignOptions& options) {
  auto table = table_of(options, request_of(options));
  if (!table) return table.error();
  if (auto status = print_result(options, table.value()); !status) return status.error();
  if (options.quiet) return kDone;
  if (table.value().missing > 0) {
    note(
        fmt::format("{} of {} are missing: their runs are not done; 'pathline campaign status {}' "
                    "says why",
                    base::human_count(table.value().missing),
                    base::counted(table.value().missing + table.value().rows.size(), "row", "rows"),
                    next_name(options, options.folder)));
  }
  if (table.value().holes > 0) {
    note(
        fmt::format("{} not found in runs that are done: no file, or nothing that fits the pattern",
                    table.value().holes == 1
                        ? "1 value was"
                        : fmt::format("{} values were", base::human_count(table.value().holes))));
  }
  return kDone;
}

base::Result<int> run_compare(const CampaignOptions& options) {
  const auto min_change = base::percent_in(options.min_change);
  if (!min_change || *min_change < 0) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("--min is '{}', expected a percentage as in 2%", options.min_change)};
  }
  const auto before = table_of(options, {.input = options.input, .tags = options.tags});
  if (!before) return before.error();
  const auto after = table_of(options, {.input = options.other, .tags = options.tags});
  if (!after) return after.error();
  auto report = campaign::compare(before.value(), after.value(), {.min_change = *min_change / 100});
  if (!report) return report.error();
  auto status = print_comparison(options, options.input, options.other, report.value());
  if (!status) return status.error();
  const std::vector<campaign::Comparison>& rows = report.value().rows;
  const auto count = [&](auto test) {
    return static_cast<uint64_t>(std::count_if(rows.begin(), rows.end(), test));
  };
  const uint64_t worse = count([](const auto& row) { return row.is_worse(); });
  if (!options.quiet) {
    const uint64_t better =
        count([](const auto& row) { return row.word == "faster" || row.word == "better"; });
    const uint64_t unknown =
        count([](const auto& row) { return row.verdict == campaign::Verdict::kCannotTell; });
    note(fmt::format("of {} {} got worse, {} better; of {} nobody can tell",
                     base::counted(rows.size(), "value", "values"), worse, better, unknown));
    const auto one_sided = [](const std::vector<std::string>& sides, std::string_view where) {
      if (sides.empty()) return;
      note(fmt::format("{} only {}: {}{}",
                       base::counted(sides.size(), "combination is", "combinations are"), where,
                       sides[0], sides.size() > 1 ? ", ..." : ""));
    };
    one_sided(report.value().only_before, "in the first campaign");
    one_sided(report.value().only_after, "in the second campaign");
    const bool once = std::all_of(rows.begin(), rows.end(), [](const auto& row) {
      return row.before.size() < 2 && row.after.size() < 2;
    });
    if (once) note("without repetitions nothing can be told: 'repetitions = 5' in [campaign]");
  }
  return worse > 0 ? kAnswerIsNo : kDone;
}

void add_campaign(Command& command, CampaignOptions& options, const std::string& help) {
  command.option("CAMPAIGN", options.input, help).required();
}

void add_tags(Command& command, CampaignOptions& options) {
  command
      .option("--tag", options.tags,
              "Take the entries of the study that have this tag as well; may be given again")
      .one_value_each();
}

constexpr const char* kWhich = "The study, whose newest campaign is meant, or a campaign's folder";

void add_run(Command& parent, Action& action) {
  auto options = std::make_shared<CampaignOptions>();
  Command command = parent.command("run", "Runs a study");
  command.option("STUDY", options->input, "A study (*.toml)").required();
  command.option("--folder", options->folder,
                 "Where the campaign is kept; default: NAME.campaign beside the study");
  add_tags(command, *options);
  command
      .option("--cores", options->cores, "Of this machine to use at a time, instead of the study's")
      .range(1U, 1'000'000U);
  command.flag("--dry-run", options->dry_run, "Show what would run");
  add_output(command, *options);
  add_format(command, *options);
  command.flag("--quiet", options->quiet, "No progress and no notes on standard error");
  command.footer(
      "Standard output is the campaign's folder, or what would run. Exit status 1 when a run "
      "failed.\nExamples:\n  pathline campaign run heat3d.toml --dry-run\n"
      "  pathline campaign run heat3d.toml\n  pathline model heat3d.toml");
  command.on_chosen([options, command, &action] {
    const bool has_format = command.was_given("--format");
    action = [options, has_format]() -> base::Result<int> {
      if (has_format && !options->dry_run) {
        return base::Error{base::ErrorCode::kInvalidArgument,
                           "--format has no effect without --dry-run"};
      }
      return run_run(*options);
    };
  });
}

void add_continue(Command& parent, Action& action) {
  auto options = std::make_shared<CampaignOptions>();
  Command command =
      parent.command("continue", "Runs what is left: interrupted, failed or new in the study");
  add_campaign(command, *options, kWhich);
  add_tags(command, *options);
  command
      .option("--cores", options->cores, "Of this machine to use at a time, instead of the study's")
      .range(1U, 1'000'000U);
  add_output(command, *options);
  command.flag("--quiet", options->quiet, "No progress and no notes on standard error");
  command.footer("Examples:\n  pathline campaign continue heat3d.toml");
  command.on_chosen([options, &action] { action = [options] { return run_continue(*options); }; });
}

void add_status(Command& parent, Action& action) {
  auto options = std::make_shared<CampaignOptions>();
  Command command = parent.command("status", "How far a campaign is, and what failed");
  add_campaign(command, *options, kWhich);
  add_tags(command, *options);
  add_output(command, *options);
  add_format(command, *options);
  command.footer("Examples:\n  pathline campaign status heat3d.toml");
  command.on_chosen([options, &action] { action = [options] { return run_status(*options); }; });
}

void add_result(Command& parent, Action& action) {
  auto options = std::make_shared<CampaignOptions>();
  Command command = parent.command("result", "The table of what was read out of the runs");
  add_campaign(command, *options, kWhich);
  add_tags(command, *options);
  add_output(command, *options);
  add_format(command, *options);
  command.flag("--quiet", options->quiet, "No notes on standard error");
  command.footer(
      "A table for people has a row for each combination of parameters: the median of the "
      "repetitions and (least-most). CSV and JSON have a row for each repetition.\n"
      "Columns that came to the study since the runs are read out of them now.\n"
      "Examples:\n  pathline campaign result heat3d.toml\n"
      "  pathline campaign result heat3d.toml --format csv -o heat3d.csv");
  command.on_chosen([options, &action] { action = [options] { return run_result(*options); }; });
}

void add_compare(Command& parent, Action& action) {
  auto options = std::make_shared<CampaignOptions>();
  Command command = parent.command("compare", "What is slower or faster than it was");
  command.option("BEFORE", options->input, "A campaign: its folder, or a study for its newest")
      .required();
  command.option("AFTER", options->other, "The same study, run again").required();
  command.option("--min", options->min_change, "Differences below it are not called any")
      .show_default();
  add_output(command, *options);
  command.option("--format", options->format, "Default: table on a terminal, else csv")
      .one_of({"table", "csv", "json", "markdown", "junit"});
  command.flag("--quiet", options->quiet, "No notes on standard error");
  command.footer(
      "Exit status 1 when something got slower or worse. A value 'cannot tell' may be equal or "
      "not: "
      "its repetitions differ as much as the two campaigns.\n"
      "Examples:\n  pathline campaign compare heat3d.campaign heat3d.campaign-2\n"
      "  pathline campaign compare heat3d.campaign heat3d.toml --format junit -o compare.xml");
  command.on_chosen([options, &action] { action = [options] { return run_compare(*options); }; });
}

}  // namespace

void add_campaign_command(Command& program, Action& action) {
  Command command = program.command(
      "campaign", "Parameter studies: runs them, collects their results, compares them");
  command.needs_command();
  command.footer(
      "A study is a file that says what varies, what is done for each combination, and which "
      "numbers are read out of it: doc/campaigns.md.\n"
      "Examples:\n  pathline campaign run heat3d.toml\n  pathline campaign result heat3d.toml\n"
      "'pathline campaign COMMAND --help' explains a command.");
  add_run(command, action);
  add_status(command, action);
  add_result(command, action);
  add_continue(command, action);
  add_compare(command, action);
}

}  // namespace pathline::cli
