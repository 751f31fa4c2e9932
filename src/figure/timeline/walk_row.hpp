// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "figure/timeline/states.hpp"
#include "trace/calls.hpp"
#include "trace/trace.hpp"

namespace pathline::figure {

/// Calls `charge(region, from, until)` for the time that each call is the innermost one, clipped to
/// the range, in the order of time.
template <class Charge>
void walk_innermost(const trace::Trace& trace, const trace::Events& events, TimeRange range,
                    Charge charge) {
  std::vector<trace::Region> open;
  uint64_t since = 0;
  const auto step = [&](uint64_t ticks) {
    if (!open.empty() && ticks > range.from && since < range.until) {
      const uint64_t from = std::max(since, range.from);
      const uint64_t until = std::min(ticks, range.until);
      if (from < until) charge(open.back(), from, until);
    }
    since = ticks;
  };
  trace::walk_calls(
      trace.definitions, events,
      [&](trace::Region region, uint64_t ticks) {
        step(ticks);
        open.push_back(region);
      },
      [&](uint64_t ticks) {
        step(ticks);
        open.pop_back();
      });
}

/// The same of a row, from where its calls are known.
template <class Charge>
void walk_row(const trace::Trace& trace, const Rows& rows, uint32_t location, TimeRange range,
              Charge charge) {
  if (rows.calls == nullptr || !rows.calls->has_stretches()) {
    return walk_innermost(trace, trace.locations[location].events, range, charge);
  }
  std::vector<trace::CallStretch> stretches;
  rows.calls->stretches(location, range.from, range.until, stretches);
  for (const trace::CallStretch& stretch : stretches) {
    if (stretch.region.valid()) charge(stretch.region, stretch.from, stretch.until);
  }
}

}  // namespace pathline::figure
