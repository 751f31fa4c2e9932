// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/outcomes.hpp"
#include "base/text.hpp"
#include "cli/prediction_options.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

struct ValidateOptions : CommonOptions {
  MachineOptions machine;
  DeploymentOptions deployment;
  std::vector<std::string> command;
  unsigned steps = 20;
};

std::string text_of(double value) { return fmt::format("{:.9f}", value); }

nlohmann::ordered_json json_of(const app::Agreement& agreement) {
  nlohmann::ordered_json json;
  json["runs"] = agreement.runs;
  json["refused"] = agreement.refused;
  const auto number = [&](const char* key, double value) {
    json[key] = agreement.runs > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  number("median_error_pct", agreement.median_error_pct);
  number("p90_error_pct", agreement.p90_error_pct);
  number("median_communication_error_pct", agreement.median_communication_error_pct);
  number("coverage_pct", agreement.coverage_pct);
  return json;
}

std::string text_of(const app::Agreement& agreement) {
  return fmt::format(
      "{}, error {:.1f} % in the median, {:.1f} % in nine of ten, {:.0f} % inside of their "
      "interval{}",
      base::counted(agreement.runs, "run", "runs"), agreement.median_error_pct,
      agreement.p90_error_pct, agreement.coverage_pct,
      agreement.refused > 0 ? fmt::format(", {} refused", agreement.refused) : "");
}

/// One line for each run, with the numbers of scripts or those of people.
void add_row(Table& table, const app::RunOutcome& outcome, bool one_application) {
  const store::AppRun& run = outcome.run;
  const bool is_predicted = outcome.prediction && !outcome.prediction->refused;
  const store::Prediction none;
  const store::Prediction& prediction = is_predicted ? *outcome.prediction : none;
  const double error_pct = 100 * (prediction.total_s / run.total_s - 1);
  const bool is_within = run.total_s >= prediction.low_s && run.total_s <= prediction.high_s;
  const std::string reason = outcome.prediction ? outcome.prediction->reason : "not predicted";
  if (table.is_for_people()) {
    const auto time = [&](double seconds) {
      return is_predicted ? base::human_seconds(seconds) : "";
    };
    const std::string name = one_application ? "" : base::printable(run.application) + ' ';
    table.row({name + app::grid_text(run.grid), app::grid_text(run.ranks),
               std::to_string(run.ranks_per_node), base::printable(run.mapping),
               base::human_seconds(run.total_s), time(prediction.total_s),
               is_predicted ? time(prediction.low_s) + " to " + time(prediction.high_s) : "",
               is_predicted ? fmt::format("{:+.1f} %", error_pct) : "",
               !is_predicted ? reason
               : is_within   ? ""
                             : "outside"});
    return;
  }
  const auto number = [&](double value) { return is_predicted ? text_of(value) : ""; };
  table.row({run.application, app::grid_text(run.grid), std::to_string(app::rank_count(run.ranks)),
             app::grid_text(run.ranks), std::to_string(run.ranks_per_node), run.mapping, run.bind,
             text_of(run.total_s), run.compute_s > 0 ? text_of(run.compute_s) : "",
             run.compute_s > 0 ? text_of(run.communication_s) : "", number(prediction.total_s),
             number(prediction.low_s), number(prediction.high_s), number(prediction.compute_s),
             number(prediction.communication_s),
             is_predicted ? fmt::format("{:.3f}", error_pct) : "",
             is_predicted ? (is_within ? "true" : "false") : "", is_predicted ? "false" : "true",
             is_predicted ? "" : reason});
}

base::Status print(const ValidateOptions& options, const std::vector<app::RunOutcome>& outcomes,
                   const store::Machine& machine) {
  const std::vector<Column> all = {{"application", true},
                                   {"grid", true},
                                   {"ranks"},
                                   {"rank_grid", true},
                                   {"ranks_per_node"},
                                   {"mapping", true},
                                   {"bind", true},
                                   {"measured_s"},
                                   {"measured_compute_s"},
                                   {"measured_communication_s"},
                                   {"predicted_s"},
                                   {"low_s"},
                                   {"high_s"},
                                   {"compute_s"},
                                   {"communication_s"},
                                   {"error_pct"},
                                   {"within"},
                                   {"refused"},
                                   {"reason", true}};
  const std::vector<Column> for_people = {{"grid", true, 18},    {"ranks", true, 10}, {"per node"},
                                          {"mapping", true, 11}, {"measured"},        {"predicted"},
                                          {"likely", true, 20},  {"error"},           {"", true}};
  Table table(options, is_for_people(options) ? for_people : all);
  const bool one_application =
      std::all_of(outcomes.begin(), outcomes.end(), [&](const app::RunOutcome& outcome) {
        return outcome.run.application == outcomes.front().run.application;
      });
  table.caption(
      fmt::format("seconds per step{} on {} ({})",
                  one_application ? " of " + base::printable(outcomes.front().run.application) : "",
                  base::printable(machine.name), store::name_of(machine.kind)));
  std::map<std::string, std::vector<const app::RunOutcome*>> series;
  std::vector<const app::RunOutcome*> together;
  for (const app::RunOutcome& outcome : outcomes) {
    add_row(table, outcome, one_application);
    series[outcome.run.application + ", " + outcome.run.mapping].push_back(&outcome);
    together.push_back(&outcome);
  }
  const app::Agreement whole = app::agreement_of(together);
  const app::Choices choices = app::choices_of(outcomes);
  nlohmann::ordered_json by_series = nlohmann::ordered_json::array();
  for (const auto& [name, of_series] : series) {
    const app::Agreement agreement = app::agreement_of(of_series);
    nlohmann::ordered_json json{{"series", base::printable(name)}};
    json.update(json_of(agreement));
    by_series.push_back(std::move(json));
    table.footnote(base::printable(name) + ": " + text_of(agreement));
  }
  if (series.size() > 1) table.footnote("all: " + text_of(whole));
  if (choices.groups > 0) {
    table.footnote(
        fmt::format("of {} with several mappings the fastest, or one within 3 % of it, was named "
                    "in {}, {} more "
                    "were called ties",
                    base::counted(choices.groups, "case", "cases"), choices.named, choices.tied));
  }
  nlohmann::ordered_json all_json = json_of(whole);
  all_json["choices"] = choices.groups;
  all_json["choices_named"] = choices.named;
  all_json["choices_tied"] = choices.tied;
  table.add_to_json("machine", nlohmann::ordered_json(base::printable(machine.name)).dump());
  table.add_to_json("kind", nlohmann::ordered_json(store::name_of(machine.kind)).dump());
  table.add_to_json("series", by_series.dump());
  table.add_to_json("all", all_json.dump());
  return table.finish();
}

bool has_choices(const app::DeploymentChoices& choices) {
  return !(choices.grids.empty() && choices.ranks.empty() && choices.rank_grids.empty() &&
           choices.per_node.empty() && choices.mappings.empty() && choices.binds.empty());
}

base::Error invalid(std::string message, std::string advice) {
  return {base::ErrorCode::kInvalidArgument, std::move(message), std::move(advice)};
}

/// Runs, or predicts anew, what the command line asks for.
base::Status update(const ValidateOptions& options, store::Database& database,
                    const app::MeasuredMachine& machine) {
  base::Progress progress;
  if (options.command.empty()) {
    base::ThreadPool pool(options.threads);
    base::Result<uint32_t> again = 0U;
    with_progress(progress, options.quiet, [&] {
      again = app::predict_again(options.deployment.application, database, machine, pool, progress);
    });
    return again ? base::Status() : base::Status(again.error());
  }
  app::TrialRequest request{.application = options.deployment.application,
                            .deployed = {},
                            .command = options.command,
                            .steps = options.steps};
  auto application = app::open_application(request.application);
  if (!application) return application.error();
  auto deployed = app::deployments(split(options.deployment.choices), application.value(), machine);
  if (!deployed) return deployed.error();
  request.deployed = std::move(deployed).value();
  base::Result<app::TrialReport> report = app::TrialReport{};
  with_progress(progress, options.quiet,
                [&] { report = app::run_trials(request, database, machine, progress); });
  if (!report) return report.error();
  if (options.quiet) return {};
  for (const std::string& text : report.value().left_out) note("left out: " + text);
  return {};
}

base::Result<int> run_validate(const ValidateOptions& options) {
  const bool has_app = !options.deployment.application.empty();
  if (!options.command.empty() && !has_app) {
    return invalid("--app is missing: which application COMMAND runs", "");
  }
  if (options.command.empty() && has_choices(options.deployment.choices)) {
    return invalid("--grid, --ranks and the like say what COMMAND is to run, and there is none",
                   "Put it behind --, as in: -- mpirun -n {n} shallow --grid {grid} --ranks "
                   "{rank_grid} --steps {steps}");
  }
  using Access = store::Database::Access;
  auto database =
      store::Database::open(options.machine.database, has_app ? Access::kWrite : Access::kRead);
  if (!database) return database.error();
  base::Result<store::Machine> row = store::Machine{};
  if (has_app) {
    auto machine =
        app::open_machine(database.value(), options.machine.database, options.machine.machine);
    if (!machine) return machine.error();
    if (auto status = update(options, database.value(), machine.value()); !status) {
      return status.error();
    }
    row = machine.value().row;
  } else {
    row = app::find_machine(database.value(), options.machine.database, options.machine.machine);
    if (!row) return row.error();
  }
  auto outcomes = app::outcomes_of(database.value(), row.value().id);
  if (!outcomes) return outcomes.error();
  if (outcomes.value().empty()) {
    return base::Error{base::ErrorCode::kNotFound,
                       fmt::format("{} holds no runs of '{}' to compare predictions with",
                                   options.machine.database, base::printable(row.value().name)),
                       "A command behind -- makes some: pathline validate --db FILE --app shallow "
                       "--grid 256x256 --ranks 2 -- mpirun -n {n} shallow --grid {grid} --ranks "
                       "{rank_grid} --steps {steps}"};
  }
  if (auto status = print(options, outcomes.value(), row.value()); !status) return status.error();
  return kDone;
}

}  // namespace

