// SPDX-License-Identifier: BSD-3-Clause
#include "comm/message_cells.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

namespace pathline::comm {
namespace {

static_assert(std::endian::native == std::endian::little, "unpack_field() loads words");

/// The order of the numbers in a block and of their widths.
enum Field : uint8_t {
  kSendBin,
  kRecvBin,
  kSender,
  kReceiver,
  kCount,
  kWeight,
  kSendTicks,
  kLatency,
  kWeightHigh,
  kSendTicksHigh,
  kLatencyHigh,
};

uint64_t low(Uint128 value) { return static_cast<uint64_t>(value); }
uint64_t high(Uint128 value) { return static_cast<uint64_t>(value >> 64); }

/// Small numbers of either sign become small numbers: 0, -1, 1, -2 are 0, 1, 2, 3.
uint64_t zigzag(uint64_t value) { return (value << 1) ^ (0 - (value >> 63)); }
uint64_t unzigzag(uint64_t value) { return (value >> 1) ^ (0 - (value & 1)); }
Uint128 zigzag(Int128 value) {
  return (static_cast<Uint128>(value) << 1) ^ static_cast<Uint128>(value >> 127);
}
Int128 unzigzag(Uint128 value) { return static_cast<Int128>((value >> 1) ^ (0 - (value & 1))); }

auto order_of(const MessageCell& cell) {
  return std::tuple(cell.send_bin, zigzag(cell.recv_bin - cell.send_bin), cell.sender,
                    cell.receiver);
}

void unpack_field(const uint64_t* words, uint8_t width, size_t size, uint64_t* values) {
  if (width == 0) {
    std::fill_n(values, size, 0);
  } else if (width <= 57) {
    // Each number lies within the 8 bytes that begin at its first byte.
    const auto* bytes = reinterpret_cast<const char*>(words);
    const uint64_t mask = (uint64_t{1} << width) - 1;
    for (size_t i = 0, bit = 0; i < size; ++i, bit += width) {
      uint64_t word = 0;
      std::memcpy(&word, bytes + bit / 8, sizeof word);
      values[i] = (word >> (bit % 8)) & mask;
    }
  } else {
    for (size_t i = 0, bit = 0; i < size; ++i, bit += width) {
      const uint64_t* word = words + bit / 64;
      uint64_t value = word[0] >> (bit % 64);
      if (bit % 64 + width > 64) value |= word[1] << (64 - bit % 64);
      values[i] = width == 64 ? value : value & ((uint64_t{1} << width) - 1);
    }
  }
}

size_t words_of(size_t size, uint8_t width) { return (size * width + 63) / 64; }

}  // namespace

MessageCell MessageCells::Rows::cell(size_t row) const {
  const auto wide = [&](const auto& low_words, const auto& high_words) {
    return is_narrow ? Uint128{low_words[row]} : Uint128{high_words[row]} << 64 | low_words[row];
  };
  return {.send_bin = send_bin[row],
          .recv_bin = recv_bin[row],
          .sender = static_cast<uint32_t>(sender[row]),
          .receiver = static_cast<uint32_t>(receiver[row]),
          .count = count[row],
          .weight = wide(weight, weight_high),
          .send_ticks = wide(send_ticks, send_ticks_high),
          .latency_ticks = unzigzag(wide(latency_zigzag, latency_zigzag_high))};
}

void MessageCells::Rows::keep(size_t from, size_t to) {
  const auto move = [&](auto&... columns) { ((columns[to] = columns[from]), ...); };
  move(send_bin, recv_bin, sender, receiver, count, weight, send_ticks, latency_zigzag);
  if (!is_narrow) move(weight_high, send_ticks_high, latency_zigzag_high);
}

void MessageCells::append(std::span<const MessageCell> cells) {
  size_ += cells.size();
  if (!pending_.empty()) {
    const auto missing = std::min(kBlockSize - pending_.size(), cells.size());
    for (const MessageCell& cell : cells.first(missing)) pending_.push_back(cell);
    cells = cells.subspan(missing);
    if (pending_.size() < kBlockSize) return;
    pack(pending_.span());
    pending_.resize(0);
  }
  for (; cells.size() >= kBlockSize; cells = cells.subspan(kBlockSize)) {
    pack(cells.first(kBlockSize));
  }
  for (const MessageCell& cell : cells) pending_.push_back(cell);
}

void MessageCells::finish() {
  if (!pending_.empty()) pack(pending_.span());
  pending_ = {};
  words_.push_back(0);  // unpack_field() may load, but not use, the word after the last.
  words_.shrink_to_fit();
  blocks_.shrink_to_fit();
}

void MessageCells::pack(std::span<const MessageCell> cells) {
  std::array<std::array<uint64_t, kBlockSize>, kFieldCount> values;
  uint64_t any_high = 0;
  Block block{.first_send_bin = cells[0].send_bin,
              .first_bin = UINT64_MAX,
              .last_bin = 0,
              .word = words_.size(),
              .first_sender = UINT32_MAX,
              .size = static_cast<uint16_t>(cells.size()),
              .width = {}};
  for (const MessageCell& cell : cells) {
    block.first_bin = std::min({block.first_bin, cell.send_bin, cell.recv_bin});
    block.last_bin = std::max({block.last_bin, cell.send_bin, cell.recv_bin});
    block.first_sender = std::min(block.first_sender, cell.sender);
    any_high |= high(cell.weight) | high(cell.send_ticks) | high(zigzag(cell.latency_ticks));
  }
  const size_t field_count = any_high == 0 ? size_t{kWeightHigh} : kFieldCount;
  for (size_t i = 0; i < cells.size(); ++i) {
    const MessageCell& cell = cells[i];
    const Uint128 latency = zigzag(cell.latency_ticks);
    values[kSendBin][i] = cell.send_bin - block.first_send_bin;
    values[kRecvBin][i] = zigzag(cell.recv_bin - cell.send_bin);
    values[kSender][i] = cell.sender - block.first_sender;
    values[kReceiver][i] = zigzag(uint64_t{cell.receiver} - uint64_t{cell.sender});
    values[kCount][i] = cell.count - 1;
    values[kWeight][i] = low(cell.weight);
    values[kSendTicks][i] = low(cell.send_ticks);
    values[kLatency][i] = low(latency);
    if (any_high == 0) continue;
    values[kWeightHigh][i] = high(cell.weight);
    values[kSendTicksHigh][i] = high(cell.send_ticks);
    values[kLatencyHigh][i] = high(latency);
  }
  for (size_t field = 0; field < field_count; ++field) {
    const std::span<const uint64_t> column(values[field].data(), cells.size());
    uint64_t any = 0;
    for (const uint64_t value : column) any |= value;
    block.width[field] = static_cast<uint8_t>(std::bit_width(any));
    pack_field(column, block.width[field]);
  }
  blocks_.push_back(block);
}

void MessageCells::pack_field(std::span<const uint64_t> values, uint8_t width) {
  if (width == 0) return;
  uint64_t word = 0;
  unsigned used = 0;
  for (const uint64_t value : values) {
    word |= value << used;
    used += width;
    if (used < 64) continue;
    words_.push_back(word);
    used -= 64;
    word = used == 0 ? 0 : value >> (width - used);
  }
  if (used > 0) words_.push_back(word);
}

void MessageCells::unpack(const Block& block, Rows& rows) const {
  rows.size = block.size;
  const uint64_t* words = words_.data() + block.word;
  const auto next = [&](Field field, std::array<uint64_t, kBlockSize>& values) {
    unpack_field(words, block.width[field], block.size, values.data());
    words += words_of(block.size, block.width[field]);
  };
  next(kSendBin, rows.send_bin);
  next(kRecvBin, rows.recv_bin);
  next(kSender, rows.sender);
  next(kReceiver, rows.receiver);
  next(kCount, rows.count);
  next(kWeight, rows.weight);
  next(kSendTicks, rows.send_ticks);
  next(kLatency, rows.latency_zigzag);
  rows.is_narrow = block.width[kWeightHigh] + block.width[kSendTicksHigh] == 0 &&
                   block.width[kLatencyHigh] == 0 && block.width[kSendTicks] < 62 &&
                   block.width[kLatency] < 62;
  if (!rows.is_narrow) {
    next(kWeightHigh, rows.weight_high);
    next(kSendTicksHigh, rows.send_ticks_high);
    next(kLatencyHigh, rows.latency_zigzag_high);
  }
  for (size_t i = 0; i < block.size; ++i) {
    rows.send_bin[i] += block.first_send_bin;
    rows.recv_bin[i] = rows.send_bin[i] + unzigzag(rows.recv_bin[i]);
    rows.sender[i] += block.first_sender;
    rows.receiver[i] = rows.sender[i] + unzigzag(rows.receiver[i]);
    ++rows.count[i];
  }
}

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
  keys_.reserve(kMaxGroupSize);
  parts_.reserve(kMaxGroupSize);
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
  keys_.resize(used + end - begin);
  parts_.resize(used + end - begin);
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

}  // namespace pathline::comm
