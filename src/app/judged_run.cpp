// SPDX-License-Identifier: BSD-3-Clause
#include "app/judged_run.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/judged_part.hpp"

// How what is kept is written: each structure as an object with the names of its fields.

template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  static void to_json(json& to, const std::optional<T>& from) {
    if (from) to = *from;
  }
  static void from_json(const json& from, std::optional<T>& to) {
    to = from.is_null() ? std::nullopt : std::optional<T>(from.get<T>());
  }
};

template <>
struct nlohmann::adl_serializer<pathline::trace::Region> {
  static void to_json(json& to, pathline::trace::Region from) { to = uint32_t{from}; }
  static void from_json(const json& from, pathline::trace::Region& to) {
    to = pathline::trace::Region(from.get<uint32_t>());
  }
};

namespace pathline::findings {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Window, begin_ticks, end_ticks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StepEfficiency, step, ticks, load_balance, communication,
                                   complete)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Efficiency::OpenMp, threads, parallel, openmp, serial,
                                   load_balance, scheduling)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Efficiency, ranks, measured_ticks, ideal_ticks, replayed_ticks,
                                   forced, useful_ticks, most_useful_ticks, parallel, parallel_high,
                                   load_balance, communication, serialisation, migration,
                                   dependency, transfer, openmp, steps)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CountedWork, ticks, instructions, cycles)
// Without what only the making of a report needs.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Finding, ranks, path, seen)

}  // namespace pathline::findings

namespace pathline::figure {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CriticalStretch, location, begin_ticks, end_ticks)

}  // namespace pathline::figure

namespace pathline::app {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FindingsRequest, focus, from_s, until_s, min_percent)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FindingView, from_s, until_s, ranks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FindingRow, kind, confidence, recoverable_s, recoverable_pct,
                                   after_above_s, cost_rank_s, ranks, call_path, place, steps,
                                   from_s, until_s, text, advice, evidence, show, is_note, found,
                                   view)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FindingsReport::Wait, kind, count, wait_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FindingsReport::Critical, call_path, rank, on_path_s,
                                   imbalance_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FindingsReport::Cause, rank, call_path, short_rank_s,
                                   long_rank_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FindingsReport, run, focus, begin_s, end_s, outside_rank_s,
                                   ranks, threads, steps, ticks_per_second, efficiency, rank_s,
                                   useful_s, io_s, wait_s, rest_s, polling_s, unknown_polling_s,
                                   counted, waits, critical, causes, findings, nothing_above_pct,
                                   not_looked_at, warnings, stretches)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EfficiencyRow, name, mean_s, max_s, max_rank, load_balance,
                                   communication, length_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EfficiencyReport, whole, ticks_per_second, begin_s, end_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EfficiencyTables, report, regions, hosts, steps)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CriticalRow, call_path, rank, on_path_s, imbalance_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CriticalReport, begin_s, end_s, segments, rows)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StepFinding, step, length_s, excess_s, wait_rank_s, waits, rank,
                                   call_path, cause_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StepFindings, median_s, rows)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PathWaits, kind, call_path, count, wait_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WaitCause, kind, rank, call_path, short_term_rank_s,
                                   long_term_rank_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(JudgedRun, request, findings, efficiency, critical, steps,
                                   waits_by_path, wait_causes, has_all_causes)

namespace {

// Of a run on many ranks there are millions, of which a picture shows a few hundred.
constexpr size_t kMostCauses = 20'000;
constexpr size_t kMostStretches = 200'000;

/// What would lead out of the tables of the run.
std::string fault_of(const JudgedRun& judged, const trace::Trace& run) {
  const FindingsReport& report = judged.findings;
  const auto is_focus = [](findings::Focus focus) { return focus <= findings::Focus::kTime; };
  if (!is_focus(judged.request.focus) || !is_focus(report.focus)) return "a focus that is none";
  const auto is_rank = [&](uint32_t rank) { return rank < run.rank_count; };
  for (const FindingRow& row : report.findings) {
    const auto& path = row.found.path;
    if (std::any_of(path.begin(), path.end(), [&](trace::Region region) {
          return region.valid() && region >= run.definitions.regions.size();
        })) {
      return "a region that does not exist";
    }
    if (!std::all_of(row.found.ranks.begin(), row.found.ranks.end(), is_rank) ||
        !std::all_of(row.view.ranks.begin(), row.view.ranks.end(), is_rank)) {
      return "a rank that does not exist";
    }
  }
  if (std::any_of(report.stretches.begin(), report.stretches.end(), [&](const auto& stretch) {
        return stretch.location >= run.locations.size() || stretch.begin_ticks > stretch.end_ticks;
      })) {
    return "a critical path that is none";
  }
  return "";
}

}  // namespace

