// SPDX-License-Identifier: BSD-3-Clause
#include "app/findings_glance.hpp"

#include <exception>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/findings.hpp"
#include "app/run_json.hpp"
#include "base/text.hpp"
#include "input/input.hpp"

namespace pathline::app {
namespace {

Glance not_looked_at(uint64_t events) {
  return {.line = fmt::format("not judged in passing, with {} events", base::human_count(events))};
}

}  // namespace

Glance glance(const trace::Trace& trace, const std::string& input, base::ThreadPool& pool) {
  if (trace.event_count() > kMostGlancedEvents) return not_looked_at(trace.event_count());
  base::Progress progress;
  const auto report = find_findings(trace, input, {}, pool, progress);
  if (!report) return {.can_judge = false};
  return {.line = findings_line(report.value())};
}

Glance glance(const std::filesystem::path& run) {
  const auto json = run_json(run);
  const auto events = json.find("events");
  if (events == json.end() || !events->is_number_unsigned()) return {};
  const auto count = events->get<uint64_t>();
  if (count > kMostGlancedEvents) return not_looked_at(count);
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
