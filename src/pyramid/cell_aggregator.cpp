// SPDX-License-Identifier: BSD-3-Clause
#include "pyramid/cell_aggregator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "pyramid/cell_order.hpp"

namespace pathline::pyramid {
namespace {

/// Cells are handed on in groups of whole bins, of at least this many unless there are fewer.
constexpr size_t kGroupSize = 4096;
constexpr int kIndexBits = 16;
constexpr size_t kMaxGroupSize = size_t{1} << kIndexBits;
/// A number with more bits is not for a Part: the sum of a group would not fit 63 bits.
constexpr int kPartBits = 46;
constexpr int kMaxOffsetBits = 12;

void add_to(MessageCell& sum, const MessageCell& cell) {
  sum.count += cell.count;
  sum.weight += cell.weight;
  sum.send_ticks += cell.send_ticks;
  sum.latency_ticks += cell.latency_ticks;
}

/// Whether what is added for a cell, sent in a bin that begins `offset` later, fits a part.
bool is_small(const MessageCells::Rows& rows, size_t row, uint64_t offset) {
  const uint64_t any = rows.weight[row] | rows.send_ticks[row] | rows.latency_zigzag[row];
  return any >> (kPartBits - 1) == 0 &&
         std::bit_width(offset) + std::bit_width(rows.count[row]) < kPartBits;
}

/// Two sequences in order become one, equal cells one cell.
base::Column<MessageCell> merged(const base::Column<MessageCell>& a,
                                 const base::Column<MessageCell>& b) {
  base::Column<MessageCell> cells;
  cells.reserve(a.size() + b.size());
  const auto add = [&](const MessageCell& cell) {
    if (!cells.empty() && order_of(cells.back()) == order_of(cell)) {
      add_to(cells.back(), cell);
    } else {
      cells.push_back(cell);
    }
  };
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const bool from_a = j == b.size() || (i < a.size() && order_of(a[i]) <= order_of(b[j]));
    add(from_a ? a[i++] : b[j++]);
  }
  return cells;
}

/// Sorts by all bits above the index. As base::radix_sort, but counts all digits in one pass and
/// needs no memory of its own: groups are small and many.
void sort_keys(base::Column<uint64_t>& keys, base::Column<uint64_t>& other) {
  constexpr int kDigitBits = 11;
  constexpr size_t kBuckets = size_t{1} << kDigitBits;
  constexpr size_t kDigits = (64 - kIndexBits + kDigitBits - 1) / kDigitBits;
  const auto digit = [](uint64_t key, size_t d) {
    return (key >> (kIndexBits + d * kDigitBits)) & (kBuckets - 1);
  };
  std::array<std::array<uint32_t, kBuckets>, kDigits> start{};
  for (const uint64_t key : keys) {
    for (size_t d = 0; d < kDigits; ++d) ++start[d][digit(key, d)];
  }
  other.resize(keys.size());
  for (size_t d = 0; d < kDigits; ++d) {
    if (start[d][digit(keys[0], d)] == keys.size()) continue;
    uint32_t sum = 0;
    for (uint32_t& bucket : start[d]) sum += std::exchange(bucket, sum);
    for (const uint64_t key : keys) other[start[d][digit(key, d)]++] = key;
    std::swap(keys, other);
  }
}

}  // namespace

CellAggregator::CellAggregator(CellSize size, uint32_t row_count, MessageCells& cells)
    : size_(size), out_(cells) {
  const uint64_t last_block = uint64_t{row_count == 0 ? 0 : row_count - 1} >> size.row_shift;
  row_bits_ = static_cast<int>(std::bit_width(last_block));
  const int free_bits = 64 - kIndexBits - 2 * row_bits_;
  offset_bits_ = std::clamp(free_bits / 2, 0, kMaxOffsetBits);
  bin_bits_ = std::clamp(free_bits - offset_bits_, 0, kMaxOffsetBits);
}

void CellAggregator::open_bin(uint64_t send_bin) {
  if (send_bin != last_send_bin_) {
    const size_t waiting = keys_.size() + large_.size();
    if (waiting >= kGroupSize || !runs_.empty() || waiting == 0 ||
        (send_bin - first_send_bin_) >> bin_bits_ != 0) {
      flush();
      first_send_bin_ = send_bin;
    }
    last_send_bin_ = send_bin;
  }
  if (keys_.size() == kMaxGroupSize || large_.size() == kMaxGroupSize) fold();
}

