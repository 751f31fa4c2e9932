// SPDX-License-Identifier: BSD-3-Clause
#include "app/findings_glance.hpp"

#include <exception>

#include <nlohmann/json.hpp>

#include "app/findings.hpp"
#include "app/run_json.hpp"
#include "input/input.hpp"

namespace pathline::app {

Glance glance(const trace::Trace& trace, const std::string& input, base::ThreadPool& pool) {
  if (trace.event_count() > kMostGlancedEvents) return {};
  base::Progress progress;
  const auto report = find_findings(trace, input, {}, pool, progress);
  if (!report) return {.can_judge = false};
  return {.line = findings_line(report.value())};
}

Glance glance(const std::filesystem::path& run) {
  const auto json = run_json(run);
  const auto events = json.find("events");
  const bool is_small = events != json.end() && events->is_number_unsigned() &&
                        events->get<uint64_t>() <= kMostGlancedEvents;
  if (!is_small) return {};
  // A recording is done: what goes wrong now, as too little memory for threads, is not its fault.
  try {
    base::ThreadPool pool;
    base::Progress progress;
    const auto trace = input::need_trace(input::open(run, {}, pool, progress), run);
    if (trace) return glance(trace.value(), run.string(), pool);
  } catch (const std::exception&) {
    return {};
  }
  return {};
}

}  // namespace pathline::app
