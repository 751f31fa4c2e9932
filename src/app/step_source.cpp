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

comm::StepWindows windows_of(const steps::Table& table, uint32_t rank_count) {
  comm::StepWindows windows(rank_count);
  for (const steps::Row& row : table.rows) {
    windows[row.rank].push_back({row.step, row.begin_ticks, row.end_ticks, row.recorded});
  }
  for (auto& of_rank : windows) {
    std::sort(of_rank.begin(), of_rank.end(),
              [](const trace::StepWindow& a, const trace::StepWindow& b) {
                return a.begin_ticks < b.begin_ticks;
              });
  }
  return windows;
}

}  // namespace pathline::app
