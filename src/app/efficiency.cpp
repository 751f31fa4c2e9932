// SPDX-License-Identifier: BSD-3-Clause
#include "app/efficiency.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/judged_part.hpp"
#include "base/text.hpp"
#include "comm/process_order.hpp"
#include "findings/path_load.hpp"

namespace pathline::app {
namespace {

/// Useful ticks of ranks, in the order of `lanes`.
struct Shares {
  std::vector<uint64_t> ticks;
  uint64_t sum = 0;
};

class Rows {
 public:
  Rows(const trace::Trace& trace, const findings::Model& model)
      : trace_(trace),
        model_(model),
        hz_(static_cast<double>(trace.definitions.clock.ticks_per_second)) {
    for (uint32_t lane = 0; lane < model.lanes.size(); ++lane) {
      if (model.lanes[lane].recorded && model.lanes[lane].first_of_rank) lanes_.push_back(lane);
    }
  }

  /// By call path, I/O with its caller.
  [[nodiscard]] std::vector<EfficiencyRow> regions() const {
    const PathNames names(trace_, model_);
    const std::vector<uint32_t> owner = findings::paths_without_io(model_);
    std::vector<Shares> paths(model_.call_paths.size());
    Shares outside;
    for (size_t i = 0; i < lanes_.size(); ++i) {
      for_each_piece(lanes_[i], [&](uint32_t path, uint64_t ticks) {
        Shares& shares = path == findings::kNone ? outside : paths[owner[path]];
        shares.ticks.resize(lanes_.size());
        shares.ticks[i] += ticks;
        shares.sum += ticks;
      });
    }
    std::vector<EfficiencyRow> rows;
    for (uint32_t path = 0; path < paths.size(); ++path) {
      if (paths[path].sum > 0) rows.push_back(row(names.text(path), paths[path].ticks, lanes_));
    }
    if (outside.sum > 0) rows.push_back(row("(outside of calls)", outside.ticks, lanes_));
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.mean_s > b.mean_s; });
    return rows;
  }

  [[nodiscard]] std::vector<EfficiencyRow> hosts() const {
    struct Host {
      std::string name;
      std::vector<uint64_t> ticks;
      std::vector<uint32_t> lanes;
    };
    std::vector<Host> hosts;
    std::map<std::string_view, size_t> number;
    for (const uint32_t lane : lanes_) {
      const std::string_view name = comm::host_of(trace_, model_.all->calls.lanes[lane].rank);
      const auto [at, is_new] = number.emplace(name, hosts.size());
      if (is_new) hosts.push_back({name.empty() ? "unknown" : base::printable(name), {}, {}});
      uint64_t ticks = 0;
      for_each_piece(lane, [&](uint32_t, uint64_t piece) { ticks += piece; });
      hosts[at->second].ticks.push_back(ticks);
      hosts[at->second].lanes.push_back(lane);
    }
    std::vector<EfficiencyRow> rows;
    for (const Host& host : hosts) rows.push_back(row(host.name, host.ticks, host.lanes));
    return rows;
  }

  [[nodiscard]] std::vector<EfficiencyRow> steps(const findings::Efficiency& efficiency) const {
    std::vector<std::vector<uint64_t>> ticks(model_.steps.size(),
                                             std::vector<uint64_t>(lanes_.size()));
    for (size_t i = 0; i < lanes_.size(); ++i) {
      const auto [begin, end] = pieces_of(lanes_[i]);
      for (size_t piece = begin; piece < end; ++piece) {
        const uint32_t step = model_.piece_step[piece];
        if (step != findings::kNone) ticks[step][i] += model_.piece_ticks[piece];
      }
    }
    std::vector<EfficiencyRow> rows;
    for (const findings::StepEfficiency& step : efficiency.steps) {
      const auto at = std::lower_bound(model_.steps.begin(), model_.steps.end(), step.step);
      if (at == model_.steps.end() || *at != step.step) continue;
      EfficiencyRow& added =
          rows.emplace_back(row(fmt::format("{}", step.step),
                                ticks[static_cast<size_t>(at - model_.steps.begin())], lanes_));
      added.load_balance = step.load_balance;
      if (step.complete) added.communication = step.communication;
      added.length_s = static_cast<double>(step.ticks) / hz_;
    }
    return rows;
  }

