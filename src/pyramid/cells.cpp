// SPDX-License-Identifier: BSD-3-Clause
#include "pyramid/cells.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "pyramid/cell_order.hpp"

namespace pathline::pyramid {
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

}  // namespace pathline::pyramid
