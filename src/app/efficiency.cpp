// SPDX-License-Identifier: BSD-3-Clause
#include "app/efficiency.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/judged_part.hpp"
#include "base/text.hpp"
#include "comm/process_order.hpp"
#include "findings/path_load.hpp"

namespace pathline::app {
namespace {

class Rows {
 public:
  Rows(const trace::Trace& trace, const findings::UsefulTime& useful)
      : trace_(trace),
        useful_(useful),
        hz_(static_cast<double>(trace.definitions.clock.ticks_per_second)) {
    all_.resize(useful.ranks.size());
    std::iota(all_.begin(), all_.end(), size_t{0});
  }

  /// By call path, I/O with its caller.
  [[nodiscard]] std::vector<EfficiencyRow> regions() const {
    const PathNames names(trace_, useful_.call_paths);
    const std::vector<uint32_t> owner =
        findings::paths_without_io(trace_.definitions, useful_.call_paths);
    std::vector<std::vector<uint64_t>> ticks(owner.size());
    for (uint32_t path = 0; path < owner.size(); ++path) {
      const std::vector<uint64_t>& of_path = useful_.by_path[path];
      std::vector<uint64_t>& sums = ticks[owner[path]];
      if (of_path.empty()) continue;
      sums.resize(all_.size());
      for (size_t i = 0; i < of_path.size(); ++i) sums[i] += of_path[i];
    }
    std::vector<EfficiencyRow> rows;
    for (uint32_t path = 0; path < ticks.size(); ++path) add(names.text(path), ticks[path], rows);
    add("(outside of calls)", useful_.by_path.back(), rows);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.mean_s > b.mean_s; });
    return rows;
  }

  [[nodiscard]] std::vector<EfficiencyRow> hosts() const {
    struct Host {
      std::string name;
      std::vector<uint64_t> ticks;
      std::vector<size_t> ranks;
    };
    std::vector<Host> hosts;
    std::map<std::string_view, size_t> number;
    for (const size_t i : all_) {
      const std::string_view name = comm::host_of(trace_, useful_.ranks[i]);
      const auto [at, is_new] = number.emplace(name, hosts.size());
      if (is_new) hosts.push_back({name.empty() ? "unknown" : base::printable(name), {}, {}});
      const std::vector<uint64_t>& steps = useful_.by_step[i];
      hosts[at->second].ticks.push_back(std::accumulate(steps.begin(), steps.end(), uint64_t{0}));
      hosts[at->second].ranks.push_back(i);
    }
    std::vector<EfficiencyRow> rows;
    for (const Host& host : hosts) rows.push_back(row(host.name, host.ticks, host.ranks));
    return rows;
  }

  [[nodiscard]] std::vector<EfficiencyRow> steps(const findings::Efficiency& efficiency) const {
    std::vector<EfficiencyRow> rows;
    for (const findings::StepEfficiency& step : efficiency.steps) {
      const auto at = std::lower_bound(useful_.steps.begin(), useful_.steps.end(), step.step);
      if (at == useful_.steps.end() || *at != step.step) continue;
      std::vector<uint64_t> ticks;
      for (const std::vector<uint64_t>& of_rank : useful_.by_step) {
        ticks.push_back(of_rank[static_cast<size_t>(at - useful_.steps.begin())]);
      }
      EfficiencyRow& added = rows.emplace_back(row(fmt::format("{}", step.step), ticks, all_));
      added.load_balance = step.load_balance;
      if (step.complete) added.communication = step.communication;
      added.length_s = static_cast<double>(step.ticks) / hz_;
    }
    return rows;
  }

 private:
  void add(const std::string& name, const std::vector<uint64_t>& ticks,
           std::vector<EfficiencyRow>& rows) const {
    const bool any = std::any_of(ticks.begin(), ticks.end(), [](uint64_t one) { return one > 0; });
    if (any) rows.push_back(row(name, ticks, all_));
  }
  /// ranks  entries of UsefulTime::ranks, one for each of `ticks`.
  [[nodiscard]] EfficiencyRow row(const std::string& name, const std::vector<uint64_t>& ticks,
                                  const std::vector<size_t>& ranks) const {
    EfficiencyRow row{.name = name};
    uint64_t sum = 0;
    size_t top = 0;
    for (size_t i = 0; i < ticks.size(); ++i) {
      sum += ticks[i];
      if (ticks[i] > ticks[top]) top = i;
    }
    row.mean_s = static_cast<double>(sum) / hz_ / static_cast<double>(ticks.size());
    row.max_s = static_cast<double>(ticks[top]) / hz_;
    row.max_rank = useful_.ranks[ranks[top]];
    row.load_balance = row.max_s > 0 ? row.mean_s / row.max_s : 1;
    return row;
  }

