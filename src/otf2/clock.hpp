// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "trace/trace.hpp"

namespace pathline::otf2 {

/// Global time of a local one, exactly as OTF2 3.x computes it: linear between two measured
/// offsets and beyond the outer ones, the slope in double precision, rounded half to even. Fewer
/// than two offsets correct nothing.
uint64_t corrected_ticks(uint64_t local_ticks, std::span<const trace::ClockOffset> offsets);

/// A local time whose global time is `global_ticks`, the inverse of corrected_ticks. nullopt if
/// there is none, which for a time that came out of corrected_ticks does not happen.
std::optional<uint64_t> local_ticks(uint64_t global_ticks,
                                    std::span<const trace::ClockOffset> offsets);

}  // namespace pathline::otf2
