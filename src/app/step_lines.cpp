// SPDX-License-Identifier: BSD-3-Clause
#include "app/step_lines.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::app {
namespace {

double compute_s(const trace::Trace& trace, const steps::Row& row) {
  const double all = trace.span_seconds(row.end_ticks - row.begin_ticks);
  return std::max(0.0, all - trace.span_seconds(row.counters.mpi_ticks + row.counters.io_ticks));
}

}  // namespace

std::vector<StepLine> step_lines(const trace::Trace& trace, const steps::Table& table) {
  std::vector<StepLine> lines;
  std::vector<uint32_t> recorded;
  // Per number of steps: its lines, one for each time that it was counted.
  std::vector<std::vector<size_t>> line_of;
  steps::for_each_row(table, [&](const steps::Row& row, size_t number, size_t again) {
    if (number == line_of.size()) line_of.emplace_back();
    if (again == line_of[number].size()) {
      line_of[number].push_back(lines.size());
      lines.push_back({.step = row.step, .begin_s = trace.seconds(row.begin_ticks)});
      recorded.push_back(0);
    }
    const size_t i = line_of[number][again];
    StepLine& line = lines[i];
    const double seconds = trace.span_seconds(row.end_ticks - row.begin_ticks);
    line.begin_s = std::min(line.begin_s, trace.seconds(row.begin_ticks));
    line.mean_s += seconds;
    if (line.ranks++ == 0 || seconds > line.max_s) {
      line.max_s = seconds;
      line.max_rank = row.rank;
    }
    if (!row.recorded) return;
    const double compute = compute_s(trace, row);
    if (recorded[i]++ == 0 || compute > line.compute_max_s) {
      line.compute_max_s = compute;
      line.compute_max_rank = row.rank;
    }
    line.compute_mean_s += compute;
    line.mpi_mean_s += trace.span_seconds(row.counters.mpi_ticks);
    line.io_mean_s += trace.span_seconds(row.counters.io_ticks);
    line.sent_messages += row.counters.sent_messages;
    line.sent_bytes += row.counters.sent_bytes;
  });
  std::vector<StepLine> result;
  result.reserve(lines.size());
  for (size_t again = 0; result.size() < lines.size(); ++again) {
    for (const auto& of_number : line_of) {
      if (again >= of_number.size()) continue;
      StepLine& line = lines[of_number[again]];
      line.mean_s /= line.ranks;
      for (double* mean : {&line.compute_mean_s, &line.mpi_mean_s, &line.io_mean_s}) {
        *mean /= std::max<uint32_t>(recorded[of_number[again]], 1);
      }
      result.push_back(line);
    }
  }
  return result;
}

std::vector<StepTrend> step_trends(const trace::Trace& trace, const steps::Table& table) {
  struct Sums {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    double first = 0, last = 0;
  };
  std::vector<Sums> ranks;  // By rank.
  const double numbers = table.rows.empty() ? 0 : table.rows.back().step + 1.0;
  steps::for_each_row(table, [&](const steps::Row& row, size_t, size_t again) {
    if (!row.recorded) return;
    if (row.rank >= ranks.size()) ranks.resize(row.rank + size_t{1});
    Sums& sums = ranks[row.rank];
    // Where steps are counted from the beginning again, behind those before.
    const double x = row.step + static_cast<double>(again) * numbers;
    const double y = compute_s(trace, row);
    sums.first = sums.n == 0 ? x : std::min(sums.first, x);
    sums.last = std::max(sums.last, x);
    sums.n += 1;
    sums.x += x;
    sums.y += y;
    sums.xx += x * x;
    sums.xy += x * y;
    sums.yy += y * y;
  });
  constexpr double kLeastSteps = 8;
  constexpr double kLeastT = 6;  // By chance once in 10,000 ranks, with 10 steps.
  std::vector<StepTrend> trends;
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    const Sums& sums = ranks[rank];
    if (sums.n < kLeastSteps) continue;
    const double sxx = sums.xx - sums.x * sums.x / sums.n;
    const double sxy = sums.xy - sums.x * sums.y / sums.n;
    const double syy = sums.yy - sums.y * sums.y / sums.n;
    if (sxx <= 0 || syy <= 0) continue;
    const double slope = sxy / sxx;
    const double change = slope * (sums.last - sums.first);
    const double explained = std::min(1.0, sxy * sxy / (sxx * syy));
    const double t_squared = (sums.n - 2) * explained / (1 - explained);
    if (std::abs(change) < 0.1 * sums.y / sums.n || t_squared < kLeastT * kLeastT) continue;
    const double mean_x = sums.x / sums.n;
    const double mean_y = sums.y / sums.n;
    trends.push_back({.rank = rank,
                      .s_per_step = slope,
                      .first_s = std::max(0.0, mean_y + slope * (sums.first - mean_x)),
                      .last_s = std::max(0.0, mean_y + slope * (sums.last - mean_x))});
  }
  std::stable_sort(trends.begin(), trends.end(), [](const StepTrend& a, const StepTrend& b) {
    return std::abs(a.s_per_step) > std::abs(b.s_per_step);
  });
  return trends;
}

std::string trend_text(const std::vector<StepTrend>& trends) {
  if (trends.empty()) return "";
  const StepTrend& most = trends.front();
  const bool grows = most.s_per_step > 0;
  const std::string others = trends.size() == 1 ? ""
                                                : fmt::format(", the most of {} ranks with a trend",
                                                              base::human_count(trends.size()));
  return fmt::format("compute time of rank {} {} from {} to {}: {}{} a step{}", most.rank,
                     grows ? "grows" : "falls", base::human_seconds(most.first_s),
                     base::human_seconds(most.last_s), grows ? "+" : "",
                     base::human_seconds(most.s_per_step), others);
}

}  // namespace pathline::app
