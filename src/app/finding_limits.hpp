// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "app/findings.hpp"
#include "app/judged_part.hpp"

namespace pathline::app {

/// Ranks and processing units of a host.
struct Places {
  size_t ranks = 0;
  size_t units = 0;
  [[nodiscard]] bool oversubscribed() const { return units > 0 && ranks > units; }
};

/// By the placement.csv of a run, of its fullest host; nothing without one.
Places places_of(const std::string& input);

/// Adds to a report what its verdict does not rest on and what makes it doubtful: as warnings, and
/// as findings of kinds that gain nothing (`is_note`), of low confidence, behind all others.
void note_limits(const trace::Trace& trace, const JudgedPart& judged, const Places& places,
                 FindingsReport& report);

}  // namespace pathline::app
