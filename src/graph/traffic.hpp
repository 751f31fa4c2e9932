// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace pathline::graph
