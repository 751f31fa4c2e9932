// SPDX-License-Identifier: BSD-3-Clause
#include "app/measured_machine.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/parse.hpp"
#include "base/text.hpp"
#include "network/spec.hpp"

namespace pathline::app {
namespace {

/// Cores and their levels, as the database has them.
base::Result<host::Node> node_of(const store::Machine& machine) {
  host::Node node;
  for (const store::Level& level : machine.levels) {
    node.levels.push_back({level.name, level.bytes, level.shared_by});
  }
  for (const std::string& path : machine.cores) {
    auto units = base::numbers_in<uint32_t>(path, '/');
    if (!units || units->size() != node.levels.size()) {
      return base::Error{
          base::ErrorCode::kCorrupt,
          fmt::format("machine '{}' has a core at '{}', expected one number for each of its {}",
                      base::printable(machine.name), base::printable(path),
                      base::counted(node.levels.size(), "level", "levels"))};
    }
    node.units.push_back(std::move(*units));
  }
  return node;
}

}  // namespace

base::Result<store::Machine> find_machine(store::Database& database,
                                          const std::filesystem::path& path,
                                          const std::string& name) {
  auto machines = database.machines();
  if (!machines) return machines.error();
  std::vector<store::Machine>& all = machines.value();
  if (all.empty()) {
    return base::Error{base::ErrorCode::kNotFound,
                       fmt::format("{} holds no machine", path.string()),
                       "'pathline bench all --db FILE' measures this one."};
  }
  if (name.empty() && all.size() == 1) return std::move(all.front());
  std::vector<std::string> names;
  for (const store::Machine& machine : all) names.push_back(base::printable(machine.name));
  const std::string list = fmt::format("It has {}.", fmt::join(names, ", "));
  if (name.empty()) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("{} holds {} machines: --machine says which", path.string(), all.size()), list};
  }
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const store::Machine& machine) { return machine.name == name; });
  if (found != all.end()) return std::move(*found);
  return base::Error{base::ErrorCode::kNotFound,
                     fmt::format("{} holds no machine '{}'", path.string(), base::printable(name)),
                     list};
}

base::Result<MeasuredMachine> open_machine(store::Database& database,
                                           const std::filesystem::path& path,
                                           const std::string& name) {
  auto row = find_machine(database, path, name);
  if (!row) return row.error();
  auto node = node_of(row.value());
  if (!node) return node.error();
  const store::Id id = row.value().id;
  auto launches = database.launches(id);
  if (!launches) return launches.error();
  auto scenarios = database.scenarios(id);
  if (!scenarios) return scenarios.error();
  auto computes = database.computes(id);
  if (!computes) return computes.error();
  auto halos = database.halos(id);
  if (!halos) return halos.error();
  auto probes = database.probes(id);
  if (!probes) return probes.error();
  std::unique_ptr<network::Network> network;
  if (!row.value().network.empty()) {
    auto parsed = network::parse_network(row.value().network);
    if (!parsed) return parsed.error();
    network = std::move(parsed.value().network);
  }
  MeasuredMachine machine{
      .row = std::move(row).value(),
      .network = std::move(network),
      .tables = {.node = std::move(node).value(),
                 .network = nullptr,
                 .scenarios = std::move(scenarios).value(),
                 .compute = {computes.value(), launches.value()},
                 .halo = {halos.value(), probes.value(), launches.value()}},
      .rows = computes.value().size() + halos.value().size() + probes.value().size(),
      .launches = static_cast<uint32_t>(launches.value().size())};
  machine.tables.network = machine.network.get();
  for (const store::Launch& launch : launches.value()) machine.noisy += launch.noisy ? 1 : 0;
  return machine;
}

}  // namespace pathline::app
