// SPDX-License-Identifier: BSD-3-Clause
#include "summary/part_of_file.hpp"

#include <algorithm>

namespace pathline::summary {

void PartOfFile::decode_until(uint64_t ticks, trace::EventsBuilder& builder) {
  constexpr uint64_t kMostBytes = 256 << 10;
  constexpr uint64_t kLeastBytes = 4096;  // Of a piece, unless the part has less.
  constexpr uint64_t kLastBytes = 128;    // Behind the part.
  const uint64_t at = stream_.position();
  if (at + kLeastBytes >= read_until_) {
    const uint64_t rest = std::max(end_, at) - at;
    read_until_ = at + std::min(rest + kLastBytes, kMostBytes);
  }
  stream_.decode_until(
      [this](uint64_t offset, size_t count) { return reader_.read(offset, count); }, bytes_,
      read_until_ - at, ticks, builder);
}

}  // namespace pathline::summary
