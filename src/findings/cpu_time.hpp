// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/column.hpp"
#include "findings/model.hpp"
#include "findings/path_load.hpp"

namespace pathline::findings {

/// What the readings of CPU time say of one lane.
///
/// Between two readings a thread that never gave its core up (no voluntary switch) had one all the
/// time, or was runnable and had lost it. Where it lost it (involuntary switches), useful time
/// beyond all CPU time in between, that in MPI included, is time without a core: what an
/// interruption in MPI takes of it is not counted. Where a thread slept, nobody knows.
struct LaneCpu {
  uint64_t useful_ticks = 0;     ///< In the window.
  uint64_t cpu_ticks = 0;        ///< Between readings, in MPI, too.
  uint64_t switches = 0;         ///< Involuntary ones.
  uint64_t preempted_ticks = 0;  ///< Useful time in which others had its core.
  uint64_t working_ticks = 0;    ///< Useful time with a core, at least.
};

struct CpuTimes {
  bool known = false;          ///< There are readings in the window.
  std::vector<LaneCpu> lanes;  ///< As Model::lanes.
  /// Per piece: its ticks without those of a preempted thread.
  base::Column<uint64_t> work_ticks;
};

/// Whether ranks had a core for what they do.
enum class Cores : uint8_t {
  kUnknown,
  kHeld,  ///< For 95 % of their useful time and more: it is work.
  kLost,  ///< Without what they lost a path would be half as uneven, or less.
};

/// How ranks came by the time that they spent at a call path.
struct CoreUse {
  Cores cores = Cores::kUnknown;
  uint64_t cpu_ticks = 0;        ///< All that they did, in MPI, too.
  uint64_t switches = 0;         ///< Involuntary ones.
  uint64_t preempted_ticks = 0;  ///< At the path.
};
/// load, work  of the path: path_loads() with all ticks, and with CpuTimes::work_ticks
/// ranks       those to blame, ascending; empty means all
CoreUse core_use(const Model& model, const CpuTimes& times, const PathLoad& load,
                 const PathLoad& work, const std::vector<uint32_t>& ranks);
/// "cpu_s", "involuntary_switches", "preempted_s", and "held_cores": 1 for work, -1 for lost cores.
void add_evidence(const CoreUse& use, double seconds_per_tick,
                  std::vector<std::pair<std::string_view, double>>& evidence);

/// cost  O(events + pieces), nothing where nobody read the CPU time; parallel over lanes.
CpuTimes cpu_times(const Model& model, base::ThreadPool& pool);

}  // namespace pathline::findings