void add_validate_command(Command& program, Action& action, std::vector<std::string> words) {
  auto options = std::make_shared<ValidateOptions>();
  options->command = std::move(words);
  Command command = program.command(
      "validate", "Whether runs took as long as was predicted, and runs what is to be compared");
  add_machine_options(command, options->machine);
  add_deployment_options(command, options->deployment, false);
  command.option("--steps", options->steps, "Time steps of each run")
      .range(1U, 1000000000U)
      .show_default();
  command.option("--threads", options->threads, "Threads to use; 0 is one per core")
      .range(0U, 4096U)
      .show_default();
  add_output(command, *options);
  add_format(command, *options);
  command.flag("--quiet", options->quiet, "No progress and no notes on standard error");
  command.footer(
      "Without --app: what is stored. With --app: the stored runs of it are predicted anew, each "
      "with intervals that follow from runs on other grids. With -- COMMAND: predicts and then "
      "runs "
      "each combination that was not run before; {launcher} is that of the benchmarks; {n}, "
      "{hostfile}, {grid}, {rank_grid}, "
      "{ranks_per_node} and {steps} are filled in ({reversed_grid}, {reversed_rank_grid}: the last "
      "axis "
      "first),  and COMMAND prints 'seconds per step = "
      "X'.\nExample:\n"
      "  pathline validate --db machine.db --app shallow --grid 256x256,1024x1024 --ranks 1,2 \\\n"
      "      -- {launcher} shallow --grid {grid} --ranks {rank_grid} --steps {steps}");
  command.on_chosen([options, &action] { action = [options] { return run_validate(*options); }; });
}

}  // namespace pathline::cli