bool CellAggregator::add_key(uint64_t send_bin, uint64_t recv_bin, uint64_t sender,
                             uint64_t receiver) {
  const uint64_t offset = zigzag(recv_bin - send_bin);
  if (offset >> offset_bits_ != 0 || 2 * row_bits_ + kIndexBits > 64) return false;
  uint64_t key = send_bin - first_send_bin_;
  key = key << offset_bits_ | offset;
  key = key << row_bits_ | sender;
  key = key << row_bits_ | receiver;
  keys_.push_back(key << kIndexBits | parts_.size());
  return true;
}

void CellAggregator::add(const MessageColumns& columns, size_t begin, size_t end) {
  while (begin < end) {
    open_bin(columns.send_ticks[begin] >> size_.bin_shift);
    const size_t room = kMaxGroupSize - std::max(keys_.size(), large_.size());
    begin = add_bin(columns, begin, std::min(end, begin + room));
  }
}

/// Adds those of the first one's bin and tells where the next bin begins.
size_t CellAggregator::add_bin(const MessageColumns& columns, size_t begin, size_t end) {
  const uint64_t bin = columns.send_ticks[begin] >> size_.bin_shift;
  const uint64_t first_tick = bin << size_.bin_shift;
  const uint64_t* weights = columns.weight.empty() ? nullptr : columns.weight.data();
  const int bin_shift = size_.bin_shift;
  const int row_shift = size_.row_shift;
  const bool has_keys = 2 * row_bits_ + kIndexBits <= 64;
  size_t used = keys_.size();
  const size_t size = used + end - begin;
  if (size > parts_.capacity()) {
    keys_.reserve(std::min(size + size / 2, kMaxGroupSize));
    parts_.reserve(std::min(size + size / 2, kMaxGroupSize));
  }
  keys_.resize(size);
  parts_.resize(size);
  uint64_t* keys = keys_.data();
  Part* parts = parts_.data();
  size_t i = begin;
  for (; i < end; ++i) {
    const uint64_t send_ticks = columns.send_ticks[i];
    if (send_ticks >> bin_shift != bin) break;
    const uint64_t recv_ticks = columns.recv_ticks[i];
    const uint32_t sender = columns.sender_row[i] >> row_shift;
    const uint32_t receiver = columns.receiver_row[i] >> row_shift;
    if (std::max(columns.sender_row[i], columns.receiver_row[i]) >= columns.row_count) continue;
    ++added_count_;
    const uint64_t weight = weights == nullptr ? 1 : weights[i];
    const uint64_t since = send_ticks - first_tick;
    const uint64_t distance =
        recv_ticks > send_ticks ? recv_ticks - send_ticks : send_ticks - recv_ticks;
    const uint64_t recv_bin = recv_ticks >> bin_shift;
    const uint64_t offset = zigzag(recv_bin - bin);
    const bool is_small = ((weight | since | distance) >> kPartBits | offset >> offset_bits_) == 0;
    if (is_small && has_keys) {
      uint64_t key = (bin - first_send_bin_) << offset_bits_ | offset;
      key = (key << row_bits_ | sender) << row_bits_ | receiver;
      keys[used] = key << kIndexBits | used;
      parts[used++] = {1, weight, since, recv_ticks - send_ticks};
    } else {
      large_.push_back({bin, recv_bin, sender, receiver, 1, weight, since,
                        Int128{recv_ticks} - Int128{send_ticks}});
    }
  }
  keys_.resize(used);
  parts_.resize(used);
  return i;
}

