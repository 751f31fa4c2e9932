// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steps/table.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// One time step over all ranks that recorded it.
struct StepLine {
  uint32_t step = 0;
  uint32_t ranks = 0;
  double begin_s = 0;  ///< Of the first rank.
  double mean_s = 0;   ///< How long it took a rank.
  double max_s = 0;
  uint32_t max_rank = 0;
  double compute_mean_s = 0;  ///< Outside of MPI and file I/O.
  double compute_max_s = 0;
  uint32_t compute_max_rank = 0;
  double mpi_mean_s = 0;
  double io_mean_s = 0;
  uint64_t sent_messages = 0;
  uint64_t sent_bytes = 0;
};

/// By step; where a program counts from the beginning again, those steps behind all of before.
/// Steps of which only the times are known have no compute time.
std::vector<StepLine> step_lines(const trace::Trace& trace, const steps::Table& table);

/// How the compute time of a rank changes from step to step, where it does: a straight line through
/// it, at least eight steps long, rises or falls by a tenth of the mean, and its slope is six
/// standard errors from 0.
struct StepTrend {
  uint32_t rank = 0;
  double s_per_step = 0;
  double first_s = 0;  ///< Of the line.
  double last_s = 0;
};

/// Of all ranks with a trend, the steepest first.
std::vector<StepTrend> step_trends(const trace::Trace& trace, const steps::Table& table);

/// "compute time of rank 3 grows from 20.1 ms to 112 ms: 3.04 ms a step"; "" without a trend.
std::string trend_text(const std::vector<StepTrend>& trends);

}  // namespace pathline::app
