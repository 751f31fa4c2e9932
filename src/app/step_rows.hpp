// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "comm/detect_steps.hpp"
#include "steps/table.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// Columns of the table of time steps; the first is called "period" where the steps are a guess.
inline constexpr std::array<std::string_view, 12> kStepColumns = {
    "step",           "rank",       "begin_s",
    "end_s",          "mpi_s",      "io_s",
    "sent_messages",  "sent_bytes", "received_messages",
    "received_bytes", "read_bytes", "written_bytes"};

/// A row as text, one cell a column.
std::array<std::string, kStepColumns.size()> step_cells(const trace::Trace& trace,
                                                        const steps::Row& row);

/// The whole table as CSV, the same as `pathline steps --format csv` prints for the steps that the
/// program marks.
std::string step_csv(const trace::Trace& trace, const steps::Table& table);

/// What a table of steps leaves out.
struct StepSummary {
  size_t steps = 0;
  size_t unrecorded = 0;    ///< Of them: at some rank only their times are known.
  steps::Counters outside;  ///< Of all ranks, in no step.
};
StepSummary summarized(const steps::Table& table);

/// One JSON object, in a line: the period that was found and how certain it is, or why none was.
std::string detection_json(const comm::Detection& detection);

}  // namespace pathline::app
