// SPDX-License-Identifier: BSD-3-Clause
#include "app/outcomes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/bench_programs.hpp"
#include "base/child_process.hpp"
#include "base/file.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "store/estimate.hpp"

namespace pathline::app {
namespace {

using store::Id;

constexpr std::string_view kStepLine = "seconds per step = ";
constexpr double kNear = 0.03;  // Mappings that differ by less are as good.

predict::Outcome outcome_of(const RunOutcome& outcome) {
  const store::Prediction& prediction = *outcome.prediction;
  return {.predicted_s = prediction.total_s,
          .compute_s = prediction.compute_s,
          .compute_width_s = prediction.compute_width_s,
          .communication_s = prediction.communication_s,
          .measured_s = outcome.run.total_s};
}

bool is_predicted(const RunOutcome& outcome) {
  return outcome.prediction && !outcome.prediction->refused;
}

store::Prediction row_of(const Forecast& forecast, Id run) {
  store::Prediction row{.app_run = run, .model_version = PATHLINE_VERSION};
  row.refused = !forecast.prediction;
  row.reason = forecast.reason;
  if (!forecast.prediction) return row;
  const predict::Prediction& found = *forecast.prediction;
  row.total_s = found.step.value;
  row.low_s = found.step.low;
  row.high_s = found.step.high;
  row.compute_s = found.compute.value;
  row.compute_width_s = (found.compute.high - found.compute.low) / 2;
  row.communication_s = found.communication.value;
  return row;
}

Deployed deployed_of(const store::AppRun& run) {
  return {.grid = run.grid,
          .ranks = run.ranks,
          .per_node = run.ranks_per_node,
          .mapping = run.mapping,
          .bind = run.bind == "spread" ? predict::Bind::kSpread : predict::Bind::kCompact};
}

/// What a program said about the time of its steps.
struct Said {
  std::optional<double> step_s;
  double compute_s = 0;
};

std::vector<std::string> names_of_kernels(const predict::Application& application) {
  std::vector<std::string> names;
  for (const predict::Phase& phase : application.phases) {
    for (const predict::Kernel& kernel : phase.kernels) names.push_back(kernel.name);
  }
  return names;
}

void listen(std::string_view line, const std::vector<std::string>& kernels, Said& said) {
  if (line.starts_with(kStepLine)) {
    said.step_s = base::number_in<double>(line.substr(kStepLine.size()));
    return;
  }
  for (const std::string& kernel : kernels) {
    if (!line.starts_with(kernel) || line.size() <= kernel.size() || line[kernel.size()] != ' ') {
      continue;
    }
    std::vector<double> numbers;
    for (size_t at = kernel.size(); at < line.size();) {
      at = std::min(line.find_first_not_of(' ', at), line.size());
      const size_t end = std::min(line.find(' ', at), line.size());
      const auto number = base::number_in<double>(line.substr(at, end - at));
      if (at < end && !number) return;
      if (number) numbers.push_back(*number);
      at = end;
    }
    if (numbers.size() == 4) said.compute_s += numbers[2];  // Median.
    return;
  }
}

/// Starts runs one by one.
class Trials {
 public:
  Trials(const TrialRequest& request, store::Database& database, const MeasuredMachine& machine,
         base::Progress& progress)
      : request_(request), database_(database), machine_(machine), progress_(progress) {}

  base::Result<TrialReport> run() {
    auto application = open_application(request_.application);
    if (!application) return application.error();
    application_ = std::move(application).value();
    auto before = database_.app_runs(machine_.row.id);
    if (!before) return before.error();
    progress_.begin("running", "runs", request_.deployed.size());
    TrialReport report;
    for (const Deployed& deployed : request_.deployed) {
      const bool is_there =
          std::any_of(before.value().begin(), before.value().end(), [&](const store::AppRun& run) {
            return run.application == application_.name && run.grid == deployed.grid &&
                   run.ranks == deployed.ranks && run.mapping == deployed.mapping &&
                   run.ranks_per_node == deployed.per_node && run.bind == name_of(deployed.bind);
          });
      if (is_there) {
        ++report.present;
        progress_.total -= 1;
        continue;
      }
      auto placement = place(deployed, machine_);
      if (!placement) {
        report.left_out.push_back(fmt::format(
            "{} ranks of {}, {}: {}", grid_text(deployed.ranks), grid_text(deployed.grid),
            base::printable(deployed.mapping), placement.error().message));
        progress_.total -= 1;
        continue;
      }
      if (auto status = run(deployed, placement.value()); !status) return status.error();
      ++report.started;
      ++progress_.done;
    }
    return report;
  }