 private:
  [[nodiscard]] std::pair<size_t, size_t> pieces_of(uint32_t lane) const {
    const findings::Model::Lane& of = model_.lanes[lane];
    return {model_.first_piece[findings::Model::gap(of.first_call, lane)],
            model_.first_piece[findings::Model::gap(of.end_call, lane) + 1]};
  }
  template <class Visit>
  void for_each_piece(uint32_t lane, Visit visit) const {
    const auto [begin, end] = pieces_of(lane);
    for (size_t i = begin; i < end; ++i) visit(model_.piece_path[i], model_.piece_ticks[i]);
  }

  [[nodiscard]] EfficiencyRow row(const std::string& name, const std::vector<uint64_t>& ticks,
                                  const std::vector<uint32_t>& lanes) const {
    EfficiencyRow row{.name = name};
    uint64_t sum = 0;
    size_t top = 0;
    for (size_t i = 0; i < ticks.size(); ++i) {
      sum += ticks[i];
      if (ticks[i] > ticks[top]) top = i;
    }
    row.mean_s = static_cast<double>(sum) / hz_ / static_cast<double>(ticks.size());
    row.max_s = static_cast<double>(ticks[top]) / hz_;
    row.max_rank = model_.all->calls.lanes[lanes[top]].rank;
    row.load_balance = row.max_s > 0 ? row.mean_s / row.max_s : 1;
    return row;
  }

  const trace::Trace& trace_;
  const findings::Model& model_;
  const double hz_;
  std::vector<uint32_t> lanes_;
};

EfficiencyReport report_of(const findings::Model& model, const findings::Efficiency& efficiency) {
  const trace::Trace& trace = *model.trace;
  return {.whole = efficiency,
          .ticks_per_second = static_cast<double>(trace.definitions.clock.ticks_per_second),
          .begin_s = trace.seconds(model.window.begin_ticks),
          .end_s = trace.seconds(model.window.end_ticks),
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
  EfficiencyReport report =
      report_of(model, findings::efficiency(model, replay, replay.run_measured(), pool));
  if (!by) return report;
  const Rows rows(trace, model);
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
  EfficiencyTables tables{.report = report_of(model, efficiency)};
  const Rows rows(*model.trace, model);
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
  const EfficiencyFactor of_ranks[] = {
      {0, "parallel efficiency", e.parallel, "useful time of ranks"},
      {1, "load balance", e.load_balance, "mean over the busiest rank"},
      {1, "communication", e.communication, "busiest rank over all time"},
      {2, "serialisation", e.serialisation, "waiting for one another"},
      {3, "migration", e.migration, "load that is uneven step by step only"},
      {3, "dependency", e.dependency, "one after the other"},
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

std::vector<CriticalRow> critical_rows(const findings::Model& model,
                                       const findings::CriticalPath& path, const PathNames& names) {
  // Per path: ticks of the rank that has most of it, and which.
  std::map<uint32_t, std::pair<uint64_t, uint32_t>> most;
  for (const findings::CriticalPart& part : path.parts) {
    auto& [ticks, rank] = most[part.path];
    if (part.ticks <= ticks) continue;
    ticks = part.ticks;
    rank = model.all->calls.lanes[part.lane].rank;
  }
  const auto hz = static_cast<double>(model.trace->definitions.clock.ticks_per_second);
  const uint32_t ranks = std::max(1U, model.rank_count());
  std::vector<CriticalRow> rows;
  for (const findings::CriticalTotal& total : path.totals) {
    if (total.on_path_ticks == 0) continue;
    rows.push_back({.call_path = names.text(total.path),
                    .rank = most[total.path].second,
                    .on_path_s = static_cast<double>(total.on_path_ticks) / hz,
                    .imbalance_s = total.imbalance_ticks(ranks) / hz});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.on_path_s > b.on_path_s; });
  return rows;
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
