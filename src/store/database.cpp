// SPDX-License-Identifier: BSD-3-Clause
#include "store/database.hpp"

#include <bit>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/parse.hpp"
#include "base/text.hpp"
#include "store/schema.hpp"

namespace pathline::store {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are stored in this order");

std::string joined(const std::vector<uint32_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

std::vector<uint32_t> numbers_of(std::string_view text) {
  return base::numbers_in<uint32_t>(text, ',').value_or(std::vector<uint32_t>());
}

std::span<const double> blob(const std::vector<double>& values) { return values; }

}  // namespace

const char* name_of(MachineKind kind) {
  return kind == MachineKind::kSimulated ? "simulated" : "real";
}

base::Result<Database> Database::open(const std::filesystem::path& path, Access access) {
  auto opened = Connection::open(path, access);
  if (!opened) return opened.error();
  auto connection = std::make_unique<Connection>(std::move(opened).value());
  if (access != Access::kRead) {
    // Writers and readers do not wait for one another, and what a killed process leaves is whole.
    // A power cut may cost the last rows, never the file.
    if (auto status = connection->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
        !status) {
      return status.error();
    }
  }
  if (auto status = bring_up_to_date(*connection, access); !status) return status.error();
  if (auto status = connection->run("PRAGMA foreign_keys = ON"); !status) return status.error();
  std::string damage;
  auto status =
      each_row(*connection, "PRAGMA quick_check(1)", [&](Statement& row) { damage = row.text(); });
  if (!status) return status.error();
  if (damage != "ok") {
    return base::Error{base::ErrorCode::kCorrupt,
                       fmt::format("{} is damaged: {}", path.string(), base::printable(damage)),
                       "sqlite3 FILE .recover | sqlite3 NEW.db saves what can be read."};
  }
  return Database(std::move(connection));
}

base::Result<std::vector<Machine>> Database::machines() {
  std::vector<Machine> machines;
  auto status = each_row(*connection_,
                         "SELECT id, name, kind, tool_version, config_json, created, network "
                         "FROM machine ORDER BY id",
                         [&](Statement& row) {
                           Machine machine;
                           machine.id = row.number();
                           machine.name = row.text();
                           machine.kind = row.text() == "simulated" ? MachineKind::kSimulated
                                                                    : MachineKind::kReal;
                           machine.tool_version = row.text();
                           machine.config_json = row.text();
                           machine.created = row.text();
                           machine.network = row.text();
                           machines.push_back(std::move(machine));
                         });
  for (Machine& machine : machines) {
    if (!status) break;
    status = each_row(
        *connection_, "SELECT name, bytes, shared_by FROM level WHERE machine = ? ORDER BY ord",
        [&](Statement& row) {
          Level level;
          level.name = row.text();
          level.bytes = row.number<uint64_t>();
          level.shared_by = row.number<uint32_t>();
          machine.levels.push_back(std::move(level));
        },
        machine.id);
    if (!status) break;
    status = each_row(
        *connection_, "SELECT path FROM core WHERE machine = ? ORDER BY core",
        [&](Statement& row) { machine.cores.push_back(row.text()); }, machine.id);
  }
  if (!status) return status.error();
  return machines;
}

base::Result<Id> Database::add(const Machine& machine) {
  auto transaction = Transaction::begin(*connection_);
  if (!transaction) return transaction.error();
  int64_t same = 0;
  auto status = each_row(
      *connection_, "SELECT count(*) FROM machine WHERE name = ?",
      [&](Statement& row) { same = row.number(); }, machine.name);
  if (!status) return status.error();
  if (same != 0) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("{} has a machine '{}' already", connection_->path().string(),
                                   base::printable(machine.name))};
  }
  status = execute(*connection_,
                   "INSERT INTO machine(name, kind, tool_version, config_json, created, network) "
                   "VALUES(?, ?, ?, ?, ?, ?)",
                   machine.name, name_of(machine.kind), machine.tool_version, machine.config_json,
                   machine.created, machine.network);
  if (!status) return status.error();
  const Id id = connection_->last_row();
  for (size_t i = 0; i < machine.levels.size() && status; ++i) {
    const Level& level = machine.levels[i];
    status = execute(*connection_, "INSERT INTO level VALUES(?, ?, ?, ?, ?)", id, i, level.name,
                     level.bytes, level.shared_by);
  }
  for (size_t i = 0; i < machine.cores.size() && status; ++i) {
    status = execute(*connection_, "INSERT INTO core VALUES(?, ?, ?)", id, i, machine.cores[i]);
  }
  if (status) status = transaction.value().commit();
  if (!status) return status.error();
  return id;
}