  const trace::Trace& trace_;
  const findings::UsefulTime& useful_;
  const double hz_;
  std::vector<size_t> all_;
};

EfficiencyReport report_of(const trace::Trace& trace, const findings::Window& window,
                           const findings::Efficiency& efficiency) {
  return {.whole = efficiency,
          .ticks_per_second = static_cast<double>(trace.definitions.clock.ticks_per_second),
          .begin_s = trace.seconds(window.begin_ticks),
          .end_s = trace.seconds(window.end_ticks),
          .rows = {}};
}

}  // namespace

base::Result<EfficiencyReport> find_efficiency(const trace::Trace& trace, const std::string& input,
                                               const FindingsRequest& request,
                                               std::optional<EfficiencyBy> by,
                                               base::ThreadPool& pool, base::Progress& progress) {
  progress.begin("finding out who waits for whom", "", 0);
  auto part = judged_part(trace, input, request, pool);
  if (!part) return part.error();
  const findings::Model model = model_of(trace, *part.value(), pool);
  progress.begin("replaying the run", "", 0);
  const findings::Replay replay(model);
  const findings::UsefulTime useful = findings::useful_time(model);
  const findings::Efficiency found =
      findings::efficiency(model, replay, replay.run_measured(), useful, pool);
  return efficiency_report(trace, model.window, found, useful, by);
}

EfficiencyReport efficiency_report(const trace::Trace& run, const findings::Window& window,
                                   const findings::Efficiency& efficiency,
                                   const findings::UsefulTime& useful,
                                   std::optional<EfficiencyBy> by) {
  EfficiencyReport report = report_of(run, window, efficiency);
  if (!by) return report;
  const Rows rows(run, useful);
  switch (*by) {
    case EfficiencyBy::kRegion: report.rows = rows.regions(); break;
    case EfficiencyBy::kHost: report.rows = rows.hosts(); break;
    case EfficiencyBy::kStep: report.rows = rows.steps(report.whole); break;
  }
  return report;
}

EfficiencyReport report_by(EfficiencyTables tables, std::optional<EfficiencyBy> by) {
  EfficiencyReport report = std::move(tables.report);
  if (!by) return report;
  switch (*by) {
    case EfficiencyBy::kRegion: report.rows = std::move(tables.regions); break;
    case EfficiencyBy::kHost: report.rows = std::move(tables.hosts); break;
    case EfficiencyBy::kStep: report.rows = std::move(tables.steps); break;
  }
  return report;
}

EfficiencyTables efficiency_tables(const findings::Model& model,
                                   const findings::Efficiency& efficiency) {
  EfficiencyTables tables{.report = report_of(*model.trace, model.window, efficiency)};
  const findings::UsefulTime useful = findings::useful_time(model);
  const Rows rows(*model.trace, useful);
  tables.regions = rows.regions();
  tables.hosts = rows.hosts();
  tables.steps = rows.steps(tables.report.whole);
  return tables;
}

std::vector<EfficiencyFactor> efficiency_factors(const findings::Efficiency& e) {
  std::vector<EfficiencyFactor> factors;
  if (e.openmp) {
    factors = {
        {0, "of all threads", e.openmp->parallel, "MPI x OpenMP"},
        {1, "OpenMP", e.openmp->openmp, "threads that have work"},
        {2, "parallel regions", e.openmp->serial, "time in which all threads may work"},
        {2, "thread balance", e.openmp->load_balance, "mean over slowest thread of each region"},
        {2, "scheduling", e.openmp->scheduling, "begin and end of regions"}};
  }
  // Steps overlap: not everyone waits in each of them for the busiest.
  const bool is_ahead = e.dependency > 1.0005;
  const EfficiencyFactor of_ranks[] = {
      {0, "parallel efficiency", e.parallel, "useful time of ranks"},
      {1, "load balance", e.load_balance, "mean over the busiest rank"},
      {1, "communication", e.communication, "busiest rank over all time"},
      {2, "serialisation", e.serialisation, "waiting for one another"},
      {3, "migration", e.migration, "load that is uneven step by step only"},
      {3, "dependency", e.dependency,
       is_ahead ? "more than all: who is late in a step catches up in others"
                : "one after the other"},
      {2, "transfer", e.transfer, "network and MPI"}};
  factors.insert(factors.end(), std::begin(of_ranks), std::end(of_ranks));
  return factors;
}

