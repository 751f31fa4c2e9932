// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

#include "otf2/event_stream.hpp"
#include "summary/piece_reader.hpp"
#include "trace/events.hpp"

namespace pathline::summary {

/// Decodes the file of a location, of which it reads little more than is needed, in pieces of up
/// to 256 KiB: to map all of it, and to unmap it again, takes longer.
class PartOfFile {
 public:
  /// stream  where the part begins.
  /// reader  has opened the file; it must outlive this.
  /// bytes   of the file.
  /// end     where the part ends in it, about.
  PartOfFile(otf2::EventStream stream, PieceReader& reader, uint64_t bytes, uint64_t end)
      : stream_(std::move(stream)), reader_(reader), bytes_(bytes), end_(end) {}

  /// EventStream::decode_until().
  void decode_until(uint64_t ticks, trace::EventsBuilder& builder);
  [[nodiscard]] const otf2::EventStream& stream() const { return stream_; }

 private:
  otf2::EventStream stream_;
  PieceReader& reader_;
  uint64_t bytes_;
  uint64_t end_;
  uint64_t read_until_ = 0;  // In the file, to be asked for at once.
};

}  // namespace pathline::summary
