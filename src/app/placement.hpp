// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pathline::app {

/// Where one rank ran, as its recorder saw it.
struct RankPlace {
  uint32_t rank = 0;
  std::string host;
  std::string cpus;  ///< What it was bound to, "0-3,8"; "" when that is not known.
  /// The switches above the host and the host, "spine.leaf1.n2"; "" when they are not known.
  std::string switches = {};
};

/// Writes `placement.csv`: rank,host,package,numa,core,pu,switches, one line for each rank in the
/// order of `ranks`. Packages, NUMA nodes and cores are lstopo's L#, PUs the system's numbers.
/// Bound to several of a kind: a range such as "0-3,8"; not known: -1, for switches nothing.
///
/// topology  folder with one hwloc XML file <host>.xml for each host; may be missing
/// returns   what could not be found out, one text for each host or rank
/// errors    kIo when the file cannot be written
base::Result<std::vector<std::string>> write_placement(std::span<const RankPlace> ranks,
                                                       const std::filesystem::path& topology,
                                                       const std::filesystem::path& path);

/// Reads what write_placement() wrote: hosts, and the PUs in the place of the CPUs. Ranks may stand
/// in any order; lines that name a rank twice, or none, are left out.
/// errors  kNotFound, kIo
base::Result<std::vector<RankPlace>> read_placement_table(const std::filesystem::path& path);

/// The hwloc XML file of a host in the folder `topology`; "" for a name that is none, as names come
/// from files and must not lead out of the folder.
std::filesystem::path topology_file(const std::filesystem::path& topology, std::string_view host);

}  // namespace pathline::app
