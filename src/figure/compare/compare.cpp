// SPDX-License-Identifier: BSD-3-Clause
#include "figure/compare/compare.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "figure/change.hpp"

namespace pathline::figure {

double ComparedRun::seconds() const {
  const uint64_t from = std::max(selection.from_ticks, trace.start_ticks);
  const uint64_t until = std::min(selection.until_ticks, trace.end_ticks);
  return until > from ? trace.span_seconds(until - from) : 0;
}

std::string comparison_title(const ComparedRun& before, const ComparedRun& after,
                             const std::string& what) {
  return fmt::format("{} \u2192 {}: {}", before.name, after.name, what);
}

std::string comparison_time(const ComparedRun& before, const ComparedRun& after) {
  return "time " + time_change_text(before.seconds(), after.seconds());
}

}  // namespace pathline::figure
