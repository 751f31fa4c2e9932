// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "graph/traffic.hpp"

namespace pathline::mapping {

/// Which ranks should share a node, so that few bytes leave nodes. Each group keeps its size: a
/// node that holds 16 ranks will hold 16. Never more bytes between groups than given.
///
/// Cuts the graph of ranks with METIS, and as a second try swaps ranks of the grouping given, and
/// takes the better. Groups get the numbers of those given that they share most ranks with.
///
/// traffic         between ranks.
/// group_of_rank   the grouping given, a number below `group_count` for each rank; groups may be
///                 empty.
/// returns         group of each rank; the same for the same seed.
/// errors          kInvalidArgument for groups that do not fit to the traffic; those of
///                 cut_into_parts().
/// cost            4,096 ranks with 128,000 pairs on 2,048 nodes: 0.15 s.
base::Result<std::vector<uint32_t>> group_ranks(const graph::Traffic& traffic,
                                                std::span<const uint32_t> group_of_rank,
                                                uint32_t group_count, uint64_t seed);

/// Bytes between ranks of different groups.
uint64_t bytes_between_groups(const graph::Traffic& traffic,
                              std::span<const uint32_t> group_of_rank);

}  // namespace pathline::mapping
