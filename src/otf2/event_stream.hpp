// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "otf2/read_definitions.hpp"
#include "trace/trace.hpp"

namespace pathline::otf2 {

/// The decoder of decode_location_events() for a file whose events are wanted a part of the time at
/// a time: it goes on where it stopped.
class EventStream {
 public:
  /// definitions, clock_offsets, mappings  as there; must outlive this.
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
