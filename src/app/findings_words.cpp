// SPDX-License-Identifier: BSD-3-Clause
#include "app/findings_words.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace pathline::app {

std::string focus_text(const FindingsReport& report) {
  constexpr const char* kFocus[] = {"in its time steps", "from MPI_Init to MPI_Finalize",
                                    "of the run"};
  const double length = report.end_s - report.begin_s;
  const bool of_steps = report.steps > 0 && report.focus == findings::Focus::kSteps;
  std::string text =
      fmt::format("{}, {}{} {}", base::counted(report.ranks, "rank", "ranks"),
                  of_steps ? base::counted(report.steps, "step", "steps") + ", " : "",
                  base::human_seconds(length), kFocus[static_cast<size_t>(report.focus)]);
  if (report.focus == findings::Focus::kTime) {
    text += fmt::format(", from {:.6g} s to {:.6g} s", report.begin_s, report.end_s);
  }
  for (const auto& [what, rank_s] : report.outside_rank_s) {
    if (rank_s < 0.01 * length * report.ranks) continue;
    text += fmt::format("; {} {}", what, base::human_seconds(rank_s / std::max(1U, report.ranks)));
  }
  return text;
}

std::string place_text(const FindingRow& row) {
  if (row.place.empty()) return row.call_path;
  return row.call_path.empty() ? row.place : fmt::format("{}, {}", row.call_path, row.place);
}

std::string gain_text(const FindingRow& row) {
  return fmt::format("{} ({:.1f} %)", base::human_seconds(row.recoverable_s), row.recoverable_pct);
}

std::string growth_text(const FindingsReport& report, const FindingGrowth& growth) {
  std::vector<std::string> at;
  for (const auto& [parameter, value] : report.growth_at) {
    at.push_back(fmt::format("{} = {}", base::printable(parameter), value));
  }
  return fmt::format(
      "grows as {}: {:.1f} % here, {:.0f} % ({:.0f} to {:.0f} %) at {} by the models of its "
      "campaign",
      growth.grows_as, growth.here_pct, growth.there_pct, growth.there_low_pct,
      growth.there_high_pct, fmt::join(at, ", "));
}

std::string nothing_text(const FindingsReport& report) {
  const bool any = std::any_of(report.findings.begin(), report.findings.end(),
                               [](const FindingRow& row) { return !row.is_note; });
  std::string text = fmt::format("nothing {}wrong above {:.3g} % of the time", any ? "else " : "",
                                 report.nothing_above_pct);
  if (!report.not_looked_at.empty()) {
    text += fmt::format("; not looked at: {}", fmt::join(report.not_looked_at, ", "));
  }
  return text;
}

}  // namespace pathline::app