void CellAggregator::add(const MessageCells& cells, CellSize size, uint64_t first_send_bin,
                         uint64_t last_send_bin) {
  MessageCells::Rows rows;
  const int bin_shift = size_.bin_shift - size.bin_shift;
  const int row_shift = size_.row_shift - size.row_shift;
  const auto blocks = cells.blocks();
  for (size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].first_send_bin >> bin_shift > last_send_bin) break;
    if (b + 1 < blocks.size() && blocks[b + 1].first_send_bin >> bin_shift < first_send_bin) {
      continue;
    }
    cells.unpack(blocks[b], rows);
    for (size_t i = 0; i < rows.size; ++i) {
      const uint64_t bin = rows.send_bin[i] >> bin_shift;
      if (bin < first_send_bin || bin > last_send_bin) continue;
      open_bin(bin);
      ++added_count_;
      const uint64_t recv_bin = rows.recv_bin[i] >> bin_shift;
      const uint64_t sender = rows.sender[i] >> row_shift;
      const uint64_t receiver = rows.receiver[i] >> row_shift;
      const uint64_t offset = (rows.send_bin[i] - (bin << bin_shift)) << size.bin_shift;
      if (rows.is_narrow && is_small(rows, i, offset) && add_key(bin, recv_bin, sender, receiver)) {
        parts_.push_back({rows.count[i], rows.weight[i],
                          rows.send_ticks[i] + offset * rows.count[i],
                          unzigzag(rows.latency_zigzag[i])});
        continue;
      }
      MessageCell cell = rows.cell(i);
      cell.send_ticks += Uint128{offset} * cell.count;
      cell.send_bin = bin;
      cell.recv_bin = recv_bin;
      cell.sender = static_cast<uint32_t>(sender);
      cell.receiver = static_cast<uint32_t>(receiver);
      large_.push_back(cell);
    }
  }
}

CellAggregator::Cells CellAggregator::sum_parts() {
  sort_keys(keys_, other_keys_);
  base::Column<Part> sums(keys_.size());
  size_t size = 0;
  uint64_t previous = UINT64_MAX;
  // Without a branch, because whether a key is new can not be predicted. Keys are left in place
  // for each sum.
  for (const uint64_t row : keys_) {
    const uint64_t key = row >> kIndexBits;
    const uint64_t same = key == previous ? UINT64_MAX : 0;
    size += 1 + same;
    const Part& part = parts_[row & (kMaxGroupSize - 1)];
    Part& sum = sums[size - 1];
    sum.count = (sum.count & same) + part.count;
    sum.weight = (sum.weight & same) + part.weight;
    sum.send_ticks = (sum.send_ticks & same) + part.send_ticks;
    sum.latency_ticks = (sum.latency_ticks & same) + part.latency_ticks;
    keys_[size - 1] = key;
    previous = key;
  }
  const auto take = [](uint64_t& key, int bits) {
    const uint64_t value = key & ((uint64_t{1} << bits) - 1);
    key >>= bits;
    return value;
  };
  Cells cells(size);
  for (size_t i = 0; i < size; ++i) {
    uint64_t key = keys_[i];
    const uint64_t receiver = take(key, row_bits_);
    const uint64_t sender = take(key, row_bits_);
    const uint64_t offset = take(key, offset_bits_);
    const uint64_t bin = first_send_bin_ + key;
    cells[i] = {bin,
                bin + unzigzag(offset),
                static_cast<uint32_t>(sender),
                static_cast<uint32_t>(receiver),
                sums[i].count,
                sums[i].weight,
                sums[i].send_ticks,
                static_cast<int64_t>(sums[i].latency_ticks)};
  }
  return cells;
}

void CellAggregator::fold() {
  const auto push = [&](Cells cells) {
    runs_.push_back(std::move(cells));
    while (runs_.size() > 1 && runs_.back().size() * 2 > runs_[runs_.size() - 2].size()) {
      Cells both = merged(runs_[runs_.size() - 2], runs_.back());
      runs_.pop_back();
      runs_.back() = std::move(both);
    }
  };
  if (!keys_.empty()) push(sum_parts());
  if (!large_.empty()) {
    std::sort(large_.begin(), large_.end(),
              [](const MessageCell& a, const MessageCell& b) { return order_of(a) < order_of(b); });
    push(merged(large_, {}));
  }
  keys_.resize(0);
  parts_.resize(0);
  large_.resize(0);
}

void CellAggregator::flush() {
  fold();
  while (runs_.size() > 1) {
    Cells both = merged(runs_[runs_.size() - 2], runs_.back());
    runs_.pop_back();
    runs_.back() = std::move(both);
  }
  if (!runs_.empty()) out_.append(runs_[0].span());
  runs_.clear();
}

void CellAggregator::finish() {
  flush();
  out_.finish();
}

}  // namespace pathline::pyramid