 private:
  base::Status run(const Deployed& deployed, const mapping::Placement& placement) {
    // Before it runs: nobody can say that the model knew.
    base::Progress unseen;
    base::ThreadPool alone(1);
    auto calibration = calibration_of(database_, machine_.row.id);
    if (!calibration) return calibration.error();
    const std::vector<Forecast> forecasts =
        forecast({deployed}, application_, machine_, calibration.value(), alone, unseen);

    auto words = command(deployed, placement);
    if (!words) return words.error();
    Said said;
    std::string errors;
    std::string last;
    const auto kernels = names_of_kernels(application_);
    auto ending = base::run_reading(
        words.value(),
        [&](std::string_view line) {
          listen(line, kernels, said);
          last = line;
          return true;
        },
        errors);
    if (!ending) return ending.error();
    if (ending.value().exit_status() != 0 || !said.step_s || !(*said.step_s > 0)) {
      return base::Error{
          base::ErrorCode::kIo,
          ending.value().exit_status() != 0
              ? fmt::format("the run ended with status {}: {}", ending.value().exit_status(),
                            telling_line(errors.empty() ? last : errors, application_.name))
              : fmt::format("the run did not say how long a step took, expected a line '{}X'",
                            kStepLine),
          fmt::format("The command was: {}",
                      base::printable(fmt::format("{}", fmt::join(words.value(), " "))))};
    }
    store::AppRun row{.machine = machine_.row.id,
                      .application = application_.name,
                      .grid = deployed.grid,
                      .ranks = deployed.ranks,
                      .mapping = deployed.mapping,
                      .bind = std::string(name_of(deployed.bind)),
                      .ranks_per_node = deployed.per_node,
                      .steps = request_.steps,
                      .total_s = *said.step_s,
                      .compute_s = said.compute_s};
    if (said.compute_s > 0) row.communication_s = std::max(0.0, row.total_s - row.compute_s);
    auto id = database_.add(row);
    if (!id) return id.error();
    return database_.add(row_of(forecasts.front(), id.value()));
  }

  base::Result<std::vector<std::string>> command(const Deployed& deployed,
                                                 const mapping::Placement& placement) {
    std::vector<std::string> words;
    for (const std::string& word : request_.command) {
      if (word == "{launcher}") {
        const auto launcher = launcher_of(machine_.row);
        words.insert(words.end(), launcher.begin(), launcher.end());
      } else {
        words.push_back(word);
      }
    }
    bool says_where = false;
    const std::pair<std::string_view, std::string> values[] = {
        {"{n}", std::to_string(deployed.rank_count())},
        {"{grid}", grid_text(deployed.grid)},
        {"{rank_grid}", grid_text(deployed.ranks)},
        {"{reversed_grid}", grid_text({deployed.grid.rbegin(), deployed.grid.rend()})},
        {"{reversed_rank_grid}", grid_text({deployed.ranks.rbegin(), deployed.ranks.rend()})},
        {"{ranks_per_node}", std::to_string(deployed.per_node)},
        {"{steps}", std::to_string(request_.steps)}};
    const std::string host_file = database_.path().string() + ".hosts";
    for (std::string& word : words) {
      for (const auto& [name, value] : values) {
        const size_t at = word.find(name);
        if (at != std::string::npos) word.replace(at, name.size(), value);
      }
      const size_t at = word.find("{hostfile}");
      if (at == std::string::npos) continue;
      word.replace(at, std::string_view("{hostfile}").size(), host_file);
      says_where = true;
    }
    for (const std::string& word : words) {
      const size_t open = word.find('{');
      const size_t close = word.find('}', std::min(open, word.size()));
      if (open == std::string::npos || close == std::string::npos || close == open + 1) continue;
      return base::Error{
          base::ErrorCode::kInvalidArgument,
          fmt::format("the command has '{}', which nothing is filled in for",
                      base::printable(word.substr(open, close + 1 - open))),
          "There are {launcher}, {n}, {hostfile}, {grid}, {rank_grid}, {reversed_grid}, "
          "{reversed_rank_grid}, {ranks_per_node} and {steps}."};
    }
    const auto& nodes = placement.node_of_rank;
    const bool is_here =
        std::all_of(nodes.begin(), nodes.end(), [](network::Vertex node) { return node == 0; });
    if (!says_where && !is_here) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         "the command does not say where ranks are to be",
                         "Write {hostfile} where it takes a file with the host of each rank."};
    }
    if (says_where) {
      const host::Node& node = machine_.tables.node;
      const HostNames hosts(hosts_of(machine_.row), machine_.network.get(), node.units.size());
      const std::vector<uint32_t> order = predict::core_order(node, deployed.bind);
      std::string lines;
      for (uint32_t rank = 0; rank < nodes.size(); ++rank) {
        const uint32_t slot = placement.slot_of_rank[rank];
        lines += hosts.of(nodes[rank], slot < order.size() ? order[slot] : slot) + "\n";
      }
      if (auto status = base::write_file(host_file, lines); !status) return status.error();
    }
    return words;
  }

  const TrialRequest& request_;
  store::Database& database_;
  const MeasuredMachine& machine_;
  base::Progress& progress_;
  predict::Application application_;
};

predict::Calibration calibration_without(const std::vector<RunOutcome>& outcomes,
                                         const std::vector<uint32_t>& grid) {
  std::vector<predict::Outcome> others;
  for (const RunOutcome& outcome : outcomes) {
    if (is_predicted(outcome) && outcome.run.grid != grid) others.push_back(outcome_of(outcome));
  }
  return predict::Calibration(others);
}

double quantile_of(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return store::quantile(values, share);
}

}  // namespace

