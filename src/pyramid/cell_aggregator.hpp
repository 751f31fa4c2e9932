// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/column.hpp"
#include "pyramid/cells.hpp"

namespace pathline::pyramid {

/// Sums up messages and cells into cells of one size. They must come in the order of their send
/// bins of that size.
///
/// cost    about 25 ns per message or cell with packing, some 100 ns where receives are thousands
///         of bins from their sends.
/// memory  for the different cells of one bin, or a few thousand.
class CellAggregator {
 public:
  /// row_count  all rows are below.
  /// cells      gets what is summed up.
  CellAggregator(CellSize size, uint32_t row_count, MessageCells& cells);

  /// Adds messages begin to end - 1 but for those without a line.
  void add(const MessageColumns& columns, size_t begin, size_t end);
  /// Adds the cells, which must not be larger, that were sent in a bin of this size from
  /// first_send_bin to last_send_bin.
  void add(const MessageCells& cells, CellSize size, uint64_t first_send_bin,
           uint64_t last_send_bin);
  /// To be called once, at the end.
  void finish();

  /// Messages and cells added.
  [[nodiscard]] uint64_t added_count() const { return added_count_; }

 private:
  /// Sums of one message or cell, each small enough that those of a group fit 63 bits.
  struct Part {
    uint64_t count;
    uint64_t weight;
    uint64_t send_ticks;
    uint64_t latency_ticks;  ///< Two's complement.
  };
  using Cells = base::Column<MessageCell>;

  void open_bin(uint64_t send_bin);
  size_t add_bin(const MessageColumns& columns, size_t begin, size_t end);
  /// False for what does not fit a key.
  bool add_key(uint64_t send_bin, uint64_t recv_bin, uint64_t sender, uint64_t receiver);
  [[nodiscard]] Cells sum_parts();
  void fold();
  void flush();

  CellSize size_;
  MessageCells& out_;
  int row_bits_;
  int offset_bits_;
  int bin_bits_;
  uint64_t added_count_ = 0;
  uint64_t first_send_bin_ = 0;  ///< Of the group.
  uint64_t last_send_bin_ = 0;
  base::Column<uint64_t> keys_;  ///< Bin, distance, sender, receiver, index in parts_.
  base::Column<uint64_t> other_keys_;
  base::Column<Part> parts_;
  Cells large_;              ///< Those that do not fit keys or parts, in any order.
  std::vector<Cells> runs_;  ///< Summed up and in order; each at least twice as long as the next.
};

}  // namespace pathline::pyramid
