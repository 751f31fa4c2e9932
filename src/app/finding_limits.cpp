// SPDX-License-Identifier: BSD-3-Clause
#include "app/finding_limits.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "app/finding_texts.hpp"
#include "app/placement.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "trace/cpu_time.hpp"
#include "trace/outer_calls.hpp"

namespace pathline::app {
namespace {

/// Whether a metric was recorded that tells why work takes as long as it does.
bool has_counters(const trace::Definitions& definitions) {
  const auto is_counter = [&](uint32_t id) {
    const trace::MetricMember* member = definitions.metric_member(id);
    return member == nullptr ||
           (member->name != trace::kCpuTime && member->name != trace::kInvoluntarySwitches &&
            member->name != trace::kVoluntarySwitches);
  };
  return std::any_of(definitions.metrics.begin(), definitions.metrics.end(),
                     [&](const trace::Metric& metric) {
                       return metric.members.empty() ||
                              std::any_of(metric.members.begin(), metric.members.end(), is_counter);
                     });
}

namespace fs = std::filesystem;
using findings::FindingKind;

/// "0-3,8" -> 5.
size_t counted_units(const std::string& text, std::set<size_t>& units) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = std::string_view(text).substr(begin, end - begin);
    const size_t dash = part.find('-');
    const auto first = base::number_in<size_t>(part.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : base::number_in<size_t>(part.substr(dash + 1));
    constexpr size_t kMost = 1U << 16U;
    if (first && last && *last < kMost) {
      for (size_t unit = *first; unit <= *last; ++unit) units.insert(unit);
    }
    begin = end + 1;
  }
  return units.size();
}

class Notes {
 public:
  explicit Notes(FindingsReport& report) : report_(report) {}

  void add(FindingKind kind, const std::string& text, double rank_s = 0) {
    report_.warnings.push_back(text);
    FindingRow& row = report_.findings.emplace_back();
    row.kind = findings::finding_name(kind);
    row.confidence = findings::confidence_name(findings::Confidence::kLow);
    row.is_note = true;
    row.cost_rank_s = rank_s;
    row.ranks = "all";
    row.from_s = report_.begin_s;
    row.until_s = report_.end_s;
    row.text = text;
    row.advice = finding_advice({.kind = kind});
    row.show = {kind == FindingKind::kPolling
                    ? fmt::format("pathline waits {} --by rank", report_.run)
                    : fmt::format("pathline info {}", report_.run)};
  }

 private:
  FindingsReport& report_;
};

/// Waits that end in polls.
double polling_wait_s(const FindingsReport& report) {
  for (const FindingsReport::Wait& wait : report.waits) {
    if (wait.kind == comm::wait_name(comm::WaitKind::kPolling)) return wait.wait_s;
  }
  return 0;
}

void note_polls(FindingsReport& report, Notes& notes) {
  constexpr double kLeast = 0.02;
  const double waits = polling_wait_s(report);
  if (report.unknown_polling_s > kLeast * report.rank_s) {
    notes.add(FindingKind::kPolling,
              fmt::format("{} between polls (MPI_Test, MPI_Iprobe): what the program did there is "
                          "not known",
                          base::human_seconds(report.unknown_polling_s)),
              report.unknown_polling_s);
  } else if (waits > kLeast * report.rank_s) {
    notes.add(FindingKind::kPolling,
              fmt::format("{} of waiting in polls (MPI_Test, MPI_Iprobe), which keep a core busy",
                          base::human_seconds(waits)),
              waits);
  }
}

void note_start_up(const trace::Trace& trace, const JudgedPart& judged, Notes& notes) {
  constexpr double kMuch = 0.25;
  const double begin_s = trace.seconds(judged.program.begin_ticks);
  if (begin_s < kMuch * trace.duration_seconds()) return;
  notes.add(
      FindingKind::kStartUp,
      fmt::format("MPI_Init lasts until {} of {}, and is not judged", base::human_seconds(begin_s),
                  base::human_seconds(trace.duration_seconds())),
      begin_s * trace.rank_count);
}

}  // namespace

Places places_of(const std::string& input) {
  std::error_code ignored;
  const fs::path folder =
      fs::is_directory(input, ignored) ? fs::path(input) : fs::path(input).parent_path();
  Places places;
  const auto rows = read_placement_table(folder / "placement.csv");
  if (!rows) return places;
  std::map<std::string, std::pair<size_t, std::set<size_t>>> hosts;
  for (const RankPlace& place : rows.value()) {
    auto& [ranks, units] = hosts[place.host];
    ++ranks;
    counted_units(place.cpus, units);
  }
  // Of the fullest host.
  for (const auto& [host, of_host] : hosts) {
    const auto& [ranks, units] = of_host;
    if (units.empty()) continue;
    if (places.units == 0 || ranks * places.units > places.ranks * units.size()) {
      places.ranks = ranks;
      places.units = units.size();
    }
  }
  return places;
}

void note_limits(const trace::Trace& trace, const JudgedPart& judged, const Places& places,
                 FindingsReport& report) {
  const comm::Dependencies& all = judged.all;
  Notes notes(report);
  const auto classes = trace::call_classes(trace.definitions);
  const bool any_io = std::any_of(classes.begin(), classes.end(), [](trace::CallClass call) {
    return call == trace::CallClass::kFileIo;
  });
  if (!any_io) report.not_looked_at.emplace_back("reading and writing of files (record --io)");
  if (!has_counters(trace.definitions)) {
    report.not_looked_at.emplace_back("why work takes as long as it does (record --counters)");
  }
  note_polls(report, notes);
  note_start_up(trace, judged, notes);
  if (places.oversubscribed()) {
    notes.add(FindingKind::kOversubscribed,
              fmt::format("{} ran on {}: what looks like work may be waiting for a core",
                          base::counted(places.ranks, "rank", "ranks"),
                          base::counted(places.units, "core", "cores")));
  }
  if (!trace.complete)
    notes.add(FindingKind::kIncomplete, "the trace is not complete: findings may be wrong");
  if (all.violations > 0) {
    notes.add(FindingKind::kClock,
              fmt::format("{} ended before what {} on began, by at most {}: the clocks of ranks "
                          "disagree",
                          base::counted(all.violations, "call", "calls"),
                          all.violations == 1 ? "it depends" : "they depend",
                          base::human_seconds(trace.span_seconds(all.max_violation_ticks))));
  }
  if (!trace.unmatched_sends.empty() || !trace.unmatched_receives.empty()) {
    notes.add(
        FindingKind::kIncomplete,
        fmt::format("{} without a partner: whether anybody waited for them is not known",
                    base::counted(trace.unmatched_sends.size() + trace.unmatched_receives.size(),
                                  "message is", "messages are")));
  }
  if (report.efficiency.forced > 0) {
    notes.add(FindingKind::kClock,
              fmt::format("{} had to be ignored: ranks wait for one another in a circle",
                          base::counted(report.efficiency.forced, "dependency", "dependencies")));
  }
}

}  // namespace pathline::app
