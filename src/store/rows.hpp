// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pathline::store {

/// Times in seconds, sizes in bytes everywhere. An `id` is what the database calls a row.
using Id = int64_t;

/// A real machine and one that a simulator imitates are never compared, joined or interpolated.
enum class MachineKind : uint8_t { kReal, kSimulated };
const char* name_of(MachineKind kind);

/// A part of a node that cores share: "Machine", "Package", "L3Cache", "L2Cache"; by hwloc's names.
struct Level {
  std::string name = {};
  uint64_t bytes = 0;      ///< Of a cache; 0 for what is none.
  uint32_t shared_by = 0;  ///< Cores below one of them.
};

struct Machine {
  Id id = 0;
  std::string name = {};
  MachineKind kind = MachineKind::kReal;
  std::string tool_version = {};
  /// Of a simulated machine the platform and every option of the simulator: both change the
  /// answers.
  std::string config_json = {};
  std::string created = {};
  std::vector<Level> levels = {};  ///< Of a node, outermost first.
  /// Of each core of a node what it is part of, one index for each level: "0/0/1/3".
  std::vector<std::string> cores = {};
  std::string network = {};  ///< A network as --network takes it; "" when not known.
};

/// Which cores of a node work at the same time.
struct Scenario {
  Id id = 0;
  std::vector<uint32_t> cores = {};  ///< Ascending.
  std::string description = {};      ///< "2 cores, a package each"
};

/// One start of a benchmark program.
struct Launch {
  Id id = 0;
  uint32_t number = 0;  ///< From 0; rows of one key that differ in it are independent.
  std::string started = {};
  std::string commit = {};
  std::string flags = {};
  std::string mpi = {};
  double load_before = 0;
  double load_after = 0;
  double steal_s = 0;
  bool noisy = false;  ///< The machine had something else to do.
};

/// Times of one kernel of the application on a local grid.
struct Compute {
  Id launch = 0;
  Id scenario = 0;
  std::string kernel = {};
  uint32_t m = 0;
  uint32_t n = 0;
  uint64_t bytes = 0;  ///< Working set of a core.
  uint32_t ranks = 1;
  std::vector<double> samples = {};  ///< Of one execution, rank by rank, `ranks` times as many.
};

/// Times of one shift along rings, the longest of all ranks.
struct Halo {
  Id launch = 0;
  std::string connection = {};  ///< Name of the innermost level both ends share, or "network".
  uint32_t hops = 0;            ///< Links between the nodes; 0 inside a node.
  std::string layout = {};      ///< "contiguous", "strided", "packed"
  uint32_t stride = 1;          ///< In doubles.
  uint64_t bytes = 0;
  uint64_t area_bytes = 0;  ///< Size of the area that the data came from.
  uint32_t lanes = 1;       ///< Rings at the same time.
  std::vector<double> samples = {};
};

/// How messages of a size behave whose partner is late.
struct Probe {
  Id launch = 0;
  std::string connection = {};
  uint32_t hops = 0;
  uint64_t bytes = 0;
  double late_s = 0;                        ///< By how much the receiver came late.
  std::vector<double> send_s = {};          ///< In MPI_Send meanwhile.
  std::vector<double> receive_wait_s = {};  ///< In the late MPI_Recv, the sender waiting in MPI.
  std::vector<double> receive_away_s = {};  ///< The same, the sender computing.
  std::vector<double> overhead_s = {};      ///< In MPI_Send of a message that is expected.
  std::vector<double> oneway_s = {};
};

/// A run of an application, measured.
struct AppRun {
  Id id = 0;
  Id machine = 0;
  std::string application = {};
  std::vector<uint32_t> grid = {};   ///< Cells along each axis.
  std::vector<uint32_t> ranks = {};  ///< Along each axis.
  std::string mapping = {};
  std::string bind = "compact";  ///< Which cores of a node its ranks had.
  uint32_t ranks_per_node = 0;
  uint32_t steps = 0;
  double total_s = 0;  ///< Of a step.
  double compute_s = 0;
  double communication_s = 0;
};

/// What was expected of a run.
struct Prediction {
  Id app_run = 0;
  std::string model_version = {};
  double total_s = 0;  ///< Of a step.
  double low_s = 0;
  double high_s = 0;
  double compute_s = 0;
  double compute_width_s = 0;  ///< Half of its interval, as the rows of benchmarks give it.
  double communication_s = 0;
  bool refused = false;
  std::string reason = {};
};

}  // namespace pathline::store
