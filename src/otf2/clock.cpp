// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/clock.hpp"

namespace pathline::otf2 {
namespace {

using Offsets = std::span<const trace::ClockOffset>;

}  // namespace

Correction::Correction(const trace::ClockOffset& a, const trace::ClockOffset& b)
    : first_(a.local_ticks), offset_(a.offset_ticks) {
  // Two offsets of the same time say nothing about a slope.
  if (a.local_ticks == b.local_ticks) return;
  const auto drift = static_cast<int64_t>(static_cast<uint64_t>(b.offset_ticks) -
                                          static_cast<uint64_t>(a.offset_ticks));
  slope_ = static_cast<double>(drift) / static_cast<double>(b.local_ticks - a.local_ticks);
}

uint64_t corrected_ticks(uint64_t local, Offsets offsets) {
  if (offsets.size() < 2) return local;
  size_t i = 1;
  while (i + 1 < offsets.size() && local > offsets[i].local_ticks) ++i;
  return Correction(offsets[i - 1], offsets[i]).apply(local);
}

std::optional<uint64_t> local_ticks(uint64_t global, Offsets offsets) {
  if (offsets.size() < 2) return global;
  // Offsets drift slowly: a few rounds of "subtract the correction" arrive next to the answer.
  uint64_t local = global;
  for (int round = 0; round < 8; ++round) local -= corrected_ticks(local, offsets) - global;
  for (const int64_t step : {0, -1, 1, -2, 2}) {
    const uint64_t candidate = local + static_cast<uint64_t>(step);
    if (corrected_ticks(candidate, offsets) == global) {
      // Several local times may share a global one: take the earliest, so that order is kept.
      uint64_t first = candidate;
      for (int i = 0; i < 4 && corrected_ticks(first - 1, offsets) == global; ++i) --first;
      return first;
    }
  }
  return std::nullopt;
}

}  // namespace pathline::otf2
