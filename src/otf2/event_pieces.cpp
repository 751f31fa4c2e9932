// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/event_pieces.hpp"

#include <algorithm>
#include <optional>

#include "otf2/bytes.hpp"

namespace pathline::otf2 {
namespace {

/// Numbers of the first and last event of a chunk as its header gives them, counted from 1.
struct EventNumbers {
  uint64_t first;
  uint64_t last;
};

std::optional<EventNumbers> event_numbers(std::span<const uint8_t> file, uint64_t chunk) {
  ByteCursor in(file, chunk);
  const bool is_header = in.u8() == kBlockHeader;
  const uint8_t order = in.u8();
  in.set_big_endian(order == kBigEndian);
  const EventNumbers numbers{in.u64(), in.u64()};
  if (!is_header || (order != kLittleEndian && order != kBigEndian) || in.failed() ||
      numbers.first == 0) {
    return {};
  }
  return numbers;
}

/// Gives a piece the events in front of number `next`, counted from 0; false if they cannot be.
bool close(EventPiece& piece, uint64_t next) {
  if (next < piece.first_event || next > UINT32_MAX ||
      next - piece.first_event > (piece.end - piece.begin) / kMinEventBytes) {
    return false;
  }
  piece.event_count = next - piece.first_event;
  return true;
}

}  // namespace

std::vector<EventPiece> cut_events(std::span<const uint8_t> file, uint64_t chunk_bytes,
                                   uint64_t piece_bytes) {
  const uint64_t step = std::max<uint64_t>(1, piece_bytes / chunk_bytes) * chunk_bytes;
  if (file.size() <= step) return {};
  std::vector<EventPiece> pieces;
  for (uint64_t begin = 0; begin < file.size(); begin += step) {
    const auto numbers = event_numbers(file, begin);
    if (!numbers) return {};
    const uint64_t first = numbers->first - 1;
    if (pieces.empty() ? first != 0 : !close(pieces.back(), first)) return {};
    pieces.push_back({begin, std::min<uint64_t>(file.size(), begin + step), first, 0});
  }
  const auto numbers = event_numbers(file, (file.size() - 1) / chunk_bytes * chunk_bytes);
  if (!numbers || !close(pieces.back(), numbers->last)) return {};
  return pieces;
}

}  // namespace pathline::otf2
