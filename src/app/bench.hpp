// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"

namespace pathline::app {

/// What `pathline bench` is asked for.
struct BenchRequest {
  bool computes = true;
  bool halos = true;
  std::filesystem::path database;
  /// Starts the programs: {n} stands for the number of ranks, {hostfile} for a file with the host
  /// of each rank, line by line.
  std::vector<std::string> launcher = {"mpirun", "-n", "{n}"};
  std::filesystem::path programs;  ///< Folder of bench-compute and bench-halo.
  std::string machine;             ///< Its name in the database.
  std::string node = {};           ///< hwloc's XML file or description of a node; "": this machine.
  std::string network = {};        ///< As --network takes it; "": not known.
  std::vector<std::string> hosts = {};  ///< Names of nodes, in the network's order; none: this one.
  bool simulated = false;
  uint32_t launches = 5;
  double seconds = 0.1;  ///< For each size.
};

struct BenchReport {
  uint64_t added = 0;    ///< Rows.
  uint64_t present = 0;  ///< Rows that were there before.
  uint32_t started = 0;  ///< Programs.
  uint32_t noisy = 0;    ///< Of them, while the machine had something else to do.
};

/// Measures what the plan has for the machine and the database does not have yet, program by
/// program, and stores each row as it comes: killed at any moment, it goes on there the next time.
/// Call it before there are threads.
///
/// errors  kInvalidArgument when the database has another machine of this name, or the launcher
///         cannot say where ranks are to be; kIo naming the program that failed and its last words;
///         those of the database.
base::Result<BenchReport> run_benchmarks(const BenchRequest& request, base::Progress& progress);

}  // namespace pathline::app
