// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/byte_list.hpp"
#include "base/packing.hpp"
#include "steps/table.hpp"

namespace pathline::steps {

/// The time steps of one rank in the order of time, none of which overlaps, for runs with millions
/// of rows: the last ones as they are, older ones packed, which takes some 20 bytes instead of 96.
/// The counters of a packed row can be changed, too: its block is unpacked then.
///
/// Rows do not say of which rank they are. May be used by one thread at a time.
class PackedRows {
 public:
  class Reader;

  [[nodiscard]] size_t size() const { return packed_ + last_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  void push_back(const Row& row);
  /// Of the rows that are not packed.
  [[nodiscard]] Row& back() { return last_.back(); }

  /// How many rows are packed: these are the first ones.
  [[nodiscard]] size_t packed() const { return packed_; }
  /// The row at packed() + i; unlike operator[] it is there already.
  [[nodiscard]] const std::vector<Row>& last() const { return last_; }
  [[nodiscard]] Row& operator[](size_t i) {
    return i >= packed_ ? last_[i - packed_] : unpacked(i);
  }
  /// The last of the packed rows that begin at `ticks` or before; size() if none does.
  size_t packed_begun_at(uint64_t ticks);

  /// Packs what was unpacked, and all but the last few rows as soon as that is worth it.
  void pack();
  /// Packs what was unpacked.
  void pack_again();
  /// Packs all rows; none may follow.
  void pack_all();
  /// Brings all rows into the order of step, begin, and packs them.
  void sort();

  /// What spill() would take away.
  [[nodiscard]] size_t bytes_to_spill() const { return bytes_to_spill_; }
  /// Packs what was unpacked, and puts blocks that are full into the file, which must outlive this.
  void spill(base::SpillFile& file);

  /// For another process, of rows that are all packed.
  void put(base::Packer& out) const;
  void take(base::Unpacker& in);

 private:
  static constexpr size_t kBlockRows = 32;
  struct Block {
    base::ByteList bytes;         // Empty while it is unpacked.
    std::unique_ptr<Row[]> rows;  // While it is unpacked.
    uint64_t begin_ticks;         // Of its first row.
    size_t count = 0;
  };

  Row& unpacked(size_t i);
  void pack_first(size_t count);
  void end_block(Block& block);

  std::vector<Row> last_;
  std::vector<Block> blocks_;  // Of kBlockRows, but for the last one.
  std::vector<size_t> unpacked_;
  size_t packed_ = 0;
  size_t bytes_to_spill_ = 0;  // Of full blocks in memory.
  Row before_{};               // The last one that was packed.
  bool ascends_ = true;        // The steps of the packed ones.
};

/// Gives rows one after the other, packed ones with the counters that they had when they were
/// packed.
class PackedRows::Reader {
 public:
  /// rows  must outlive this and stay as they are.
  explicit Reader(const PackedRows& rows) : rows_(&rows) { next(); }

  /// False behind the last row.
  [[nodiscard]] explicit operator bool() const { return at_ <= rows_->size(); }
  [[nodiscard]] const Row& row() const { return row_; }
  void next();

 private:
  const PackedRows* rows_;
  size_t at_ = 0;               // Behind `row_`.
  std::vector<uint8_t> bytes_;  // Of the block that it is in.
  size_t next_byte_ = 0;
  Row row_{};
};

}  // namespace pathline::steps
