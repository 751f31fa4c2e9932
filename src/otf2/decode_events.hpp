// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "otf2/read_definitions.hpp"
#include "otf2/read_events.hpp"

namespace pathline::otf2 {

/// Our own decoder of an `.evt` file, for the reading of large traces: what the library does with a
/// call for each number takes longer than everything else together. Trusts nothing in the file and
/// allocates nothing but events.
///
/// file           all bytes of the file.
/// clock_offsets, mappings  of the location, as its local definitions give them.
/// expected_events, builder  as for read_location_events.
/// cost           about 10 ns an event.
LocationEvents decode_location_events(std::span<const uint8_t> file, uint64_t chunk_bytes,
                                      const trace::Definitions& definitions,
                                      std::span<const trace::ClockOffset> clock_offsets,
                                      const IdMappings* mappings, size_t expected_events,
                                      trace::EventsBuilder& builder);

/// The same decoder for a file whose events are wanted a part of the time at a time: goes on where
/// it stopped.
class EventStream {
 public:
  /// definitions, clock_offsets, mappings  as above; must outlive this.
  EventStream(uint64_t chunk_bytes, const trace::Definitions& definitions,
              std::span<const trace::ClockOffset> clock_offsets, const IdMappings* mappings);
  EventStream(EventStream&&) noexcept;
  EventStream& operator=(EventStream&&) noexcept;
  ~EventStream();

  /// Adds the events before `until_ticks` that were not decoded yet; all with UINT64_MAX.
  ///
  /// file  all bytes of the file, the same ones each time.
  void decode_until(std::span<const uint8_t> file, uint64_t until_ticks,
                    trace::EventsBuilder& builder);
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
