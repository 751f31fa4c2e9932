// SPDX-License-Identifier: BSD-3-Clause
#include "app/step_rows.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pathline::app {

std::array<std::string, kStepColumns.size()> step_cells(const trace::Trace& trace,
                                                        const steps::Row& row) {
  const steps::Counters& counters = row.counters;
  const auto number = [](uint64_t value) { return fmt::format("{}", value); };
  const auto seconds = [](double value) { return fmt::format("{:.9f}", value); };
  if (!row.recorded) {
    return {number(row.step), number(row.rank), seconds(trace.seconds(row.begin_ticks)),
            seconds(trace.seconds(row.end_ticks))};
  }
  return {number(row.step),
          number(row.rank),
          seconds(trace.seconds(row.begin_ticks)),
          seconds(trace.seconds(row.end_ticks)),
          seconds(trace.span_seconds(counters.mpi_ticks)),
          seconds(trace.span_seconds(counters.io_ticks)),
          number(counters.sent_messages),
          number(counters.sent_bytes),
          number(counters.received_messages),
          number(counters.received_bytes),
          number(counters.read_bytes),
          number(counters.written_bytes)};
}

std::string step_csv(const trace::Trace& trace, const steps::Table& table) {
  std::string text = fmt::format("{}\n", fmt::join(kStepColumns, ","));
  for (const steps::Row& row : table.rows) {
    text += fmt::format("{}\n", fmt::join(step_cells(trace, row), ","));
  }
  return text;
}

StepSummary summarized(const steps::Table& table) {
  StepSummary summary;
  const steps::Row* before = nullptr;
  bool is_counted = false;  // The step among those that were not recorded.
  for (const steps::Row& row : table.rows) {
    if (before == nullptr || before->step != row.step) {
      ++summary.steps;
      is_counted = false;
    }
    before = &row;
    if (row.recorded || is_counted) continue;
    ++summary.unrecorded;
    is_counted = true;
  }
  for (const steps::Counters& counters : table.outside) summary.outside += counters;
  return summary;
}

std::string detection_json(const comm::Detection& detection) {
  nlohmann::ordered_json json;
  json["found"] = detection.found();
  if (!detection.found()) {
    json["reason"] = detection.reason;
    return json.dump();
  }
  json["begins_with"] = detection.begins_with;
  json["periods"] = detection.count;
  json["calls_per_period"] = detection.calls;
  json["ranks"] = detection.agreeing_ranks;
  json["share_of_calls"] = detection.call_share;
  json["share_of_time"] = detection.time_share;
  json["regularity"] = detection.regularity;
  json["outermost"] = detection.outermost;
  if (detection.outer_count > 0) {
    json["larger_periods"] = detection.outer_count;
    json["periods_in_each"] = detection.outer_holds;
  }
  json["certainty"] = detection.certainty;
  json["certainty_word"] = detection.certainty_word();
  return json.dump();
}

}  // namespace pathline::app