namespace {

/// Whether a finding gains too little for `min_percent`; what limits a verdict gains nothing.
bool is_left_out(const FindingRow& row, double min_percent) {
  return !row.is_note && row.recoverable_pct < min_percent;
}

}  // namespace

bool JudgedRun::answers(const FindingsRequest& other) const {
  if (request.focus != other.focus || request.from_s != other.from_s ||
      request.until_s != other.until_s || request.min_percent > other.min_percent) {
    return false;
  }
  // What is gained after those above counts those that would be left out.
  const auto& rows = findings.findings;
  const auto left_out = [&](const FindingRow& row) { return is_left_out(row, other.min_percent); };
  const auto first = std::find_if(rows.begin(), rows.end(), left_out);
  return std::all_of(first, rows.end(),
                     [&](const FindingRow& row) { return row.is_note || left_out(row); });
}

void JudgedRun::leave_out_below(double min_percent) {
  if (min_percent == request.min_percent) return;
  request.min_percent = min_percent;
  findings.nothing_above_pct = min_percent;
  std::erase_if(findings.findings,
                [&](const FindingRow& row) { return is_left_out(row, min_percent); });
}

base::Result<JudgedRun> judge_run(const trace::Trace& trace, const std::string& input,
                                  const FindingsRequest& request, base::ThreadPool& pool,
                                  base::Progress& progress) {
  progress.begin("finding out who waits for whom", "", 0);
  const auto part = judged_part(trace, input, request, pool);
  if (!part) return part.error();
  const JudgedPart& in_focus = *part.value();
  JudgedRun judged{.request = request};
  judged.request.critical_path = true;
  {
    auto [report, judgement] = findings_of(trace, in_focus, input, judged.request, pool, progress);
    judged.findings = std::move(report);
    const findings::Model& model = *judgement.model;
    judged.efficiency = efficiency_tables(model, judgement.efficiency);
    judged.critical = critical_report(model, judgement.critical);
    judged.steps = step_findings(model, judgement.efficiency, judgement.critical);
  }  // It is not needed with the model of the whole run.
  WaitRows waits = wait_rows(trace, in_focus.all, {}, pool);
  judged.waits_by_path = std::move(waits.by_path);
  judged.wait_causes = std::move(waits.causes);
  keep_most(judged);
  return judged;
}

void keep_most(JudgedRun& judged) {
  judged.has_all_causes = judged.wait_causes.size() <= kMostCauses;
  judged.wait_causes.resize(std::min(judged.wait_causes.size(), kMostCauses));
  if (judged.findings.stretches.size() > kMostStretches) judged.findings.stretches.clear();
}

std::string to_text(const JudgedRun& judged) {
  return nlohmann::json(judged).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

base::Result<std::optional<JudgedRun>> judged_run(const std::filesystem::path& file,
                                                  const std::string& text,
                                                  const trace::Trace& run) {
  if (text.empty()) return std::optional<JudgedRun>();
  const auto damaged = [&](std::string_view why) {
    return base::Error{base::ErrorCode::kCorrupt,
                       fmt::format("{}: its findings cannot be read: {}", file.string(), why)};
  };
  std::optional<JudgedRun> judged;
  try {
    judged = nlohmann::json::parse(text).get<JudgedRun>();
  } catch (const nlohmann::json::exception& error) {
    return damaged(error.what());
  }
  if (const std::string fault = fault_of(*judged, run); !fault.empty()) {
    return damaged(fault);
  }
  name_run(file.string(), judged->findings);
  return judged;
}

}  // namespace pathline::app
