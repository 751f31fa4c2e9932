// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "chunk/writer.hpp"

namespace pathline::record {

/// Kinds of MPI functions that PATHLINE_MPI_GROUPS can leave out.
enum MpiGroup : uint32_t {
  kGroupP2p = 1,
  kGroupColl = 2,
  kGroupRma = 4,
  kGroupIo = 8,
  kGroupTopo = 16,
  kGroupProbes = 32,
  kGroupOther = 64,
  kAllGroups = 127
};

/// What PATHLINE_* in the environment asks for; `pathline record` checks the values before it sets
/// them, so that a bad one here means the default.
struct Settings {
  bool enable = true;
  chunk::Buffering buffering = chunk::Buffering::kFile;
  uint64_t ring_bytes = 4U << 20U;  ///< Per thread.
  uint64_t max_bytes = 1ULL << 30U;
  uint32_t groups = kAllGroups;
  bool trace = true;     ///< MODE=trace|both
  bool profile = false;  ///< MODE=profile|both
  bool has_steps = false;
  int64_t first_step = 0;
  int64_t last_step = INT64_MAX;
  int64_t every_step = 1;
  uint64_t every = 0;  ///< Instead of the three: every so many steps, the first one too; 0: all.
  uint64_t sync_interval_ns = 0;  ///< 0: clocks are compared at the beginning and the end only.
  /// Calls of MPI with fewer regions open than this are kept apart by the place in the program that
  /// made them: those outside of all regions, of which nothing else tells who made them.
  uint32_t sites_below = 1;
  bool openmp = true;     ///< Parallel regions and what is in them.
  bool geometry = false;  ///< Write the mesh that the program hands over.
  bool verbose = false;
  char clock[16] = "";
  char run_directory[1024] = "";  ///< Made by the launcher.
  char output[1024] = "";         ///< Wish for a name, "" for the default.
  char program[256] = "";
  char filter[1024] = "";
  char counters[256] = "";
  char step_marker[128] = "";
  // See step_sums.hpp.
  char insitu_regions[1024] = "";
  char insitu_to[256] = "";
  char catalyst[2048] = "";  ///< Scripts for ParaView, separated by colons.
};

Settings read_settings();

/// "64k", "4M", "1G", "123"; `fallback` for anything else.
uint64_t parse_size(const char* text, uint64_t fallback);

}  // namespace pathline::record
