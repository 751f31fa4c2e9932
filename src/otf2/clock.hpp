// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

#include "trace/trace.hpp"

namespace pathline::otf2 {

/// The linear correction between two measured offsets, and beyond them.
class Correction {
 public:
  Correction() = default;
  Correction(const trace::ClockOffset& a, const trace::ClockOffset& b);

  [[nodiscard]] uint64_t apply(uint64_t local_ticks) const {
    const auto distance = static_cast<double>(static_cast<int64_t>(local_ticks - first_));
    return local_ticks + static_cast<uint64_t>(offset_) +
           static_cast<uint64_t>(static_cast<int64_t>(std::rint(slope_ * distance)));
  }

 private:
  uint64_t first_ = 0;
  int64_t offset_ = 0;
  double slope_ = 0;
};

/// Global time of a local one, exactly as OTF2 3.x computes it: linear between two measured
/// offsets and beyond the outer ones, the slope in double precision, rounded half to even. Fewer
/// than two offsets correct nothing.
uint64_t corrected_ticks(uint64_t local_ticks, std::span<const trace::ClockOffset> offsets);

/// A local time whose global time is `global_ticks`, the inverse of corrected_ticks. nullopt if
/// there is none, which for a time that came out of corrected_ticks does not happen.
std::optional<uint64_t> local_ticks(uint64_t global_ticks,
                                    std::span<const trace::ClockOffset> offsets);

}  // namespace pathline::otf2
