// SPDX-License-Identifier: BSD-3-Clause
#include "app/judged_metrics.hpp"

#include <map>
#include <utility>
#include <vector>

#include "app/efficiency.hpp"
#include "app/findings.hpp"

namespace pathline::app {
namespace {

using profile::MetricTable;

MetricTable table_of(profile::Metric metric,
                     const std::vector<std::pair<std::string, double>>& values) {
  MetricTable table;
  table.metrics = {std::move(metric)};
  table.location_count = 1;
  table.rank_of_location = {trace::Rank(0)};
  table.values.resize(1);
  for (const auto& [name, value] : values) {
    table.call_paths.push_back({profile::MetricNode::kNoParent, name});
    table.values[0].push_back(value);
  }
  return table;
}

}  // namespace

bool is_judged_metric(std::string_view name) {
  return name == "efficiency" || name == "lost_time" || name == "findings";
}

base::Result<MetricTable> judged_metric(const trace::Trace& trace, const std::string& input,
                                        std::string_view name, base::ThreadPool& pool,
                                        base::Progress& progress) {
  if (name == "findings") {
    const auto report = find_findings(trace, input, {}, pool, progress);
    if (!report) return report.error();
    std::map<std::string, double> seconds;
    for (const FindingRow& row : report.value().findings) {
      if (row.is_note) continue;
      // The kind last, as tables that find no room leave out callers.
      std::string key = row.call_path;
      if (!key.empty()) key += profile::kCallPathArrow;
      seconds[key + row.kind] += row.recoverable_s;
    }
    return table_of({.name = "findings", .unit = "sec"}, {seconds.begin(), seconds.end()});
  }
  const auto report = find_efficiency(trace, input, {}, std::nullopt, pool, progress);
  if (!report) return report.error();
  const findings::Efficiency& e = report.value().whole;
  if (name == "efficiency") {
    return table_of({.name = "efficiency", .unit = "", .combine = profile::Combine::kMax},
                    {{"parallel", e.parallel},
                     {"load balance", e.load_balance},
                     {"communication", e.communication},
                     {"serialisation", e.serialisation},
                     {"migration", e.migration},
                     {"dependency", e.dependency},
                     {"transfer", e.transfer}});
  }
  const double whole = report.value().end_s - report.value().begin_s;
  const double busiest = e.communication * whole;
  const double useful = e.parallel * whole;
  const double ideal = static_cast<double>(e.ideal_ticks) / report.value().ticks_per_second;
  return table_of({.name = "lost_time", .unit = "sec"}, {{"useful", useful},
                                                         {"load imbalance", busiest - useful},
                                                         {"serialisation", ideal - busiest},
                                                         {"transfer", whole - ideal}});
}

}  // namespace pathline::app
