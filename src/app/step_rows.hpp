// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>

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

}  // namespace pathline::app
