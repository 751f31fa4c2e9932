// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "app/prediction.hpp"
#include "cli/command.hpp"
#include "cli/option.hpp"

namespace pathline::cli {

/// A machine of a database.
struct MachineOptions {
  std::string database;
  std::string machine;
};

void add_machine_options(Command& command, MachineOptions& options, bool required = true);

/// Which application, and the ways to run it.
struct DeploymentOptions {
  std::string application;
  app::DeploymentChoices choices;
};

void add_deployment_options(Command& command, DeploymentOptions& options, bool required = true);
/// What stands between the commas of the values that were given.
app::DeploymentChoices split(const app::DeploymentChoices& given);

}  // namespace pathline::cli
