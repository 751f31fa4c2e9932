// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/describe.hpp"
#include "app/outcomes.hpp"
#include "app/prediction.hpp"
#include "base/text.hpp"
#include "cli/json_output.hpp"
#include "cli/prediction_options.hpp"
#include "cli/table.hpp"

namespace pathline::cli {
namespace {

struct PredictOptions : CommonOptions {
  MachineOptions machine;
  DeploymentOptions deployment;
  unsigned steps = 1;
  bool describe = false;
};

std::string text_of(bool value) { return value ? "true" : "false"; }

/// The answer for one way to run it.
nlohmann::ordered_json json_of(const app::Forecast& forecast, unsigned steps) {
  const app::Deployed& deployed = forecast.deployed;
  nlohmann::ordered_json json;
  const auto number = [&](const char* key, double value) {
    json[key] = forecast.prediction ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  const predict::Prediction none;
  const predict::Prediction& found = forecast.prediction ? *forecast.prediction : none;
  json["grid"] = app::grid_text(deployed.grid);
  json["ranks"] = deployed.rank_count();
  json["rank_grid"] = app::grid_text(deployed.ranks);
  json["ranks_per_node"] = deployed.per_node;
  json["mapping"] = base::printable(deployed.mapping);
  json["bind"] = app::name_of(deployed.bind);
  json["steps"] = steps;
  number("total_s", steps * found.step.value);
  number("low_s", steps * found.step.low);
  number("high_s", steps * found.step.high);
  number("compute_s", steps * found.compute.value);
  number("communication_s", steps * found.communication.value);
  number("sum_of_longest_s", steps * found.sum_of_longest_s);
  json["refused"] = !forecast.prediction;
  json["reason"] =
      forecast.prediction ? nlohmann::ordered_json() : nlohmann::ordered_json(forecast.reason);
  json["off_node_bytes"] = found.off_node_bytes;
  json["hop_bytes"] = found.hop_bytes;
  json["max_link_load_bytes"] = found.max_link_bytes;
  if (!forecast.prediction) {
    for (const char* key : {"off_node_bytes", "hop_bytes", "max_link_load_bytes"}) {
      json[key] = nullptr;
    }
  }
  return json;
}

const std::vector<Column> kColumns = {{"grid", true},
                                      {"ranks"},
                                      {"rank_grid", true},
                                      {"ranks_per_node"},
                                      {"mapping", true},
                                      {"bind", true},
                                      {"total_s"},
                                      {"low_s"},
                                      {"high_s"},
                                      {"compute_s"},
                                      {"communication_s"},
                                      {"off_node_bytes"},
                                      {"hop_bytes"},
                                      {"max_link_load_bytes"},
                                      {"tie"},
                                      {"refused"},
                                      {"reason", true}};

base::Status print_rows(const PredictOptions& options,
                        const std::vector<app::Forecast>& forecasts) {
  Table table(options, kColumns);
  for (const app::Forecast& forecast : forecasts) {
    const app::Deployed& deployed = forecast.deployed;
    const bool refused = !forecast.prediction;
    const predict::Prediction none;
    const predict::Prediction& found = refused ? none : *forecast.prediction;
    const auto time = [&](double seconds) {
      return refused ? "" : fmt::format("{:.9f}", options.steps * seconds);
    };
    const auto count = [&](uint64_t value) { return refused ? "" : std::to_string(value); };
    table.row({app::grid_text(deployed.grid), std::to_string(deployed.rank_count()),
               app::grid_text(deployed.ranks), std::to_string(deployed.per_node),
               base::printable(deployed.mapping), std::string(app::name_of(deployed.bind)),
               time(found.step.value), time(found.step.low), time(found.step.high),
               time(found.compute.value), time(found.communication.value),
               count(found.off_node_bytes), count(found.hop_bytes), count(found.max_link_bytes),
               text_of(forecast.is_tie), text_of(refused), forecast.reason});
  }
  return table.finish();
}

/// What all candidates have in common stands above the table, what tells them apart in it.
base::Status print_table(const PredictOptions& options, const std::vector<app::Forecast>& forecasts,
                         const std::string& about) {
  const std::vector<Column> chosen = {{"grid", true}, {"ranks"},         {"divided", true},
                                      {"per node"},   {"mapping", true}, {"cores", true}};
  const std::vector<Column> found_columns = {{"time"},     {"likely", true, 22}, {"computing"},
                                             {"messages"}, {"off node"},         {"", true, 20}};
  std::vector<std::vector<std::string>> choices;
  for (const app::Forecast& forecast : forecasts) {
    const app::Deployed& deployed = forecast.deployed;
    choices.push_back({app::grid_text(deployed.grid), base::human_count(deployed.rank_count()),
                       app::grid_text(deployed.ranks), std::to_string(deployed.per_node),
                       base::printable(deployed.mapping),
                       std::string(app::name_of(deployed.bind))});
  }
  std::vector<size_t> varying;
  std::string common;
  for (size_t i = 0; i < chosen.size(); ++i) {
    const bool is_common = std::all_of(choices.begin(), choices.end(), [&](const auto& choice) {
      return choice[i] == choices.front()[i];
    });
    if (!is_common) {
      varying.push_back(i);
    } else {
      common +=
          fmt::format("{}{} {}", common.empty() ? "" : ", ", chosen[i].name, choices.front()[i]);
    }
  }
  std::vector<Column> columns;
  for (const size_t i : varying) columns.push_back(chosen[i]);
  columns.insert(columns.end(), found_columns.begin(), found_columns.end());
  Table table(options, columns);
  table.caption(about);
  if (!common.empty()) table.caption(common);
  const app::Forecast* best = nullptr;
  for (size_t row = 0; row < forecasts.size(); ++row) {
    const app::Forecast& forecast = forecasts[row];
    if (best == nullptr || best->deployed.grid != forecast.deployed.grid) best = &forecast;
    std::vector<std::string> cells;
    for (const size_t i : varying) cells.push_back(choices[row][i]);
    if (forecast.prediction) {
      const predict::Prediction& found = *forecast.prediction;
      const auto time = [&](double seconds) {
        return base::human_seconds(options.steps * seconds);
      };
      cells.insert(cells.end(),
                   {time(found.step.value), time(found.step.low) + " to " + time(found.step.high),
                    time(found.compute.value), time(found.communication.value),
                    base::human_bytes(static_cast<double>(found.off_node_bytes)),
                    &forecast == best ? "best"
                    : forecast.is_tie ? "tie"
                                      : ""});
    } else {
      cells.insert(cells.end(), {"", "", "", "", "", "refused: " + forecast.reason});
    }
    table.row(cells);
  }
  return table.finish();
}

base::Result<int> run_predict(const PredictOptions& options) {
  auto application = app::open_application(options.deployment.application);
  if (!application) return application.error();
  auto database = store::Database::open(options.machine.database, store::Database::Access::kRead);
  if (!database) return database.error();
  auto machine =
      app::open_machine(database.value(), options.machine.database, options.machine.machine);
  if (!machine) return machine.error();
  auto deployed =
      app::deployments(split(options.deployment.choices), application.value(), machine.value());
  if (!deployed) return deployed.error();
  auto calibration = app::calibration_of(database.value(), machine.value().row.id);
  if (!calibration) return calibration.error();
  if (deployed.value().size() == 1) {
    // A mistake of the only one is a mistake of the command line.
    auto placement = app::place(deployed.value().front(), machine.value());
    if (!placement) return placement.error();
  }

  base::ThreadPool pool(options.threads);
  base::Progress progress;
  std::vector<app::Forecast> forecasts;
  with_progress(progress, options.quiet, [&] {
    forecasts = app::forecast(deployed.value(), application.value(), machine.value(),
                              calibration.value(), pool, progress);
  });
  app::rank(forecasts);
  const store::Machine& row = machine.value().row;
  const std::string about = fmt::format(
      "{} on {} ({}, {}, {}): time of {}", base::printable(application.value().name),
      base::printable(row.name), store::name_of(row.kind),
      base::counted(machine.value().rows, "row", "rows"),
      calibration.value().runs() == 0
          ? "no runs to judge the model by"
          : base::counted(calibration.value().runs(), "run", "runs") + " to judge the model by",
      base::counted(options.steps, "step", "steps"));
  if (machine.value().noisy > 0 && !options.quiet) {
    note(fmt::format("{} of the {} that this rests on were disturbed by other work on the machine",
                     machine.value().noisy,
                     base::counted(machine.value().launches, "launch", "launches")));
  }
  base::Status status;
  if (forecasts.size() == 1 && options.format != "csv") {
    nlohmann::ordered_json json;
    json["application"] = base::printable(application.value().name);
    json["machine"] = base::printable(row.name);
    json["kind"] = store::name_of(row.kind);
    json["rows"] = machine.value().rows;
    json["noisy_launches"] = machine.value().noisy;
    json["calibration_runs"] = calibration.value().runs();
    json.update(json_of(forecasts.front(), options.steps));
    status = print_json(options, json);
  } else {
    status = is_for_people(options) ? print_table(options, forecasts, about)
                                    : print_rows(options, forecasts);
  }
  if (!status) return status.error();
  return kDone;
}

base::Error invalid(std::string message, std::string advice = {}) {
  return {base::ErrorCode::kInvalidArgument, std::move(message), std::move(advice)};
}

/// The sizes of an option that takes one value here, of as many axes as the value has.
base::Result<std::vector<uint32_t>> one_grid(std::string_view what,
                                             const std::vector<std::string>& values,
                                             std::optional<size_t> axes = std::nullopt) {
  if (values.size() != 1) {
    return invalid(fmt::format("{} has {}, expected one with --describe", what,
                               base::counted(values.size(), "value", "values")));
  }
  const auto in_value =
      static_cast<size_t>(std::count(values.front().begin(), values.front().end(), 'x') + 1);
  return app::parse_grid(what, values.front(),
                         axes.value_or(std::min(in_value, predict::kMaxAxes)));
}

base::Result<int> run_describe(const PredictOptions& options) {
  const app::DeploymentChoices choices = split(options.deployment.choices);
  if (choices.grids.empty()) {
    return invalid("--grid is missing: the cells of the whole grid are not in a trace",
                   "Name those of the run: --describe run --grid 256x256");
  }
  auto grid = one_grid("--grid", choices.grids);
  if (!grid) return grid.error();
  app::DescribeRequest request{.run = run_name(options.input), .grid = std::move(grid).value()};
  if (!choices.rank_grids.empty()) {
    auto ranks = one_grid("--rank-grid", choices.rank_grids, request.grid.size());
    if (!ranks) return ranks.error();
    request.rank_grid = std::move(ranks).value();
  }
  const auto opened = open(options);
  if (!opened) return opened.error();
  auto description = app::describe(opened.value()->trace, request, opened.value()->pool);
  if (!description) {
    base::Error error = description.error();
    error.message = fmt::format("cannot describe {}: {}", options.input, error.message);
    return error;
  }
  if (!options.quiet) {
    for (const std::string& remark : description.value().remarks) note(remark);
  }
  const std::string text = app::description_text(description.value());
  if (auto status = write_result(options.output, text); !status) return status.error();
  return kDone;
}

/// Which options go together: a description needs no machine, a prediction does.
base::Status check_given(const Command& command, const PredictOptions& options) {
  if (options.describe) {
    for (const char* name : {"--db", "--machine", "--app", "--ranks", "--ranks-per-node",
                             "--mapping", "--bind", "--steps", "--format"}) {
      if (!command.was_given(name)) continue;
      return invalid(fmt::format("{} has no effect with --describe", name),
                     "--describe takes --grid, --rank-grid, -o, --partial, --threads and --quiet.");
    }
    return {};
  }
  if (options.partial) return invalid("--partial has no effect without --describe");
  for (const char* name : {"--db", "--app"}) {
    if (command.was_given(name)) continue;
    return invalid(fmt::format("{} is required", name),
                   "'pathline predict --help' lists what there is.");
  }
  return {};
}

}  // namespace

void add_predict_command(Command& program, Action& action) {
  auto options = std::make_shared<PredictOptions>();
  Command command = program.command(
      "predict", "How long a step of an application will take on a machine that was measured");
  add_machine_options(command, options->machine, false);
  add_deployment_options(command, options->deployment, false);
  command
      .option("--describe", options->input,
              "Instead of a prediction: what the program of this run, a recorded one, does in a "
              "time step on --grid, as a FILE.toml for --app")
      .value_name("RUN");
  command.flag("--partial", options->partial,
               "With --describe: read a damaged run as far as it goes and say so");
  command.option("--steps", options->steps, "Time steps that the times are of")
      .range(1U, 1000000000U)
      .show_default();
  command.option("--threads", options->threads, "Threads to use; 0 is one per core")
      .range(0U, 4096U)
      .show_default();
  add_output(command, *options);
  add_format(command, *options);
  command.flag("--quiet", options->quiet, "No progress and no notes on standard error");
  command.footer(
      "Several values of an option, divided by commas, give a table, best first; \"tie\": it "
      "cannot "
      "be told from the best. What was not measured is refused, with the reason.\nExamples:\n"
      "  pathline predict --db machine.db --app shallow --grid 4096x4096 --ranks 1024 \\\n"
      "      --mapping smp,round-robin,block,folded --ranks-per-node 8,16\n"
      "  pathline predict --db machine.db --app heat3d.toml --grid 512x512x512 --ranks 64 "
      "--rank-grid all\n"
      "  pathline predict --describe run --grid 256x256 -o app.toml");
  command.on_chosen([options, command, &action] {
    options->describe = command.was_given("--describe");
    action = [options, command]() -> base::Result<int> {
      if (auto status = check_given(command, *options); !status) return status.error();
      return options->describe ? run_describe(*options) : run_predict(*options);
    };
  });
}

}  // namespace pathline::cli