nlohmann::ordered_json efficiency_json(const findings::Efficiency& e, double ticks_per_second) {
  const auto seconds = [&](uint64_t ticks) {
    return static_cast<double>(ticks) / ticks_per_second;
  };
  const double error =
      e.measured_ticks == 0
          ? 0
          : 100 *
                (static_cast<double>(e.replayed_ticks) / static_cast<double>(e.measured_ticks) - 1);
  nlohmann::ordered_json json = {
      {"parallel", e.parallel},
      // What is useful between polls is not known: the truth lies between the two.
      {"parallel_low", e.parallel},
      {"parallel_high", e.parallel_high},
      {"load_balance", e.load_balance},
      {"communication", e.communication},
      {"serialisation", e.serialisation},
      {"migration", e.migration},
      {"dependency", e.dependency},
      {"transfer", e.transfer},
      {"openmp", e.openmp ? nlohmann::ordered_json(e.openmp->openmp) : nullptr},
      {"ideal_s", seconds(e.ideal_ticks)},
      {"measured_s", seconds(e.measured_ticks)},
      {"replay_error_pct", error}};
  if (e.openmp) {
    json["threads"] = e.openmp->threads;
    json["parallel_of_threads"] = e.openmp->parallel;
    json["openmp_serial"] = e.openmp->serial;
    json["openmp_load_balance"] = e.openmp->load_balance;
    json["openmp_scheduling"] = e.openmp->scheduling;
  }
  return json;
}

namespace {

std::vector<CriticalRow> rows_of(const findings::CriticalPath& path,
                                 const std::vector<uint32_t>& rank_of_lane, uint32_t ranks,
                                 double ticks_per_second, const PathNames& names) {
  // Per path: ticks of the rank that has most of it, and which.
  std::map<uint32_t, std::pair<uint64_t, uint32_t>> most;
  for (const findings::CriticalPart& part : path.parts) {
    auto& [ticks, rank] = most[part.path];
    if (part.ticks <= ticks) continue;
    ticks = part.ticks;
    rank = rank_of_lane[part.lane];
  }
  std::vector<CriticalRow> rows;
  for (const findings::CriticalTotal& total : path.totals) {
    if (total.on_path_ticks == 0) continue;
    rows.push_back({.call_path = names.text(total.path),
                    .rank = most[total.path].second,
                    .on_path_s = static_cast<double>(total.on_path_ticks) / ticks_per_second,
                    .imbalance_s = total.imbalance_ticks(std::max(1U, ranks)) / ticks_per_second});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.on_path_s > b.on_path_s; });
  return rows;
}

}  // namespace

std::vector<CriticalRow> critical_rows(const findings::Model& model,
                                       const findings::CriticalPath& path, const PathNames& names) {
  std::vector<uint32_t> rank_of_lane;
  for (const comm::Lane& lane : model.all->calls.lanes) rank_of_lane.push_back(lane.rank);
  const auto hz = static_cast<double>(model.trace->definitions.clock.ticks_per_second);
  return rows_of(path, rank_of_lane, model.rank_count(), hz, names);
}

CriticalReport critical_report(const trace::Trace& run, const findings::Window& window,
                               const findings::GrowingCriticalPath::Found& found) {
  const auto hz = static_cast<double>(run.definitions.clock.ticks_per_second);
  return CriticalReport{.begin_s = run.seconds(window.begin_ticks),
                        .end_s = run.seconds(window.end_ticks),
                        .segments = found.path.segments.size(),
                        .rows = rows_of(found.path, found.rank_of_lane, found.ranks, hz,
                                        PathNames(run, found.call_paths))};
}

CriticalReport critical_report(const findings::Model& model, const findings::CriticalPath& path) {
  const trace::Trace& trace = *model.trace;
  return CriticalReport{.begin_s = trace.seconds(model.window.begin_ticks),
                        .end_s = trace.seconds(model.window.end_ticks),
                        .segments = path.segments.size(),
                        .rows = critical_rows(model, path, PathNames(trace, model))};
}

base::Result<CriticalReport> find_critical_path(const trace::Trace& trace, const std::string& input,
                                                const FindingsRequest& request,
                                                base::ThreadPool& pool, base::Progress& progress) {
  progress.begin("finding out who waits for whom", "", 0);
  auto part = judged_part(trace, input, request, pool);
  if (!part) return part.error();
  const findings::Model model = model_of(trace, *part.value(), pool);
  return critical_report(model, findings::critical_path(model));
}

}  // namespace pathline::app
