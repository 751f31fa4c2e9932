// SPDX-License-Identifier: BSD-3-Clause
#include "cli/prediction_options.hpp"

#include <algorithm>

namespace pathline::cli {
namespace {

std::vector<std::string> split(const std::vector<std::string>& values) {
  std::vector<std::string> parts;
  for (const std::string& value : values) {
    for (size_t begin = 0; begin <= value.size();) {
      const size_t end = std::min(value.find(',', begin), value.size());
      parts.push_back(value.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return parts;
}

}  // namespace

void add_machine_options(Command& command, MachineOptions& options, bool required) {
  command.option("--db", options.database, "Database that 'pathline bench' made")
      .required(required);
  command.option("--machine", options.machine,
                 "Which machine of the database; not needed where there is one");
}

void add_deployment_options(Command& command, DeploymentOptions& options, bool required) {
  command
      .option("--app", options.application,
              "shallow (NCAR's shallow-water code), or a description of an application, FILE.toml")
      .required(required);
  app::DeploymentChoices& choices = options.choices;
  command.option("--grid", choices.grids, "Cells of the whole grid: 2048x2048")
      .one_value_each()
      .value_name("MxN");
  command.option("--ranks", choices.ranks, "Number of ranks").one_value_each().value_name("N");
  command
      .option("--rank-grid", choices.rank_grids,
              "Ranks along each axis: 32x16, or all that have as many; default: most like a square "
              "or cube")
      .one_value_each()
      .value_name("PXxPY");
  command
      .option("--ranks-per-node", choices.per_node,
              "Ranks on each node; default: as many as it has cores")
      .one_value_each()
      .value_name("C");
  command
      .option("--mapping", choices.mappings,
              "smp (node after node, the default), round-robin, block, folded, random, or a file "
              "that says where each rank runs")
      .one_value_each()
      .value_name("NAME");
  command
      .option("--bind", choices.binds,
              "Cores that a node's ranks take: compact (neighbours, the default) or spread")
      .one_value_each()
      .value_name("NAME");
}

app::DeploymentChoices split(const app::DeploymentChoices& given) {
  return {.grids = split(given.grids),
          .ranks = split(given.ranks),
          .rank_grids = split(given.rank_grids),
          .per_node = split(given.per_node),
          .mappings = split(given.mappings),
          .binds = split(given.binds)};
}

}  // namespace pathline::cli
