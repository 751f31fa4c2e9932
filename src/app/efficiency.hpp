// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/findings.hpp"
#include "findings/critical_path.hpp"
#include "findings/efficiency.hpp"

namespace pathline::app {

/// Useful time of a region, a host or a step, and how evenly ranks share it.
struct EfficiencyRow {
  std::string name;
  double mean_s = 0;  ///< Useful time of a rank.
  double max_s = 0;
  uint32_t max_rank = 0;
  double load_balance = 1;              ///< Mean over maximum.
  std::optional<double> communication;  ///< Of a step: maximum over its length.
  std::optional<double> length_s;       ///< Of a step.
};

enum class EfficiencyBy : uint8_t { kRegion, kHost, kStep };

/// How well a part of a run uses its ranks.
struct EfficiencyReport {
  findings::Efficiency whole;
  double ticks_per_second = 1;
  double begin_s = 0;
  double end_s = 0;
  std::vector<EfficiencyRow>
      rows;  ///< Regions: most time first; hosts by their ranks; steps in order.
};

/// errors  as find_findings()
base::Result<EfficiencyReport> find_efficiency(const trace::Trace& trace, const std::string& input,
                                               const FindingsRequest& request,
                                               std::optional<EfficiencyBy> by,
                                               base::ThreadPool& pool, base::Progress& progress);

/// The same of what was found otherwise.
///
/// run  whose definitions and time that is.
EfficiencyReport efficiency_report(const trace::Trace& run, const findings::Window& window,
                                   const findings::Efficiency& efficiency,
                                   const findings::UsefulTime& useful,
                                   std::optional<EfficiencyBy> by);

/// The efficiencies of a part, and all rows that there are of it.
struct EfficiencyTables {
  EfficiencyReport report;  ///< Without rows.
  std::vector<EfficiencyRow> regions;
  std::vector<EfficiencyRow> hosts;
  std::vector<EfficiencyRow> steps;
};
/// What find_efficiency() answers.
EfficiencyReport report_by(EfficiencyTables tables, std::optional<EfficiencyBy> by);
EfficiencyTables efficiency_tables(const findings::Model& model,
                                   const findings::Efficiency& efficiency);

/// A line of the tree of factors.
struct EfficiencyFactor {
  uint32_t depth;  ///< Below the factor before it that has a lower one.
  const char* name;
  double value;
  const char* what;  ///< It tells, in a few words.
};

/// The tree, a factor behind what it is a factor of: OpenMP only of ranks with threads.
std::vector<EfficiencyFactor> efficiency_factors(const findings::Efficiency& efficiency);

/// The object `efficiency` of design/findings.md, section 6.
nlohmann::ordered_json efficiency_json(const findings::Efficiency& efficiency,
                                       double ticks_per_second);

/// What one call path has of the critical path.
struct CriticalRow {
  std::string call_path;  ///< "" outside of all calls.
  uint32_t rank = 0;      ///< That has most of it.
  double on_path_s = 0;
  double imbalance_s = 0;  ///< Beyond the mean of all ranks: what balance would gain at most.
};

class PathNames;

/// The call paths on a critical path, most time first, then in their order.
std::vector<CriticalRow> critical_rows(const findings::Model& model,
                                       const findings::CriticalPath& path, const PathNames& names);

struct CriticalReport {
  double begin_s = 0;
  double end_s = 0;
  size_t segments = 0;
  std::vector<CriticalRow> rows;  ///< Most time on the path first.
};

/// errors  as find_findings()
base::Result<CriticalReport> find_critical_path(const trace::Trace& trace, const std::string& input,
                                                const FindingsRequest& request,
                                                base::ThreadPool& pool, base::Progress& progress);

CriticalReport critical_report(const findings::Model& model, const findings::CriticalPath& path);
/// The same of what was found otherwise.
///
/// run  whose definitions and time that is.
CriticalReport critical_report(const trace::Trace& run, const findings::Window& window,
                               const findings::GrowingCriticalPath::Found& found);

}  // namespace pathline::app
