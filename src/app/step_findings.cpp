// SPDX-License-Identifier: BSD-3-Clause
#include "app/step_findings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/judged_part.hpp"

namespace pathline::app {
namespace {

std::string waits_text(const findings::StepCause& cause, double hz) {
  std::vector<std::pair<uint64_t, size_t>> kinds;
  for (size_t kind = 0; kind < cause.waits.size(); ++kind) {
    if (cause.waits[kind] > 0) kinds.emplace_back(cause.waits[kind], kind);
  }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [ticks, kind] : kinds) {
    if (!text.empty()) text += ' ';
    text += fmt::format("{} {:.9f}", comm::wait_name(static_cast<comm::WaitKind>(kind)),
                        static_cast<double>(ticks) / hz);
  }
  return text;
}

/// The lower one of an even number.
double median_of(const std::vector<StepFinding>& rows) {
  std::vector<double> lengths;
  for (const StepFinding& row : rows) lengths.push_back(row.length_s);
  if (lengths.empty()) return 0;
  const auto middle = lengths.begin() + static_cast<ptrdiff_t>((lengths.size() - 1) / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

}  // namespace

StepFindings step_findings(const trace::Trace& run, const std::vector<findings::StepCause>& causes,
                           const std::vector<uint32_t>& rank_of_lane, const PathNames& names) {
  const auto hz = static_cast<double>(run.definitions.clock.ticks_per_second);
  StepFindings found;
  for (const findings::StepCause& cause : causes) {
    StepFinding& row = found.rows.emplace_back();
    row.step = cause.step;
    row.length_s = static_cast<double>(cause.ticks) / hz;
    for (const uint64_t ticks : cause.waits) row.wait_rank_s += static_cast<double>(ticks) / hz;
    row.waits = waits_text(cause, hz);
    if (cause.lane == findings::kNone) continue;
    row.rank = fmt::format("{}", rank_of_lane[cause.lane]);
    row.call_path = names.text(cause.path);
    row.cause_s = cause.beyond_ticks / hz;
  }
  found.median_s = median_of(found.rows);
  for (StepFinding& row : found.rows) row.excess_s = row.length_s - found.median_s;
  return found;
}

StepFindings step_findings(const findings::Model& model, const findings::Efficiency& efficiency,
                           const findings::CriticalPath& critical) {
  std::vector<uint32_t> rank_of_lane;
  for (const auto& lane : model.all->calls.lanes) rank_of_lane.push_back(lane.rank);
  return step_findings(*model.trace, findings::step_causes(model, efficiency.steps, critical),
                       rank_of_lane, PathNames(*model.trace, model));
}

base::Result<StepFindings> find_step_findings(const trace::Trace& trace, const std::string& input,
                                              const FindingsRequest& request,
                                              base::ThreadPool& pool, base::Progress& progress) {
  progress.begin("finding out who waits for whom", "", 0);
  auto part = judged_part(trace, input, request, pool);
  if (!part) return part.error();
  const findings::Model model = model_of(trace, *part.value(), pool);
  progress.begin("replaying the run", "", 0);
  const findings::Replay replay(model);
  return step_findings(model, findings::efficiency(model, replay, replay.run_measured(), pool),
                       findings::critical_path(model));
}

}  // namespace pathline::app
