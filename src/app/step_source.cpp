// SPDX-License-Identifier: BSD-3-Clause
#include "app/step_source.hpp"

#include <algorithm>

#include "comm/step_marker.hpp"

namespace pathline::app {

bool Steps::any() const {
  return std::any_of(windows.begin(), windows.end(),
                     [](const auto& list) { return !list.empty(); });
}

base::Result<Steps> find_steps(const trace::Trace& trace, const StepSource& source,
                               base::ThreadPool& pool) {
  Steps steps;
  if (!source.by_marker.empty()) {
    const auto marker = comm::parse_step_marker(source.by_marker);
    if (!marker) return marker.error();
    steps.windows = comm::marked_by_calls(trace, marker.value());
    return steps;
  }
  steps.windows = trace::marked_steps(trace);
  steps.marked = steps.any();
  if (!source.detect || (steps.marked && !source.ignore_marks)) return steps;
  steps.detection = comm::detect_steps(trace, pool);
  steps.windows = steps.detection->windows;
  return steps;
}

}  // namespace pathline::app
