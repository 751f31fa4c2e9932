// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "otf2/read_events.hpp"

namespace pathline::otf2 {

/// Our own decoder of an `.evt` file, for the reading of large traces: what the library does with a
/// call for each number takes longer than everything else together. It does not know the id
/// mappings of local definitions; locations that have some are read by the library
/// (read_location_events). Trusts nothing in the file and allocates nothing but events.
///
/// file           all bytes of the file.
/// clock_offsets  of the location, as its local definitions give them.
/// expected_events, builder  as for read_location_events.
/// cost           about 10 ns an event.
LocationEvents decode_location_events(std::span<const uint8_t> file, uint64_t chunk_bytes,
                                      const trace::Definitions& definitions,
                                      std::span<const trace::ClockOffset> clock_offsets,
                                      size_t expected_events, trace::EventsBuilder& builder);

}  // namespace pathline::otf2
