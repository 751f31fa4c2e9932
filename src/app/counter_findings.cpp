// SPDX-License-Identifier: BSD-3-Clause
#include "app/counter_findings.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/finding_texts.hpp"

namespace pathline::app {
namespace {

using findings::CountedWork;
using findings::FindingKind;

double ipc(const CountedWork& work) {
  return *work.cycles > 0 ? *work.instructions / *work.cycles : 0;
}

double hertz(const CountedWork& work, const FindingsReport& report) {
  return *work.cycles * report.ticks_per_second / static_cast<double>(work.ticks);
}

/// Instructions of all useful time, of which a part was counted.
double instructions(const CountedWork& work, const FindingsReport& report) {
  const double counted_s = static_cast<double>(work.ticks) / report.ticks_per_second;
  return *work.instructions * report.useful_s / counted_s;
}

std::optional<double> factor(double better_if_less, double than) {
  if (better_if_less <= 0 || than <= 0) return std::nullopt;
  return than / better_if_less;
}

struct Drop {
  FindingKind kind;
  std::optional<double> factor;
  double before;
  double after;
};

void add(const Drop& drop, const FindingsReport& before, double min_percent, bool weak,
         FindingsReport& after) {
  constexpr double kLeastFactor = 0.9;
  if (!drop.factor || *drop.factor >= kLeastFactor) return;
  const double length = after.end_s - after.begin_s;
  const double work_s = after.useful_s / std::max(1U, after.ranks);
  FindingRow row;
  row.recoverable_s = work_s * (1 - *drop.factor);
  row.recoverable_pct = length > 0 ? 100 * row.recoverable_s / length : 0;
  if (row.recoverable_pct < min_percent) return;
  findings::Finding finding;
  finding.kind = drop.kind;
  finding.evidence = {{"factor", *drop.factor},
                      {"before", drop.before},
                      {"after", drop.after},
                      {"weak", weak ? 1 : 0}};
  row.kind = findings::finding_name(drop.kind);
  row.confidence = findings::confidence_name(findings::Confidence::kMedium);
  row.cost_rank_s = row.recoverable_s * after.ranks;
  row.ranks = "all";
  row.from_s = after.begin_s;
  row.until_s = after.end_s;
  row.text = finding_text(finding, {});
  row.advice = finding_advice({.kind = drop.kind});
  for (const auto& [key, value] : finding.evidence) row.evidence.emplace_back(key, value);
  row.show = {fmt::format("pathline diff {} {}", before.run, after.run),
              fmt::format("pathline profile {} --by rank", after.run)};
  const auto behind =
      std::find_if(after.findings.begin(), after.findings.end(), [&](const FindingRow& other) {
        return other.confidence == "low" || other.recoverable_s < row.recoverable_s;
      });
  after.findings.insert(behind, std::move(row));
}

}  // namespace

std::optional<WorkScaling> work_scaling(const FindingsReport& before, const FindingsReport& after) {
  if (!before.counted || !after.counted) return std::nullopt;
  const CountedWork& a = *before.counted;
  const CountedWork& b = *after.counted;
  WorkScaling scaling;
  if (a.instructions && b.instructions) {
    scaling.instructions = factor(instructions(b, after), instructions(a, before));
    const double more = before.ranks > 0 ? static_cast<double>(after.ranks) / before.ranks : 1;
    if (scaling.instructions && more > 0) {
      const double strong = std::abs(std::log(*scaling.instructions));
      scaling.weak = std::abs(std::log(*scaling.instructions * more)) < strong;
      if (scaling.weak) *scaling.instructions *= more;
    }
  }
  if (scaling.instructions && a.cycles && b.cycles) scaling.ipc = factor(ipc(a), ipc(b));
  if (a.cycles && b.cycles) scaling.frequency = factor(hertz(a, before), hertz(b, after));
  return scaling;
}

void add_counter_findings(const FindingsReport& before, double min_percent, FindingsReport& after) {
  const auto scaling = work_scaling(before, after);
  if (!scaling) return;
  const CountedWork& a = *before.counted;
  const CountedWork& b = *after.counted;
  if (scaling->instructions) {
    add({FindingKind::kMoreInstructions, scaling->instructions, instructions(a, before),
         instructions(b, after)},
        before, min_percent, scaling->weak, after);
  }
  if (scaling->ipc) {
    add({FindingKind::kIpcDrop, scaling->ipc, ipc(a), ipc(b)}, before, min_percent, false, after);
  }
  if (scaling->frequency) {
    add({FindingKind::kFrequencyDrop, scaling->frequency, hertz(a, before), hertz(b, after)},
        before, min_percent, false, after);
  }
}

}  // namespace pathline::app
