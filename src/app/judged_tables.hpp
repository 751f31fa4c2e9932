// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/data_table.hpp"
#include "app/efficiency.hpp"
#include "app/findings.hpp"
#include "app/step_findings.hpp"
#include "app/wait_rows.hpp"
#include "base/result.hpp"

// As run_tables.hpp, of what was concluded from who waits for whom.
namespace pathline::app {

DataTable waits_table(const std::vector<PathWaits>& rows);
DataTable waits_table(const std::vector<WaitCause>& rows);

DataTable findings_table(const FindingsReport& report);
DataTable findings_table(const StepFindings& steps);

/// by       "run", for which there is none, "region", "host", "step"
/// errors   kInvalidArgument for another one.
base::Result<std::optional<EfficiencyBy>> efficiency_by(std::string_view by);
/// One row, the tree of factors; of ranks with threads there are more of them.
DataTable efficiency_table(const EfficiencyReport& report);
/// by  what the rows of the report are of
DataTable efficiency_table(const EfficiencyReport& report, EfficiencyBy by);

DataTable critical_table(const CriticalReport& report);

}  // namespace pathline::app
