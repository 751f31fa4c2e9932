// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/column.hpp"

// Messages summed up in cells of time and rows, and their compact storage.
namespace pathline::pyramid {

__extension__ typedef unsigned __int128 Uint128;
__extension__ typedef __int128 Int128;

/// The messages of a run as the rows of a picture see them.
struct MessageColumns {
  std::span<const uint64_t> send_ticks;
  std::span<const uint64_t> recv_ticks;  ///< Before send_ticks where clocks disagree.
  std::span<const uint32_t> sender_row;
  std::span<const uint32_t> receiver_row;
  std::span<const uint64_t> weight;  ///< Such as bytes; empty counts each message as 1.
  /// A message from or to a row that is not below has no line: no answer contains it.
  uint32_t row_count = 0;
};

/// What cells are made of: bins of 2^bin_shift ticks, counted from tick 0, and blocks of
/// 2^row_shift rows, counted from row 0.
struct CellSize {
  int bin_shift = 0;
  int row_shift = 0;
};

/// The last tick of a bin.
inline uint64_t last_tick(uint64_t bin, int bin_shift) {
  return (bin << bin_shift) + ((uint64_t{1} << bin_shift) - 1);
}

/// The largest shift whose power of two is at most `size`, or 0.
inline int floor_shift(double size) {
  return size >= 2 ? std::min(static_cast<int>(std::floor(std::log2(size))), 63) : 0;
}

/// All messages from one bin and block to one bin and block. The sums are exact for up to 2^62
/// messages: 128 bits hold the sum of any 2^62 weights and times.
struct MessageCell {
  uint64_t send_bin;
  uint64_t recv_bin;
  uint32_t sender;    ///< Block.
  uint32_t receiver;  ///< Block.
  uint64_t count;
  Uint128 weight;
  Uint128 send_ticks;    ///< Sum of the send times since the begin of send_bin.
  Int128 latency_ticks;  ///< Sum of receive time - send time; negative where clocks disagree.
};

/// Cells in the order of send bin, distance to the receive bin, sender, receiver, packed in blocks:
/// each number takes as many bits as the largest of its kind in its block needs, so typical cells
/// take 10 to 14 bytes and no value is too large.
///
/// append() by one thread; the others may be called by many once finish() was.
class MessageCells {
 public:
  static constexpr size_t kBlockSize = 256;
  static constexpr size_t kFieldCount = 11;

  /// What a reader can tell without unpacking.
  struct Block {
    uint64_t first_send_bin;
    uint64_t first_bin;  ///< The lowest of all bins, of sends and receives.
    uint64_t last_bin;   ///< The highest.
    uint64_t word;       ///< Where its bits begin.
    uint32_t first_sender;
    uint16_t size;
    std::array<uint8_t, kFieldCount> width;  ///< Bits per number, by Field.
  };

  /// A block unpacked, one row per cell. The high words exist where is_narrow is false.
  struct Rows {
    size_t size = 0;
    bool is_narrow = true;  ///< Sums of times fit 63 bits with sign, weights 64.
    std::array<uint64_t, kBlockSize> send_bin;
    std::array<uint64_t, kBlockSize> recv_bin;
    std::array<uint64_t, kBlockSize> sender;
    std::array<uint64_t, kBlockSize> receiver;
    std::array<uint64_t, kBlockSize> count;
    std::array<uint64_t, kBlockSize> weight;
    std::array<uint64_t, kBlockSize> send_ticks;
    std::array<uint64_t, kBlockSize> latency_zigzag;
    std::array<uint64_t, kBlockSize> weight_high;
    std::array<uint64_t, kBlockSize> send_ticks_high;
    std::array<uint64_t, kBlockSize> latency_zigzag_high;

    [[nodiscard]] MessageCell cell(size_t row) const;
    /// Overwrites row `to` by row `from`.
    void keep(size_t from, size_t to);
  };

  /// cells  in order, after those appended before.
  void append(std::span<const MessageCell> cells);
  void finish();

  [[nodiscard]] bool is_finished() const { return !words_.empty(); }
  [[nodiscard]] uint64_t size() const { return size_; }
  [[nodiscard]] std::span<const Block> blocks() const { return blocks_; }
  [[nodiscard]] size_t size_bytes() const {
    return blocks_.capacity() * sizeof(Block) + words_.capacity() * sizeof(uint64_t);
  }
  void unpack(const Block& block, Rows& rows) const;

 private:
  void pack(std::span<const MessageCell> cells);
  void pack_field(std::span<const uint64_t> values, uint8_t width);

  uint64_t size_ = 0;
  base::Column<Block> blocks_;
  base::Column<uint64_t> words_;
  base::Column<MessageCell> pending_;
};

}  // namespace pathline::pyramid
