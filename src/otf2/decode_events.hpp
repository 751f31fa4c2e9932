// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "base/progress.hpp"
#include "base/thread_pool.hpp"
#include "otf2/event_pieces.hpp"
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

/// The same of a large file, several pieces at a time, each as if nothing stood in front of it.
/// They are joined in order; what turns out to depend on what stands in front, has a fault or more
/// events than its header says is decoded again there. So the events and the fault are those of
/// decoding in one go.
///
/// pieces    as cut_events() gives them, not empty.
/// progress  gets the bytes of each piece.
LocationEvents decode_location_events(std::span<const uint8_t> file, uint64_t chunk_bytes,
                                      const trace::Definitions& definitions,
                                      std::span<const trace::ClockOffset> clock_offsets,
                                      const IdMappings* mappings,
                                      std::span<const EventPiece> pieces, base::ThreadPool& pool,
                                      base::Progress& progress);

}  // namespace pathline::otf2
