// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mapping/files/node_names.hpp"
#include "mapping/placement.hpp"

namespace pathline::mapping {

/// Files that tell a batch system, or us, on which node each rank runs. One line per rank; lines
/// that are blank and what follows a '#' are skipped.
enum class PlacementFormat {
  kBlueGene,  ///< runjob --mapping FILE: in rank order the coordinates of the node, then the slot.
  kSlurm,     ///< SLURM_HOSTFILE of srun --distribution=arbitrary: in rank order a host, a host
              ///< list such as n[1-4], or host*count.
  kRankfile,  ///< Open MPI's mpirun -rf FILE: rank 0=host slot=3.
  kPlain,     ///< Rank, node and, if it is not the next of the node, slot, all as numbers from 0.
  kRunTable,  ///< placement.csv of a run directory; is only read.
};

/// "bgq", "slurm", "rankfile", "plain", "placement.csv": what a user calls them.
std::string_view format_name(PlacementFormat format);
/// nullopt if no format is called so.
std::optional<PlacementFormat> find_placement_format(std::string_view name);

/// What the header of a plain file says besides.
struct PlacementNotes {
  uint32_t ranks_per_node = 0;  ///< 0: not known.
  std::optional<double> hop_bytes_before = {};
  std::optional<double> hop_bytes_after = {};
};

/// The text of a file.
/// errors  those of check_placement(); kUnsupported when the network has no coordinates or a node
///         no host name, for slots that are not in rank order on their node in kSlurm, which cannot
///         say that, and for kRunTable.
base::Result<std::string> format_placement(const Placement& placement, PlacementFormat format,
                                           const NodeNames& names,
                                           const PlacementNotes& notes = {});

struct PlacementQuestion {
  std::optional<PlacementFormat> format = {};  ///< Without it the content tells.
  uint32_t rank_count = 0;                     ///< Ranks that must be placed; 0: all in the file.
  uint32_t ranks_per_node = 0;                 ///< Ranks that fit on a node; 0: not known.
};

/// text, file_name  the content of a file, and what messages call it.
/// returns          a placement that check_placement() finds nothing wrong with. Where the file
///                  says nothing of slots, or more than one number each (sockets, ranges), the
///                  ranks of a node have the slots 0, 1, ... in order.
/// errors           naming file and line: kCorrupt for what is no line of the format, kNotFound for
///                  a host or node that does not exist, kInvalidArgument for ranks that are missing
///                  or placed twice, slots with two ranks, nodes with too many.
/// cost             O(bytes log bytes), memory for at most kMaxRanks ranks.
base::Result<Placement> read_placement(std::string_view text, std::string_view file_name,
                                       const NodeNames& names,
                                       const PlacementQuestion& question = {});

/// nullopt if the text is like none of them. Two and three numbers a line are kPlain: Blue Gene/Q
/// has six.
std::optional<PlacementFormat> detect_placement_format(std::string_view text);

/// The first words of plain files, by which they are told from Blue Gene/Q's.
constexpr std::string_view kPlainTitle = "# pathline placement";

}  // namespace pathline::mapping
