// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pathline::otf2 {

/// Consecutive chunks of an `.evt` file and the events they say they hold.
struct EventPiece {
  uint64_t begin;  ///< Bytes of the file.
  uint64_t end;
  uint64_t first_event;  ///< Index of its first event in the location.
  uint64_t event_count;
};

/// Cuts a file into pieces of `piece_bytes`, but at least a chunk each, that several threads may
/// decode, by the numbers of the first and the last event in the headers of chunks. The same for
/// any number of threads. The numbers may be wrong, but no piece has more events than its bytes can
/// hold, and events of pieces do not overlap.
///
/// returns  empty for a file to be read in one go: it is not larger than a piece, or the numbers
///          contradict each other.
/// cost     reads one header a piece.
std::vector<EventPiece> cut_events(std::span<const uint8_t> file, uint64_t chunk_bytes,
                                   uint64_t piece_bytes);

}  // namespace pathline::otf2
