// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pathline::graph {

/// Who sent how much to whom: a sparse matrix in rows of senders, the receivers of a row ascending.
/// The only input that routing and placement need.
struct Traffic {
  std::vector<uint64_t> row;       ///< Per sender: its first entry; one more than there are ranks.
  std::vector<uint32_t> receiver;  ///< Per entry.
  std::vector<uint64_t> messages;  ///< Per entry.
  std::vector<uint64_t> bytes;     ///< Per entry.

  [[nodiscard]] uint32_t rank_count() const {
    return row.empty() ? 0 : static_cast<uint32_t>(row.size() - 1);
  }
  [[nodiscard]] size_t entry_count() const { return receiver.size(); }
};

/// What one sender sent to one receiver.
struct Pair {
  uint32_t sender = 0;
  uint32_t receiver = 0;
  uint64_t messages = 0;
  uint64_t bytes = 0;
};

/// The matrix of `pairs` in any order, several of the same sender and receiver added up.
/// rank_count  larger than every sender and receiver.
/// cost        O(pairs log pairs).
Traffic traffic_of(uint32_t rank_count, std::vector<Pair> pairs);

/// What groups of ranks (those of a node, say) send to each other, inside a group included.
/// group_of_rank  per rank a number below group_count.
Traffic merged(const Traffic& traffic, std::span<const uint32_t> group_of_rank,
               uint32_t group_count);

}  // namespace pathline::graph
