// SPDX-License-Identifier: BSD-3-Clause
#include "summary/steps_file.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "trace/select.hpp"

namespace pathline::summary {
namespace {

/// Names of the columns of steps::Counters; read and written in this order.
constexpr std::pair<const char*, uint64_t steps::Counters::*> kStepCounters[] = {
    {"mpi_ticks", &steps::Counters::mpi_ticks},
    {"io_ticks", &steps::Counters::io_ticks},
    {"sent_messages", &steps::Counters::sent_messages},
    {"sent_bytes", &steps::Counters::sent_bytes},
    {"received_messages", &steps::Counters::received_messages},
    {"received_bytes", &steps::Counters::received_bytes},
    {"read_bytes", &steps::Counters::read_bytes},
    {"written_bytes", &steps::Counters::written_bytes}};

/// Calls visit(row) for each step, with its counters or without. What was visited counts only if
/// nothing was wrong then.
///
/// returns  how many they are
template <class Visit>
size_t for_each_step(Columns& in, const trace::Trace& run, bool with_counters, Visit visit) {
  auto step = in.cursor<uint32_t>("steps.step");
  auto rank = in.cursor<uint32_t>("steps.rank");
  auto gap = in.cursor<uint64_t>("steps.gap_ticks");
  auto ticks = in.cursor<uint64_t>("steps.ticks");
  auto recorded = in.cursor<uint8_t>("steps.recorded");
  std::vector<ColumnReader::Cursor<uint64_t>> counters;
  for (const auto& [name, counter] : kStepCounters) {
    if (!with_counters) break;
    auto cursor = in.cursor<uint64_t>(fmt::format("steps.{}", name));
    if (cursor) counters.push_back(std::move(*cursor));
  }
  if (!in.status()) return 0;
  const size_t rows = step->rows();
  const bool fits = rank->rows() == rows && gap->rows() == rows && ticks->rows() == rows &&
                    recorded->rows() == rows &&
                    std::all_of(counters.begin(), counters.end(),
                                [&](const auto& c) { return c.rows() == rows; });
  in.require(fits, "steps", "its columns differ in length");
  if (!in.status()) return 0;
  const auto take_damage = [&] {
    for (const base::Status* status : {&step->status(), &rank->status(), &gap->status(),
                                       &ticks->status(), &recorded->status()}) {
      in.take(*status);
    }
    for (const auto& counter : counters) in.take(counter.status());
  };
  std::vector<uint64_t> last_end(run.rank_count, 0);
  for (size_t i = 0; i < rows; ++i) {
    steps::Row row{step->next(), rank->next(), 0, 0, {}, true};
    const uint64_t since = unfolded(gap->next());
    const uint64_t length = ticks->next();
    row.recorded = recorded->next() != 0;
    const bool is_of_rank = row.rank < run.rank_count;
    if (is_of_rank) row.begin_ticks = last_end[row.rank] + since;
    if (!is_of_rank || length > UINT64_MAX - row.begin_ticks) {
      take_damage();
      in.require(false, "steps", "row {} is of no time of a rank", i);
      return 0;
    }
    last_end[row.rank] = row.end_ticks = row.begin_ticks + length;
    for (size_t k = 0; k < counters.size(); ++k) {
      row.counters.*kStepCounters[k].second = counters[k].next();
    }
    visit(row, rows);
  }
  take_damage();
  return rows;
}

}  // namespace

/// Most steps of a rank begin where the one before ended: what is written is the time between, and
/// how long the step was, which takes half of what its times would. All columns are made at once,
/// as there may be millions of packed rows.
void write_steps(const RunSummary& summary, ColumnWriter& out) {
  const bool is_packed = !summary.packed_steps.outside().empty();
  const auto& outside = is_packed ? summary.packed_steps.outside() : summary.steps.outside;
  ColumnWriter::Column<uint32_t> step(out), rank(out);
  ColumnWriter::Column<uint64_t> gap(out), ticks(out);
  ColumnWriter::Column<uint8_t> recorded(out);
  std::vector counters(std::size(kStepCounters), ColumnWriter::Column<uint64_t>(out));
  std::vector<uint64_t> last_end(outside.size(), 0);
  const auto add = [&](const steps::Row& row) {
    step.push_back(row.step);
    rank.push_back(row.rank);
    gap.push_back(folded(row.begin_ticks - std::exchange(last_end[row.rank], row.end_ticks)));
    ticks.push_back(row.end_ticks - row.begin_ticks);
    recorded.push_back(uint8_t{row.recorded});
    for (size_t i = 0; i < counters.size(); ++i) {
      counters[i].push_back(row.counters.*kStepCounters[i].second);
    }
  };
  if (is_packed) {
    summary.packed_steps.for_each(add);
  } else {
    std::for_each(summary.steps.rows.begin(), summary.steps.rows.end(), add);
  }
  out.add("steps.step", step);
  out.add("steps.rank", rank);
  out.add("steps.gap_ticks", gap);
  out.add("steps.ticks", ticks);
  out.add("steps.recorded", recorded);
  std::vector<uint64_t> values;
  for (size_t i = 0; i < counters.size(); ++i) {
    const auto [name, counter] = kStepCounters[i];
    out.add(fmt::format("steps.{}", name), counters[i]);
    values.clear();
    for (const steps::Counters& of_rank : outside) values.push_back(of_rank.*counter);
    out.add(fmt::format("steps.outside.{}", name), values);
  }
}

steps::Table read_steps(Columns& in, const trace::Trace& run) {
  steps::Table table;
  for_each_step(in, run, true, [&](const steps::Row& row, size_t count) {
    if (table.rows.empty()) table.rows.reserve(count);
    table.rows.push_back(row);
  });
  if (!in.status()) return table;
  table.outside.resize(run.rank_count);
  for (const auto& [name, counter] : kStepCounters) {
    const auto outside = in.numbers<uint64_t>(fmt::format("steps.outside.{}", name));
    in.require(outside.size() == run.rank_count, "steps", "its columns differ in length");
    if (!in.status()) return table;
    for (uint32_t i = 0; i < run.rank_count; ++i) table.outside[i].*counter = outside[i];
  }
  return table;
}

base::Result<StepsOfTime> read_steps_of_time(const ColumnReader& file, const trace::Trace& run,
                                             uint64_t from_ticks, uint64_t until_ticks,
                                             bool of_first_rank) {
  Columns in(file);
  StepsOfTime result;
  result.windows.resize(run.rank_count);
  uint32_t last_step = UINT32_MAX;
  uint32_t only_rank = UINT32_MAX;
  for_each_step(in, run, false, [&](const steps::Row& row, size_t) {
    if (row.step != last_step || result.count == 0) ++result.count;
    last_step = row.step;
    if (of_first_rank && only_rank == UINT32_MAX) only_rank = row.rank;
    if (of_first_rank && row.rank != only_rank) return;
    if (row.begin_ticks > until_ticks || row.end_ticks < from_ticks) return;
    result.windows[row.rank].push_back({row.step, row.begin_ticks, row.end_ticks, row.recorded});
  });
  if (!in.status()) return in.status().error();
  for (auto& of_rank : result.windows) {
    std::sort(of_rank.begin(), of_rank.end(),
              [](const trace::StepWindow& a, const trace::StepWindow& b) {
                return a.begin_ticks < b.begin_ticks;
              });
  }
  return result;
}

base::Result<trace::StepWindow> read_time_of_step(const ColumnReader& file,
                                                  const RunSummary& summary, uint32_t step) {
  trace::StepWindow time{step, UINT64_MAX, 0};
  std::set<uint32_t> numbers;
  uint32_t last_step = 0;
  if (summary.facts.marked_steps > 0) {
    Columns in(file);
    for_each_step(in, summary.run, false, [&](const steps::Row& row, size_t) {
      // Mostly the rows of a step stand behind each other.
      if (numbers.empty() || row.step != last_step) numbers.insert(row.step);
      last_step = row.step;
      if (row.step != step) return;
      time.begin_ticks = std::min(time.begin_ticks, row.begin_ticks);
      time.end_ticks = std::max(time.end_ticks, row.end_ticks);
    });
    if (!in.status()) return in.status().error();
  }
  if (numbers.contains(step)) return time;
  trace::WholeRun known{.steps = {{}}};
  for (const uint32_t number : numbers) known.steps[0].push_back({number, 0, 0});
  trace::Trace marked;
  marked.whole = std::make_shared<const trace::WholeRun>(std::move(known));
  return trace::require_step(marked, step).error();
}

}  // namespace pathline::summary
