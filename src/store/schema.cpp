// SPDX-License-Identifier: BSD-3-Clause
#include "store/schema.hpp"

#include <iterator>

#include <fmt/format.h>

namespace pathline::store {
namespace {

/// Marks the file as ours (PRAGMA application_id): "PTLN".
constexpr int64_t kApplication = 0x50544c4e;

/// What makes version i + 1 of version i. Versions stay as they were published: a change is one
/// more at the end.
constexpr const char* kMigrations[] = {
    R"(
CREATE TABLE machine(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK(kind IN ('real', 'simulated')),
  tool_version TEXT NOT NULL, config_json TEXT NOT NULL, created TEXT NOT NULL,
  network TEXT NOT NULL) STRICT;
CREATE TABLE level(
  machine INTEGER NOT NULL REFERENCES machine, ord INTEGER NOT NULL, name TEXT NOT NULL,
  bytes INTEGER NOT NULL, shared_by INTEGER NOT NULL, PRIMARY KEY(machine, ord)) STRICT;
CREATE TABLE core(
  machine INTEGER NOT NULL REFERENCES machine, core INTEGER NOT NULL, path TEXT NOT NULL,
  PRIMARY KEY(machine, core)) STRICT;
CREATE TABLE scenario(
  id INTEGER PRIMARY KEY, machine INTEGER NOT NULL REFERENCES machine, cores TEXT NOT NULL,
  description TEXT NOT NULL, UNIQUE(machine, cores)) STRICT;
CREATE TABLE launch(
  id INTEGER PRIMARY KEY, machine INTEGER NOT NULL REFERENCES machine, number INTEGER NOT NULL,
  started TEXT NOT NULL, commit_id TEXT NOT NULL, flags TEXT NOT NULL, mpi TEXT NOT NULL,
  load_before REAL NOT NULL, load_after REAL NOT NULL, steal_s REAL NOT NULL,
  noisy INTEGER NOT NULL) STRICT;
CREATE TABLE compute(
  launch INTEGER NOT NULL REFERENCES launch, scenario INTEGER NOT NULL REFERENCES scenario,
  kernel TEXT NOT NULL, m INTEGER NOT NULL, n INTEGER NOT NULL, bytes INTEGER NOT NULL,
  ranks INTEGER NOT NULL, samples BLOB NOT NULL) STRICT;
CREATE TABLE halo(
  launch INTEGER NOT NULL REFERENCES launch, connection TEXT NOT NULL, hops INTEGER NOT NULL,
  layout TEXT NOT NULL, stride INTEGER NOT NULL, bytes INTEGER NOT NULL,
  area_bytes INTEGER NOT NULL, lanes INTEGER NOT NULL, samples BLOB NOT NULL) STRICT;
CREATE TABLE probe(
  launch INTEGER NOT NULL REFERENCES launch, connection TEXT NOT NULL, hops INTEGER NOT NULL,
  bytes INTEGER NOT NULL, late_s REAL NOT NULL, send_s BLOB NOT NULL,
  receive_wait_s BLOB NOT NULL, receive_away_s BLOB NOT NULL, overhead_s BLOB NOT NULL,
  oneway_s BLOB NOT NULL) STRICT;
CREATE TABLE app_run(
  id INTEGER PRIMARY KEY, machine INTEGER NOT NULL REFERENCES machine, application TEXT NOT NULL,
  grid TEXT NOT NULL, ranks TEXT NOT NULL, mapping TEXT NOT NULL,
  ranks_per_node INTEGER NOT NULL, steps INTEGER NOT NULL, total_s REAL NOT NULL,
  compute_s REAL NOT NULL, communication_s REAL NOT NULL) STRICT;
CREATE TABLE prediction(
  id INTEGER PRIMARY KEY, app_run INTEGER NOT NULL REFERENCES app_run,
  model_version TEXT NOT NULL, total_s REAL NOT NULL, low_s REAL NOT NULL, high_s REAL NOT NULL,
  refused INTEGER NOT NULL, reason TEXT NOT NULL) STRICT;
CREATE INDEX compute_of_launch ON compute(launch);
CREATE INDEX halo_of_launch ON halo(launch);
CREATE INDEX probe_of_launch ON probe(launch);
CREATE INDEX prediction_of_run ON prediction(app_run);
)",
    R"(
ALTER TABLE app_run ADD COLUMN bind TEXT NOT NULL DEFAULT 'compact';
ALTER TABLE prediction ADD COLUMN compute_s REAL NOT NULL DEFAULT 0;
ALTER TABLE prediction ADD COLUMN compute_width_s REAL NOT NULL DEFAULT 0;
ALTER TABLE prediction ADD COLUMN communication_s REAL NOT NULL DEFAULT 0;
)",
};
constexpr auto kVersion = static_cast<int64_t>(std::size(kMigrations));

base::Error unsupported(const Connection& connection, const std::string& what, const char* advice) {
  return {base::ErrorCode::kUnsupported, fmt::format("{} {}", connection.path().string(), what),
          advice};
}

}  // namespace

base::Status bring_up_to_date(Connection& connection, Connection::Access access) {
  auto application = connection.number("PRAGMA application_id");
  if (!application) return application.error();
  auto version = connection.number("PRAGMA user_version");
  if (!version) return version.error();
  auto tables = connection.number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return tables.error();
  const bool is_empty = tables.value() == 0 && application.value() == 0;
  if (!is_empty && application.value() != kApplication) {
    return unsupported(connection, "is a database of another program",
                       "Name one that pathline bench made, or a file that does not exist yet.");
  }
  if (is_empty && access != Connection::Access::kCreate) {
    return unsupported(connection, "is an empty database",
                       "pathline bench all --db FILE fills it.");
  }
  if (version.value() > kVersion) {
    return unsupported(
        connection,
        fmt::format("has version {} of the tables, expected at most {}", version.value(), kVersion),
        "It was written by a newer Pathline, which is needed to use it.");
  }
  if (version.value() == kVersion) return {};
  if (access == Connection::Access::kRead) {
    return unsupported(
        connection,
        fmt::format("has version {} of the tables, expected {}", version.value(), kVersion),
        "pathline bench brings it up to date.");
  }
  auto transaction = Transaction::begin(connection);
  if (!transaction) return transaction.error();
  // Somebody else may have done it meanwhile.
  version = connection.number("PRAGMA user_version");
  if (!version) return version.error();
  for (int64_t i = version.value(); i < kVersion; ++i) {
    if (auto status = connection.run(kMigrations[i]); !status) return status;
  }
  const std::string marks =
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kVersion);
  if (auto status = connection.run(marks.c_str()); !status) return status;
  return transaction.value().commit();
}

}  // namespace pathline::store
