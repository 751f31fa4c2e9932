// SPDX-License-Identifier: BSD-3-Clause
#include "app/findings_against.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace pathline::app {
namespace {

std::string verdict_of(const FindingChange& change) {
  constexpr double kSame = 0.1;
  if (!change.before_s) return "new";
  if (!change.after_s) return "gone";
  const double larger = std::max(*change.before_s, *change.after_s);
  if (std::abs(*change.after_s - *change.before_s) <= kSame * larger) return "same";
  return *change.after_s < *change.before_s ? "better" : "worse";
}

/// What is the same in both runs: of what calls of MPI cost their function, which one call path has
/// most of in one run, and several in the other.
std::string place_of(const FindingRow& row) {
  using findings::FindingKind;
  const auto is = [&](FindingKind kind) { return row.kind == findings::finding_name(kind); };
  const bool is_cost =
      is(FindingKind::kTransfer) || is(FindingKind::kCollectiveCost) || is(FindingKind::kFenceCost);
  const size_t last = row.call_path.rfind("->");
  return is_cost && last != std::string::npos ? row.call_path.substr(last + 2) : row.call_path;
}

}  // namespace

double FindingsChange::computation_scaling() const {
  return after_useful_s > 0 ? before_useful_s / after_useful_s : 0;
}

FindingsChange compare_findings(const FindingsReport& before, const FindingsReport& after) {
  FindingsChange change{.before_s = before.end_s - before.begin_s,
                        .after_s = after.end_s - after.begin_s,
                        .before_ranks = before.ranks,
                        .after_ranks = after.ranks,
                        .before_useful_s = before.useful_s,
                        .after_useful_s = after.useful_s,
                        .before_parallel = before.efficiency.parallel,
                        .after_parallel = after.efficiency.parallel,
                        .work = work_scaling(before, after),
                        .rows = {}};
  std::map<std::pair<std::string, std::string>, FindingChange> rows;
  for (const FindingRow& row : before.findings) {
    if (row.is_note) continue;
    FindingChange& entry = rows[{row.kind, place_of(row)}];
    entry.ranks = row.ranks;
    entry.call_path = row.call_path;
    entry.before_s = std::max(entry.before_s.value_or(0), row.recoverable_s);
  }
  for (const FindingRow& row : after.findings) {
    if (row.is_note) continue;
    FindingChange& entry = rows[{row.kind, place_of(row)}];
    entry.ranks = row.ranks;
    entry.call_path = row.call_path;
    entry.after_s = std::max(entry.after_s.value_or(0), row.recoverable_s);
  }
  for (auto& [key, entry] : rows) {
    entry.kind = key.first;
    entry.verdict = verdict_of(entry);
    change.rows.push_back(entry);
  }
  std::stable_sort(change.rows.begin(), change.rows.end(),
                   [](const FindingChange& a, const FindingChange& b) {
                     const auto size = [](const FindingChange& row) {
                       return std::abs(row.after_s.value_or(0) - row.before_s.value_or(0));
                     };
                     return size(a) > size(b);
                   });
  return change;
}

std::string change_text(const FindingsChange& change) {
  std::string text = fmt::format(
      "{} -> {} ({:+.1f} %); parallel efficiency {:.1f} % -> {:.1f} %; work {:+.1f} %",
      base::human_seconds(change.before_s), base::human_seconds(change.after_s),
      change.before_s > 0 ? 100 * (change.after_s / change.before_s - 1) : 0,
      100 * change.before_parallel, 100 * change.after_parallel,
      change.before_useful_s > 0 ? 100 * (change.after_useful_s / change.before_useful_s - 1) : 0);
  const auto factor = [&](const char* name, const std::optional<double>& value) {
    if (value) text += fmt::format(", {} {:+.1f} %", name, 100 * (*value - 1));
  };
  if (change.work) {
    // Less is what work needs; the others say how fast it is.
    std::optional<double> needed = change.work->instructions;
    if (needed) needed = 1 / *needed;
    factor(change.work->weak ? "instructions of a rank" : "instructions", needed);
    factor("instructions a cycle", change.work->ipc);
    factor("frequency", change.work->frequency);
  }
  if (change.before_ranks != change.after_ranks) {
    text += fmt::format("; {} -> {} ranks", change.before_ranks, change.after_ranks);
  }
  return text;
}

nlohmann::ordered_json change_json(const FindingsChange& change) {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array();
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  for (const FindingChange& row : change.rows) {
    rows.push_back({{"verdict", row.verdict},
                    {"kind", row.kind},
                    {"ranks", row.ranks},
                    {"callpath", row.call_path},
                    {"before_s", number(row.before_s)},
                    {"after_s", number(row.after_s)}});
  }
  return {{"before_s", change.before_s}, {"after_s", change.after_s}, {"findings", rows}};
}

nlohmann::ordered_json scaling_json(const FindingsChange& change) {
  // With P ranks each: the same problem (strong scaling), or one that grew with them (weak).
  const double more = change.before_ranks > 0 ? static_cast<double>(change.after_ranks) /
                                                    static_cast<double>(change.before_ranks)
                                              : 0;
  const double computation = change.computation_scaling();
  const auto number = [&](std::optional<double> WorkScaling::*value) {
    const bool has = change.work && ((*change.work).*value);
    return has ? nlohmann::ordered_json(*((*change.work).*value)) : nlohmann::ordered_json(nullptr);
  };
  return {{"before_ranks", change.before_ranks},
          {"after_ranks", change.after_ranks},
          {"computation_strong", computation},
          {"computation_weak", computation * more},
          {"parallel_before", change.before_parallel},
          {"parallel_after", change.after_parallel},
          {"instructions", number(&WorkScaling::instructions)},
          {"ipc", number(&WorkScaling::ipc)},
          {"frequency", number(&WorkScaling::frequency)},
          {"weak", change.work ? nlohmann::ordered_json(change.work->weak)
                               : nlohmann::ordered_json(nullptr)}};
}

}  // namespace pathline::app
