// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "store/rows.hpp"
#include "store/sqlite.hpp"

namespace pathline::store {

/// What benchmarks measured, what was predicted of it, and what then came about: one SQLite file.
///
/// Each add() is complete on its return and survives the end of the process at any moment after;
/// what was under way then is not there at all. One writer at a time, readers meanwhile. Not to be
/// used by two threads at once.
class Database {
 public:
  using Access = Connection::Access;

  /// Opens a database, makes it with kCreate, and with kWrite brings an older one up to date.
  /// errors  kNotFound; kCorrupt for a damaged file and one that is none; kUnsupported for one of a
  ///         newer Pathline, of another program, and an older one with kRead; kIo.
  static base::Result<Database> open(const std::filesystem::path& path, Access access);

  [[nodiscard]] const std::filesystem::path& path() const { return connection_->path(); }

  /// All machines, in the order in which they came.
  base::Result<std::vector<Machine>> machines();
  /// errors  kInvalidArgument when there is one of this name.
  base::Result<Id> add(const Machine& machine);
  /// The scenario with these cores, made if there is none.
  base::Result<Id> scenario(Id machine, const Scenario& scenario);
  base::Result<std::vector<Scenario>> scenarios(Id machine);

  base::Result<Id> add(Id machine, const Launch& launch);
  /// What is known when a launch has ended: the load then, and whether it was noisy.
  base::Status end(const Launch& launch);
  base::Result<std::vector<Launch>> launches(Id machine);

  base::Status add(const Compute& row);
  base::Status add(const Halo& row);
  base::Status add(const Probe& row);
  base::Result<std::vector<Compute>> computes(Id machine);
  base::Result<std::vector<Halo>> halos(Id machine);
  base::Result<std::vector<Probe>> probes(Id machine);

  base::Result<Id> add(const AppRun& run);
  base::Status add(const Prediction& prediction);
  base::Result<std::vector<AppRun>> app_runs(Id machine);
  /// In the order in which they were made.
  base::Result<std::vector<Prediction>> predictions(Id machine);

 private:
  explicit Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

  std::unique_ptr<Connection> connection_;  // Where statements find it after a move.
};

}  // namespace pathline::store
