// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/diff.hpp"
#include "app/profile_rows.hpp"
#include "base/text.hpp"
#include "comm/matrix.hpp"
#include "comm/summary.hpp"
#include "comm/waits.hpp"
#include "profile/profile.hpp"

namespace pathline::app {
namespace {

/// From the last end of MPI_Init to the last begin of MPI_Finalize, inside the selection.
double inside_seconds(const trace::Trace& run, const comm::Summary& facts,
                      const trace::Selection& selection) {
  const uint64_t from = std::max({run.start_ticks, selection.from_ticks, facts.init_end_ticks});
  uint64_t until = std::min(run.end_ticks, selection.until_ticks);
  if (facts.finalize_begin_ticks > 0) until = std::min(until, facts.finalize_begin_ticks);
  return until > from ? run.span_seconds(until - from) : 0;
}

class Collector {
 public:
  explicit Collector(RunNumbers& run) : run_(run) {}
  void count(const char* kind, const std::string& name, const char* metric, uint64_t value) {
    run_.numbers[{kind, name, metric}] = {static_cast<double>(value), fmt::format("{}", value)};
  }
  void seconds(const char* kind, const std::string& name, const char* metric, double value) {
    run_.numbers[{kind, name, metric}] = {value, fmt::format("{:.9f}", value)};
  }
  void factor(const char* kind, const std::string& name, const char* metric, double value) {
    run_.numbers[{kind, name, metric}] = {value, fmt::format("{:.4f}", value)};
  }

 private:
  RunNumbers& run_;
};

struct RegionSum {
  uint64_t visits = 0;
  uint64_t inclusive_ticks = 0;
  uint64_t exclusive_ticks = 0;
  uint64_t max_ticks = 0;
  double imbalance = 0;
};

void add_regions(const trace::Trace& trace, const trace::Selection& selection,
                 const profile::Profile& profile, RunNumbers& run) {
  std::map<std::string, RegionSum> regions;
  for (const auto& row : profile::by_region(trace, selection, profile)) {
    RegionSum& sum = regions[base::printable(trace.definitions.regions[row.region].name)];
    sum.visits += row.visits;
    sum.inclusive_ticks += row.inclusive_ticks;
    sum.exclusive_ticks += row.exclusive_ticks;
    sum.max_ticks = std::max(sum.max_ticks, row.exclusive_max_ticks);
    sum.imbalance = std::max(sum.imbalance, row.imbalance);
  }
  Collector collector(run);
  for (const auto& [name, sum] : regions) {
    collector.count("region", name, "visits", sum.visits);
    collector.seconds("region", name, "inclusive_s", trace.span_seconds(sum.inclusive_ticks));
    collector.seconds("region", name, "exclusive_s", trace.span_seconds(sum.exclusive_ticks));
    collector.seconds("region", name, "exclusive_max_s", trace.span_seconds(sum.max_ticks));
    if (sum.imbalance > 0) collector.factor("region", name, "imbalance", sum.imbalance);
  }
  uint64_t most = 0;
  for (const auto& row : profile::by_call_path(trace, selection, profile)) {
    const bool is_root = !profile.call_paths[row.call_path].parent.valid();
    if (!is_root || !row.region.valid() || row.inclusive_ticks == 0) continue;
    std::string name = base::printable(trace.definitions.regions[row.region].name);
    if (row.inclusive_ticks < most || (row.inclusive_ticks == most && name > run.root)) continue;
    most = row.inclusive_ticks;
    run.root = std::move(name);
  }
}

/// What the numbers are made of, of the selection.
struct Tables {
  const comm::Summary& facts;
  const profile::Profile& profile;
  const comm::Waits& waits;
  const comm::Matrix& matrix;
};

RunNumbers numbers_of(const trace::Trace& trace, const trace::Selection& selection,
                      const Tables& tables) {
  RunNumbers run;
  run.wall_s = trace.span_seconds(std::min(trace.end_ticks, selection.until_ticks) -
                                  std::max(trace.start_ticks, selection.from_ticks));
  run.inside_s = inside_seconds(trace, tables.facts, selection);
  for (uint32_t rank = 0; rank < trace.rank_count; ++rank) run.ranks += selection.has_rank(rank);
  Collector collector(run);
  collector.seconds("run", "wall time", "duration_s", run.wall_s);
  collector.seconds("run", "from MPI_Init to MPI_Finalize", "duration_s", run.inside_s);
  add_regions(trace, selection, tables.profile, run);
  std::map<std::string_view, uint64_t> waits;
  for (const comm::WaitRow& row : tables.waits.rows) {
    waits[comm::wait_name(row.kind)] += row.ticks;
  }
  for (const auto& [kind, ticks] : waits) {
    collector.seconds("wait", std::string(kind), "wait_s", trace.span_seconds(ticks));
  }
  const comm::Matrix& matrix = tables.matrix;
  uint64_t messages = 0;
  uint64_t bytes = 0;
  for (uint32_t sender = 0; sender < matrix.traffic.rank_count(); ++sender) {
    for (size_t i = matrix.traffic.row[sender]; i < matrix.traffic.row[sender + 1]; ++i) {
      const std::string name = fmt::format("{}->{}", sender, matrix.traffic.receiver[i]);
      collector.count("pair", name, "messages", matrix.traffic.messages[i]);
      collector.count("pair", name, "bytes", matrix.traffic.bytes[i]);
      messages += matrix.traffic.messages[i];
      bytes += matrix.traffic.bytes[i];
    }
  }
  if (messages > 0) {
    collector.count("traffic", "all", "messages", messages);
    collector.count("traffic", "all", "bytes", bytes);
  }
  return run;
}

}  // namespace

RunNumbers run_numbers(const trace::Trace& trace, const trace::Selection& selection,
                       base::ThreadPool& pool) {
  const comm::Summary facts = comm::summarise(trace, pool);
  const profile::Profile profile = profile::from_trace(trace, selection, pool);
  const comm::Waits waits = comm::waits(trace, selection, pool);
  return numbers_of(trace, selection,
                    {facts, profile, waits, comm::matrix(trace, selection, {}, pool)});
}

RunNumbers run_numbers(const summary::RunSummary& summary, const trace::Trace& run,
                       const trace::Selection& selection) {
  return numbers_of(
      run, selection,
      {summary.facts, chosen(run, summary.profile, selection),
       comm::chosen(summary.waits, selection), comm::chosen(summary.matrix, selection)});
}

}  // namespace pathline::app
