// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>

#include "trace/event_kind.hpp"

// How long records are in an OTF2 archive: for who counts them event by event.
namespace pathline::trace {

/// A time is a record of its own, where it has changed.
inline constexpr uint64_t kTimeRecordBytes = 9;

/// Of a number with its length in front. The largest one stands for "undefined".
inline uint64_t compressed_bytes(uint64_t value, bool wide) {
  const uint64_t bytes = 1 + (static_cast<unsigned>(std::bit_width(value)) + 7) / 8;
  return value == (wide ? UINT64_MAX : UINT32_MAX) ? 1 : bytes;
}

/// Bytes of an event of a kind that is_of_message(), without its time and its attributes.
///
/// words  of its fields.
inline uint64_t message_bytes(EventKind kind, const uint32_t* words) {
  const auto wide = [words](size_t at) {
    return compressed_bytes(words[at] | uint64_t{words[at + 1]} << 32U, true);
  };
  if (kind == EventKind::kMpiIsendComplete || kind == EventKind::kMpiIrecvRequest) {
    return 1 + wide(0);  // As old as the format, and one number: there is no length.
  }
  constexpr uint64_t kTypeAndLength = 2;
  const bool has_request = kind == EventKind::kMpiIsend || kind == EventKind::kMpiIrecv;
  return kTypeAndLength + compressed_bytes(words[0], false) + compressed_bytes(words[1], false) +
         compressed_bytes(words[2], false) + wide(3) + (has_request ? wide(5) : 0);
}

}  // namespace pathline::trace