base::Result<Id> Database::scenario(Id machine, const Scenario& scenario) {
  const std::string cores = joined(scenario.cores);
  auto status = execute(*connection_,
                        "INSERT OR IGNORE INTO scenario(machine, cores, description) "
                        "VALUES(?, ?, ?)",
                        machine, cores, scenario.description);
  Id id = 0;
  if (status) {
    status = each_row(
        *connection_, "SELECT id FROM scenario WHERE machine = ? AND cores = ?",
        [&](Statement& row) { id = row.number(); }, machine, cores);
  }
  if (!status) return status.error();
  return id;
}

base::Result<std::vector<Scenario>> Database::scenarios(Id machine) {
  std::vector<Scenario> scenarios;
  auto status = each_row(
      *connection_, "SELECT id, cores, description FROM scenario WHERE machine = ? ORDER BY id",
      [&](Statement& row) {
        Scenario scenario;
        scenario.id = row.number();
        scenario.cores = numbers_of(row.text());
        scenario.description = row.text();
        scenarios.push_back(std::move(scenario));
      },
      machine);
  if (!status) return status.error();
  return scenarios;
}

base::Result<Id> Database::add(Id machine, const Launch& launch) {
  auto status =
      execute(*connection_,
              "INSERT INTO launch(machine, number, started, commit_id, flags, mpi, "
              "load_before, load_after, steal_s, noisy) "
              "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
              machine, launch.number, launch.started, launch.commit, launch.flags, launch.mpi,
              launch.load_before, launch.load_after, launch.steal_s, launch.noisy);
  if (!status) return status.error();
  return connection_->last_row();
}

base::Status Database::end(const Launch& launch) {
  return execute(*connection_,
                 "UPDATE launch SET mpi = ?, load_after = ?, steal_s = ?, noisy = ? WHERE id = ?",
                 launch.mpi, launch.load_after, launch.steal_s, launch.noisy, launch.id);
}

base::Result<std::vector<Launch>> Database::launches(Id machine) {
  std::vector<Launch> launches;
  auto status = each_row(
      *connection_,
      "SELECT id, number, started, commit_id, flags, mpi, load_before, load_after, steal_s, "
      "noisy FROM launch WHERE machine = ? ORDER BY id",
      [&](Statement& row) {
        Launch launch;
        launch.id = row.number();
        launch.number = row.number<uint32_t>();
        launch.started = row.text();
        launch.commit = row.text();
        launch.flags = row.text();
        launch.mpi = row.text();
        launch.load_before = row.real();
        launch.load_after = row.real();
        launch.steal_s = row.real();
        launch.noisy = row.number() != 0;
        launches.push_back(std::move(launch));
      },
      machine);
  if (!status) return status.error();
  return launches;
}

base::Status Database::add(const Compute& row) {
  return execute(*connection_, "INSERT INTO compute VALUES(?, ?, ?, ?, ?, ?, ?, ?)", row.launch,
                 row.scenario, row.kernel, row.m, row.n, row.bytes, row.ranks, blob(row.samples));
}

base::Status Database::add(const Halo& row) {
  return execute(*connection_, "INSERT INTO halo VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", row.launch,
                 row.connection, row.hops, row.layout, row.stride, row.bytes, row.area_bytes,
                 row.lanes, blob(row.samples));
}

base::Status Database::add(const Probe& row) {
  return execute(*connection_, "INSERT INTO probe VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row.launch,
                 row.connection, row.hops, row.bytes, row.late_s, blob(row.send_s),
                 blob(row.receive_wait_s), blob(row.receive_away_s), blob(row.overhead_s),
                 blob(row.oneway_s));
}

base::Result<std::vector<Compute>> Database::computes(Id machine) {
  std::vector<Compute> rows;
  auto status = each_row(
      *connection_,
      "SELECT launch, scenario, kernel, m, n, bytes, ranks, samples FROM compute "
      "JOIN launch ON launch.id = launch WHERE machine = ? ORDER BY compute.rowid",
      [&](Statement& row) {
        Compute compute;
        compute.launch = row.number();
        compute.scenario = row.number();
        compute.kernel = row.text();
        compute.m = row.number<uint32_t>();
        compute.n = row.number<uint32_t>();
        compute.bytes = row.number<uint64_t>();
        compute.ranks = row.number<uint32_t>();
        compute.samples = row.reals();
        rows.push_back(std::move(compute));
      },
      machine);
  if (!status) return status.error();
  return rows;
}

