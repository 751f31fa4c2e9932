// SPDX-License-Identifier: BSD-3-Clause
#include "app/step_rows.hpp"

#include <fmt/format.h>

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

}  // namespace pathline::app