base::Result<std::vector<RunOutcome>> outcomes_of(store::Database& database, Id machine) {
  auto runs = database.app_runs(machine);
  if (!runs) return runs.error();
  auto predictions = database.predictions(machine);
  if (!predictions) return predictions.error();
  std::map<Id, store::Prediction> last;
  for (store::Prediction& prediction : predictions.value()) {
    last[prediction.app_run] = std::move(prediction);
  }
  std::vector<RunOutcome> outcomes;
  for (store::AppRun& run : runs.value()) {
    const auto found = last.find(run.id);
    outcomes.push_back({std::move(run), std::nullopt});
    if (found != last.end()) outcomes.back().prediction = found->second;
  }
  return outcomes;
}

base::Result<predict::Calibration> calibration_of(store::Database& database, Id machine) {
  auto outcomes = outcomes_of(database, machine);
  if (!outcomes) return outcomes.error();
  return calibration_without(outcomes.value(), {});
}

base::Result<TrialReport> run_trials(const TrialRequest& request, store::Database& database,
                                     const MeasuredMachine& machine, base::Progress& progress) {
  return Trials(request, database, machine, progress).run();
}

base::Result<uint32_t> predict_again(const std::string& application, store::Database& database,
                                     const MeasuredMachine& machine, base::ThreadPool& pool,
                                     base::Progress& progress) {
  auto opened = open_application(application);
  if (!opened) return opened.error();
  auto outcomes = outcomes_of(database, machine.row.id);
  if (!outcomes) return outcomes.error();
  std::vector<Deployed> deployed;
  std::vector<RunOutcome*> of;
  for (RunOutcome& outcome : outcomes.value()) {
    if (outcome.run.application != opened.value().name) continue;
    deployed.push_back(deployed_of(outcome.run));
    of.push_back(&outcome);
  }
  // First what the model says; then how wide that is, from how wrong it was elsewhere.
  const std::vector<Forecast> plain =
      forecast(deployed, opened.value(), machine, predict::Calibration::none(), pool, progress);
  for (size_t i = 0; i < of.size(); ++i) of[i]->prediction = row_of(plain[i], of[i]->run.id);
  for (size_t i = 0; i < of.size(); ++i) {
    Forecast wide = plain[i];
    if (wide.prediction) {
      wide.prediction =
          calibration_without(outcomes.value(), of[i]->run.grid).applied_to(*wide.prediction);
    }
    if (auto status = database.add(row_of(wide, of[i]->run.id)); !status) return status.error();
  }
  return static_cast<uint32_t>(of.size());
}

Agreement agreement_of(const std::vector<const RunOutcome*>& outcomes) {
  Agreement agreement;
  std::vector<double> errors;
  std::vector<double> of_messages;
  uint32_t inside = 0;
  for (const RunOutcome* outcome : outcomes) {
    if (outcome->prediction && outcome->prediction->refused) ++agreement.refused;
    if (!is_predicted(*outcome)) continue;
    ++agreement.runs;
    const store::Prediction& prediction = *outcome->prediction;
    const double off_s = std::abs(prediction.total_s - outcome->run.total_s);
    errors.push_back(100 * off_s / outcome->run.total_s);
    if (outcome->run.communication_s > 0) {
      of_messages.push_back(100 * off_s / outcome->run.communication_s);
    }
    inside += outcome->run.total_s >= prediction.low_s && outcome->run.total_s <= prediction.high_s;
  }
  agreement.median_error_pct = quantile_of(errors, 0.5);
  agreement.p90_error_pct = quantile_of(errors, 0.9);
  agreement.median_communication_error_pct = quantile_of(of_messages, 0.5);
  if (agreement.runs > 0) agreement.coverage_pct = 100.0 * inside / agreement.runs;
  return agreement;
}

Choices choices_of(const std::vector<RunOutcome>& outcomes) {
  std::map<std::tuple<std::string, std::vector<uint32_t>, std::vector<uint32_t>, uint32_t>,
           std::vector<const RunOutcome*>>
      groups;
  for (const RunOutcome& outcome : outcomes) {
    if (!is_predicted(outcome)) continue;
    const store::AppRun& run = outcome.run;
    groups[{run.application, run.grid, run.ranks, run.ranks_per_node}].push_back(&outcome);
  }
  Choices choices;
  for (const auto& entry : groups) {
    const std::vector<const RunOutcome*>& group = entry.second;
    if (group.size() < 2) continue;
    ++choices.groups;
    const auto least = [&](auto value) {
      return *std::min_element(group.begin(), group.end(),
                               [&](const auto* a, const auto* b) { return value(*a) < value(*b); });
    };
    const RunOutcome* fastest = least([](const RunOutcome& o) { return o.run.total_s; });
    const RunOutcome* named = least([](const RunOutcome& o) { return o.prediction->total_s; });
    if (named->run.total_s <= (1 + kNear) * fastest->run.total_s) {
      ++choices.named;
    } else if (fastest->prediction->low_s <= named->prediction->high_s) {
      ++choices.tied;
    }
  }
  return choices;
}

}  // namespace pathline::app
