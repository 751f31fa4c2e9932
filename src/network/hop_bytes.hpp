// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "graph/traffic.hpp"
#include "network/network.hpp"
#include "network/spec.hpp"

namespace pathline::network {

/// A hop-byte file of par-comm-data (Fujiwara et al., VAST 2017): `SRC DST BYTES [HOPS]`, one
/// directed pair of ranks per line, in columns.
struct HopBytes {
  static constexpr uint32_t kNoHops = UINT32_MAX;

  std::vector<uint32_t> sender;    ///< Rank.
  std::vector<uint32_t> receiver;  ///< Rank.
  std::vector<uint64_t> bytes;
  std::vector<uint32_t> hops;   ///< As measured; kNoHops where the line has none.
  std::vector<size_t> line;     ///< Of the file, from 1.
  uint32_t rank_count = 0;      ///< One more than the largest rank.
  size_t malformed_lines = 0;   ///< Left out.
  std::string first_malformed;  ///< What is wrong with the first of them.

  [[nodiscard]] size_t size() const { return sender.size(); }
};

/// partial  counts malformed lines instead of refusing them.
/// errors   kCorrupt naming `file`, line and fact: not 3 or 4 fields, no rank, no number of bytes
///          (decimal or with exponent, not below 0), a hop count that is none.
base::Result<HopBytes> parse_hop_bytes(std::string_view text, const std::string& file,
                                       bool partial = false);

/// What the ranks exchange. Pairs that the file has twice are added up.
graph::Traffic traffic_of(const HopBytes& hop_bytes);

/// Whether the network gives the hops that were measured.
/// node_of_rank  per rank of the file.
/// errors        kInvalidArgument naming file, line and fact of the first line that differs, with
///               how many differ.
base::Status check_hops(const HopBytes& hop_bytes, const Network& network,
                        std::span<const Vertex> node_of_rank, const std::string& file);

/// Pairs of ranks, one `SRC DST` per line, # begins a comment.
/// errors  those of the file; kCorrupt and kInvalidArgument naming file, line and fact: not two
///         ranks, one not below rank_count, no pair at all.
base::Result<std::vector<std::pair<uint32_t, uint32_t>>> read_pairs(const std::string& file,
                                                                    uint32_t rank_count);

/// Rank r on node r / ranks_per_node.
/// errors  kInvalidArgument when there are more ranks than places.
base::Result<std::vector<Vertex>> block_placement(const Machine& machine, uint32_t rank_count);

}  // namespace pathline::network
