// SPDX-License-Identifier: BSD-3-Clause
#include "steps/packed_rows.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "base/varint.hpp"

namespace pathline::steps {
namespace {

constexpr size_t kKept = 3;  // A message is rarely found later than in the step behind its own.
constexpr size_t kFew = 4;

/// What a row is besides its number and whether it was recorded. Those that change in most programs
/// stand first, so that one byte says which do.
using Numbers = std::array<uint64_t, 10>;
Numbers numbers_of(const Row& row, uint64_t end_before) {
  const Counters& of = row.counters;
  return {row.begin_ticks - end_before,
          row.end_ticks - row.begin_ticks,
          of.mpi_ticks,
          of.sent_messages,
          of.sent_bytes,
          of.received_messages,
          of.received_bytes,
          of.io_ticks,
          of.read_bytes,
          of.written_bytes};
}
constexpr unsigned kOtherStep = 10;
constexpr unsigned kOtherRecorded = 11;
constexpr size_t kMostRowBytes = (2 + kOtherRecorded) * base::kMaxVarintBytes;

/// The gap is that before the row; all else differs little from that of the row before.
uint64_t foreseen(const Numbers& before, size_t i) { return i == 0 ? 0 : before[i]; }

Row first_before() { return {.step = UINT32_MAX, .rank = 0, .begin_ticks = 0, .end_ticks = 0}; }

uint8_t* put_row(uint8_t* at, const Row& before, const Row& row) {
  const Numbers last = numbers_of(before, 0);
  const Numbers own = numbers_of(row, before.end_ticks);
  const uint32_t step_change = row.step - before.step - 1;
  uint64_t changed = uint64_t{step_change != 0} << kOtherStep |
                     uint64_t{row.recorded != before.recorded} << kOtherRecorded;
  Numbers changes{};
  for (size_t i = 0; i < own.size(); ++i) {
    changes[i] = own[i] - foreseen(last, i);
    changed |= uint64_t{changes[i] != 0} << i;
  }
  at = base::put_varint(at, changed);
  for (const uint64_t change : changes) {
    if (change != 0) at = base::put_varint(at, base::zigzag(static_cast<int64_t>(change)));
  }
  if (step_change != 0) {
    at = base::put_varint(at, base::zigzag(static_cast<int32_t>(step_change)));
  }
  return at;
}

/// row  the one before, which becomes this one.
const uint8_t* get_row(const uint8_t* at, const uint8_t* end, Row& row) {
  const auto next = [&] {
    uint64_t value = 0;
    at = base::get_varint(at, end, value);
    assert(at != nullptr);
    return value;
  };
  const uint64_t changed = next();
  Numbers own = numbers_of(row, 0);
  for (size_t i = 0; i < own.size(); ++i) {
    own[i] = foreseen(own, i);
    if ((changed >> i & 1U) == 0) continue;
    own[i] += static_cast<uint64_t>(base::unzigzag(next()));
  }
  ++row.step;
  if ((changed >> kOtherStep & 1U) != 0) {
    row.step += static_cast<uint32_t>(base::unzigzag(next()));
  }
  if ((changed >> kOtherRecorded & 1U) != 0) row.recorded = !row.recorded;
  row.begin_ticks = row.end_ticks + own[0];
  row.end_ticks = row.begin_ticks + own[1];
  row.counters = {.mpi_ticks = own[2],
                  .io_ticks = own[7],
                  .sent_messages = own[3],
                  .sent_bytes = own[4],
                  .received_messages = own[5],
                  .received_bytes = own[6],
                  .read_bytes = own[8],
                  .written_bytes = own[9]};
  return at;
}

bool is_before(const Row& a, const Row& b) {
  return a.step != b.step ? a.step < b.step : a.begin_ticks < b.begin_ticks;
}

}  // namespace

void PackedRows::push_back(const Row& row) {
  // All ranks together have many: room for twice as many would be too much.
  constexpr size_t kPart = 8;
  if (last_.size() == last_.capacity()) {
    last_.reserve(last_.size() + last_.size() / kPart + kFew);
  }
  last_.push_back(row);
}

Row& PackedRows::unpacked(size_t i) {
  Block& block = blocks_[i / kBlockRows];
  if (!block.rows) {
    block.rows = std::make_unique<Row[]>(kBlockRows);
    std::vector<uint8_t> bytes;
    block.bytes.copy_to(bytes);
    const uint8_t* at = bytes.data();
    Row row = first_before();
    for (size_t k = 0; k < block.count; ++k) {
      at = get_row(at, bytes.data() + bytes.size(), row);
      block.rows[k] = row;
    }
    if (block.count == kBlockRows) bytes_to_spill_ -= block.bytes.bytes_in_memory();
    block.bytes.clear();
    unpacked_.push_back(i / kBlockRows);
  }
  return block.rows[i % kBlockRows];
}

size_t PackedRows::packed_begun_at(uint64_t ticks) {
  const auto behind = std::upper_bound(
      blocks_.begin(), blocks_.end(), ticks,
      [](uint64_t value, const Block& block) { return value < block.begin_ticks; });
  if (behind == blocks_.begin()) return size();
  const size_t first = static_cast<size_t>(behind - blocks_.begin() - 1) * kBlockRows;
  size_t i = std::min(packed_, first + kBlockRows) - 1;
  while (unpacked(i).begin_ticks > ticks) --i;
  return i;
}

void PackedRows::pack_again() {
  for (const size_t number : unpacked_) {
    Block& block = blocks_[number];
    std::array<uint8_t, kBlockRows * kMostRowBytes> bytes;
    uint8_t* end = bytes.data();
    Row before = first_before();
    for (size_t k = 0; k < block.count; ++k) {
      end = put_row(end, before, block.rows[k]);
      before = block.rows[k];
    }
    if (number + 1 == blocks_.size()) before_ = before;
    block.bytes.append({bytes.data(), end});
    block.rows.reset();
    end_block(block);
  }
  std::vector<size_t>().swap(unpacked_);
}

/// No more room than it takes, once it is full: there may be hundreds of thousands.
void PackedRows::end_block(Block& block) {
  if (block.count < kBlockRows) return;
  block.bytes.fit();
  bytes_to_spill_ += block.bytes.size();
}

void PackedRows::spill(base::SpillFile& file) {
  pack_again();
  for (Block& block : blocks_) {
    if (block.count == kBlockRows) block.bytes.spill(file);
  }
  bytes_to_spill_ = 0;
}

void PackedRows::pack_first(size_t count) {
  for (size_t done = 0; done < count;) {
    if (packed_ % kBlockRows == 0) {
      blocks_.push_back({.bytes = {}, .rows = {}, .begin_ticks = last_[done].begin_ticks});
    }
    Block& block = blocks_.back();
    std::array<uint8_t, kBlockRows * kMostRowBytes> bytes;
    uint8_t* end = bytes.data();
    for (; done < count && block.count < kBlockRows; ++done, ++block.count, ++packed_) {
      const Row& row = last_[done];
      ascends_ = ascends_ && (packed_ == 0 || !is_before(row, before_));
      end = put_row(end, block.count == 0 ? first_before() : before_, row);
      before_ = row;
    }
    block.bytes.append({bytes.data(), end});
    end_block(block);
  }
  last_.erase(last_.begin(), last_.begin() + static_cast<ptrdiff_t>(count));
}

void PackedRows::pack() {
  pack_again();
  if (last_.size() >= kKept + kFew) pack_first(last_.size() - kKept);
}

void PackedRows::pack_all() {
  pack_again();
  pack_first(last_.size());
  std::vector<Row>().swap(last_);
}

void PackedRows::sort() {
  pack_all();
  if (ascends_) return;
  std::vector<Row> rows;
  rows.reserve(size());
  for (Reader reader(*this); reader; reader.next()) rows.push_back(reader.row());
  std::stable_sort(rows.begin(), rows.end(), is_before);
  *this = {};
  last_ = std::move(rows);
  pack_all();
}

void PackedRows::put(base::Packer& out) const {
  assert(last_.empty() && unpacked_.empty());
  out.put(packed_);
  out.put(ascends_);
  for (const Block& block : blocks_) block.bytes.pack(out);
}

void PackedRows::take(base::Unpacker& in) {
  *this = {};
  packed_ = in.get<size_t>();
  ascends_ = in.get<bool>();
  for (size_t i = 0; i < packed_; i += kBlockRows) {
    blocks_.push_back(
        {.bytes = {}, .rows = {}, .begin_ticks = 0, .count = std::min(kBlockRows, packed_ - i)});
    blocks_.back().bytes.take(in);
    end_block(blocks_.back());
  }
}

void PackedRows::Reader::next() {
  const size_t i = at_++;
  if (i >= rows_->packed_) {
    if (i < rows_->size()) row_ = rows_->last_[i - rows_->packed_];
    return;
  }
  const Block& block = rows_->blocks_[i / kBlockRows];
  if (block.rows) {
    row_ = block.rows[i % kBlockRows];
    return;
  }
  if (i % kBlockRows == 0) {
    bytes_.clear();
    block.bytes.copy_to(bytes_);
    next_byte_ = 0;
    row_ = first_before();
  }
  const uint8_t* const at = bytes_.data() + next_byte_;
  next_byte_ += static_cast<size_t>(get_row(at, bytes_.data() + bytes_.size(), row_) - at);
}

}  // namespace pathline::steps