base::Result<std::vector<Halo>> Database::halos(Id machine) {
  std::vector<Halo> rows;
  auto status = each_row(
      *connection_,
      "SELECT launch, connection, hops, layout, stride, bytes, area_bytes, lanes, samples "
      "FROM halo JOIN launch ON launch.id = launch WHERE machine = ? ORDER BY halo.rowid",
      [&](Statement& row) {
        Halo halo;
        halo.launch = row.number();
        halo.connection = row.text();
        halo.hops = row.number<uint32_t>();
        halo.layout = row.text();
        halo.stride = row.number<uint32_t>();
        halo.bytes = row.number<uint64_t>();
        halo.area_bytes = row.number<uint64_t>();
        halo.lanes = row.number<uint32_t>();
        halo.samples = row.reals();
        rows.push_back(std::move(halo));
      },
      machine);
  if (!status) return status.error();
  return rows;
}

base::Result<std::vector<Probe>> Database::probes(Id machine) {
  std::vector<Probe> rows;
  auto status = each_row(
      *connection_,
      "SELECT launch, connection, hops, bytes, late_s, send_s, receive_wait_s, receive_away_s, "
      "overhead_s, oneway_s FROM probe JOIN launch ON launch.id = launch WHERE machine = ? "
      "ORDER BY probe.rowid",
      [&](Statement& row) {
        Probe probe;
        probe.launch = row.number();
        probe.connection = row.text();
        probe.hops = row.number<uint32_t>();
        probe.bytes = row.number<uint64_t>();
        probe.late_s = row.real();
        probe.send_s = row.reals();
        probe.receive_wait_s = row.reals();
        probe.receive_away_s = row.reals();
        probe.overhead_s = row.reals();
        probe.oneway_s = row.reals();
        rows.push_back(std::move(probe));
      },
      machine);
  if (!status) return status.error();
  return rows;
}

base::Result<Id> Database::add(const AppRun& run) {
  auto status = execute(*connection_,
                        "INSERT INTO app_run(machine, application, grid, ranks, mapping, bind, "
                        "ranks_per_node, steps, total_s, compute_s, communication_s) "
                        "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        run.machine, run.application, joined(run.grid), joined(run.ranks),
                        run.mapping, run.bind, run.ranks_per_node, run.steps, run.total_s,
                        run.compute_s, run.communication_s);
  if (!status) return status.error();
  return connection_->last_row();
}

base::Status Database::add(const Prediction& prediction) {
  return execute(
      *connection_,
      "INSERT INTO prediction(app_run, model_version, total_s, low_s, high_s, compute_s, "
      "compute_width_s, communication_s, refused, reason) "
      "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      prediction.app_run, prediction.model_version, prediction.total_s, prediction.low_s,
      prediction.high_s, prediction.compute_s, prediction.compute_width_s,
      prediction.communication_s, prediction.refused, prediction.reason);
}

base::Result<std::vector<AppRun>> Database::app_runs(Id machine) {
  std::vector<AppRun> runs;
  auto status = each_row(
      *connection_,
      "SELECT id, machine, application, grid, ranks, mapping, bind, ranks_per_node, steps, "
      "total_s, "
      "compute_s, communication_s FROM app_run WHERE machine = ? ORDER BY id",
      [&](Statement& row) {
        AppRun run;
        run.id = row.number();
        run.machine = row.number();
        run.application = row.text();
        run.grid = numbers_of(row.text());
        run.ranks = numbers_of(row.text());
        run.mapping = row.text();
        run.bind = row.text();
        run.ranks_per_node = row.number<uint32_t>();
        run.steps = row.number<uint32_t>();
        run.total_s = row.real();
        run.compute_s = row.real();
        run.communication_s = row.real();
        runs.push_back(std::move(run));
      },
      machine);
  if (!status) return status.error();
  return runs;
}

base::Result<std::vector<Prediction>> Database::predictions(Id machine) {
  std::vector<Prediction> predictions;
  auto status = each_row(
      *connection_,
      "SELECT app_run, model_version, prediction.total_s, low_s, high_s, prediction.compute_s, "
      "compute_width_s, prediction.communication_s, refused, reason "
      "FROM prediction JOIN app_run ON app_run.id = app_run WHERE machine = ? "
      "ORDER BY prediction.id",
      [&](Statement& row) {
        Prediction prediction;
        prediction.app_run = row.number();
        prediction.model_version = row.text();
        prediction.total_s = row.real();
        prediction.low_s = row.real();
        prediction.high_s = row.real();
        prediction.compute_s = row.real();
        prediction.compute_width_s = row.real();
        prediction.communication_s = row.real();
        prediction.refused = row.number() != 0;
        prediction.reason = row.text();
        predictions.push_back(std::move(prediction));
      },
      machine);
  if (!status) return status.error();
  return predictions;
}

}  // namespace pathline::store
