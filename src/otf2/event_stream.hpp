// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "otf2/read_definitions.hpp"
#include "trace/trace.hpp"

namespace pathline::otf2 {

/// Places in a file of events where decoding can begin, about every kEvery events: the first event
/// that stands behind so many and has a time of its own. There is none inside of more than
/// kMostOpen calls.
struct SeekPoints {
  static constexpr uint64_t kEvery = 2048;
  static constexpr size_t kMostOpen = 1000;

  std::vector<uint64_t> offset;     ///< In the file, of the record of that time.
  std::vector<uint64_t> event;      ///< How many events stand before it.
  std::vector<uint64_t> ticks;      ///< Its corrected time.
  std::vector<uint64_t> open_end;   ///< Where its calls end in `open`.
  std::vector<trace::Region> open;  ///< The calls that are open there, outermost first.

  [[nodiscard]] size_t size() const { return offset.size(); }
  [[nodiscard]] std::span<const trace::Region> open_at(size_t point) const {
    const size_t begin = point == 0 ? 0 : open_end[point - 1];
    return std::span(open).subspan(begin, open_end[point] - begin);
  }
};

/// `count` bytes of a file from `offset` on, valid until the next call; fewer where it ends.
using ReadBytes = std::function<std::span<const uint8_t>(uint64_t offset, size_t count)>;

/// The decoder of decode_location_events() for a file whose events are wanted a part of the time at
/// a time: it goes on where it stopped.
class EventStream {
 public:
  /// definitions, clock_offsets, mappings  as there; must outlive this.
  EventStream(uint64_t chunk_bytes, const trace::Definitions& definitions,
              std::span<const trace::ClockOffset> clock_offsets, const IdMappings* mappings);
  EventStream(EventStream&&) noexcept;
  EventStream& operator=(EventStream&&) noexcept;
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;
  ~EventStream();

  /// Adds the events before `until_ticks` that were not decoded yet; all with UINT64_MAX.
  ///
  /// file  all bytes of the file, the same ones each time.
  void decode_until(std::span<const uint8_t> file, uint64_t until_ticks,
                    trace::EventsBuilder& builder);
  /// The same for a file that is read piece by piece, as far as it is needed.
  ///
  /// file_bytes  how many it has.
  /// expected    so many bytes will be needed, about; what they lack is read in smaller pieces.
  void decode_until(const ReadBytes& read, uint64_t file_bytes, uint64_t expected,
                    uint64_t until_ticks, trace::EventsBuilder& builder);
  /// Goes on at a place of SeekPoints, before which `event` events stand. The builder of
  /// decode_until() has to know the calls that are open there. Notes no places from then on.
  void begin_at(uint64_t offset, uint64_t event);
  /// Places that were passed so far; they do not depend on where decode_until() stopped.
  [[nodiscard]] const SeekPoints& seek_points() const;
  /// No event that follows is before it.
  [[nodiscard]] uint64_t next_ticks() const;
  [[nodiscard]] uint64_t position() const;  ///< In the file, about.
  [[nodiscard]] bool ended() const;         ///< Nothing will follow.
  [[nodiscard]] uint64_t unknown() const;   ///< Events of unknown kinds so far.
  /// Why it ended early.
  [[nodiscard]] const std::optional<std::string>& fault() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pathline::otf2
