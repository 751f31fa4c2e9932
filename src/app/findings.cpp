// SPDX-License-Identifier: BSD-3-Clause
#include "app/findings.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "app/efficiency.hpp"
#include "app/finding_limits.hpp"
#include "app/finding_place.hpp"
#include "app/finding_texts.hpp"
#include "app/judged_part.hpp"
#include "app/placement_finding.hpp"
#include "base/text.hpp"
#include "campaign/folder.hpp"
#include "comm/process_order.hpp"
#include "trace/outer_calls.hpp"

namespace pathline::app {
namespace {

using findings::Finding;
using findings::Judgement;

class Reporter {
 public:
  Reporter(const trace::Trace& trace, const std::string& input, const Judgement& judged)
      : trace_(trace),
        judged_(judged),
        model_(*judged.model),
        names_(trace, model_),
        hz_(ticks_per_second(trace)) {
    report_.run = campaign::shell_word(input);
  }

  FindingsReport report() {
    report_.focus = judged_.focus;
    report_.begin_s = trace_.seconds(model_.window.begin_ticks);
    report_.end_s = trace_.seconds(model_.window.end_ticks);
    report_.ranks = model_.rank_count();
    report_.threads = static_cast<uint32_t>(std::count_if(
        trace_.locations.begin(), trace_.locations.end(),
        [](const auto& location) { return location.type == trace::LocationType::kCpuThread; }));
    report_.steps = step_count();
    report_.ticks_per_second = hz_;
    report_.efficiency = judged_.efficiency;
    if (judged_.before_ticks > 0) {
      report_.outside_rank_s.emplace_back("before the steps", seconds(judged_.before_ticks));
    }
    if (judged_.after_ticks > 0) {
      report_.outside_rank_s.emplace_back("after the steps", seconds(judged_.after_ticks));
    }
    add_times();
    add_waits();
    add_critical();
    add_causes();
    for (const Finding& finding : judged_.findings) add_finding(finding);
    report_.nothing_above_pct = 100 * judged_.nothing_above_share;
    return std::move(report_);
  }

 private:
  /// Of the whole run.
  [[nodiscard]] size_t step_count() const {
    if (trace_.whole) return trace_.whole->step_count;
    std::set<uint32_t> steps;
    for (const auto& of_rank : model_.step_windows) {
      for (const trace::StepWindow& step : of_rank) steps.insert(step.step);
    }
    return steps.size();
  }
  static double ticks_per_second(const trace::Trace& trace) {
    return static_cast<double>(trace.definitions.clock.ticks_per_second);
  }
  [[nodiscard]] double seconds(double ticks) const { return ticks / hz_; }
  [[nodiscard]] double seconds(uint64_t ticks) const { return static_cast<double>(ticks) / hz_; }
  [[nodiscard]] std::string path_text(uint32_t path) const { return names_.text(path); }

  void add_times() {
    findings::LaneTime sum;
    double ranks = 0;
    for (size_t lane = 0; lane < judged_.times.size(); ++lane) {
      if (!model_.lanes[lane].recorded || !model_.lanes[lane].first_of_rank) continue;
      ++ranks;
      const findings::LaneTime& time = judged_.times[lane];
      sum.useful_ticks += time.useful_ticks;
      sum.wait_ticks += time.wait_ticks;
      sum.rest_ticks += time.rest_ticks;
      sum.polling_ticks += time.polling_ticks;
      sum.unknown_polling_ticks += time.unknown_polling_ticks;
    }
    report_.rank_s = ranks * seconds(model_.window.ticks());
    report_.useful_s = seconds(sum.useful_ticks);
    report_.wait_s = seconds(sum.wait_ticks);
    report_.rest_s = seconds(sum.rest_ticks);
    report_.polling_s = seconds(sum.polling_ticks);
    report_.unknown_polling_s = seconds(sum.unknown_polling_ticks);
    const auto classes = trace::call_classes(trace_.definitions);
    uint64_t io = 0;
    for (size_t i = 0; i < model_.piece_path.size(); ++i) {
      const uint32_t path = model_.piece_path[i];
      if (path == findings::kNone) continue;
      const trace::Region region = model_.call_paths[path].region;
      if (region.valid() && classes[region] == trace::CallClass::kFileIo)
        io += model_.piece_ticks[i];
    }
    report_.io_s = seconds(io);
  }

  void add_waits() {
    struct Sum {
      uint64_t count = 0;
      uint64_t ticks = 0;
    };
    std::vector<Sum> sums(comm::kWaitKindCount);
    for (const findings::Model::Lane& lane : model_.lanes) {
      for (uint32_t call = lane.first_call; call < lane.end_call; ++call) {
        const uint64_t ticks = model_.wait_ticks(call);
        if (ticks == 0) continue;
        Sum& sum = sums[static_cast<size_t>(model_.all->kind[call])];
        ++sum.count;
        sum.ticks += ticks;
      }
    }
    for (size_t kind = 0; kind < sums.size(); ++kind) {
      if (sums[kind].count == 0) continue;
      report_.waits.push_back({std::string(comm::wait_name(static_cast<comm::WaitKind>(kind))),
                               sums[kind].count, seconds(sums[kind].ticks)});
    }
    std::stable_sort(report_.waits.begin(), report_.waits.end(),
                     [](const auto& a, const auto& b) { return a.wait_s > b.wait_s; });
  }

  void add_critical() {
    constexpr size_t kMost = 20;
    for (const CriticalRow& row : critical_rows(model_, judged_.critical, names_)) {
      if (report_.critical.size() == kMost) break;
      report_.critical.push_back(
          {row.call_path, fmt::format("{}", row.rank), row.on_path_s, row.imbalance_s});
    }
  }

  void add_causes() {
    constexpr size_t kMost = 20;
    for (const findings::DelayCost& cost : judged_.costs.rows) {
      report_.causes.push_back({model_.all->calls.lanes[cost.lane].rank, path_text(cost.path),
                                seconds(cost.short_ticks), seconds(cost.long_ticks)});
    }
    std::stable_sort(report_.causes.begin(), report_.causes.end(),
                     [](const auto& a, const auto& b) {
                       return a.short_rank_s + a.long_rank_s > b.short_rank_s + b.long_rank_s;
                     });
    report_.causes.resize(std::min(report_.causes.size(), kMost));
  }

  /// The host that has these ranks and no others, of several.
  [[nodiscard]] std::string host_of_all(const std::vector<uint32_t>& ranks) const {
    if (ranks.empty()) return "";
    const std::string_view host = comm::host_of(trace_, ranks[0]);
    bool others = false;
    for (uint32_t rank = 0; rank < trace_.rank_count; ++rank) {
      const bool is_in = std::binary_search(ranks.begin(), ranks.end(), rank);
      const bool is_there = comm::host_of(trace_, rank) == host;
      if (is_in != is_there) return "";
      others = others || !is_there;
    }
    return others && ranks.size() > 1 ? base::printable(host) : "";
  }

  void add_finding(const Finding& finding) {
    const auto place = finding_place(model_, finding);
    FindingNames names{.run = report_.run,
                       .region = finding.path.empty() || !finding.path.back().valid()
                                     ? ""
                                     : names_.region(finding.path.back()),
                       .before = place && place->share >= 0.5 ? place->before : "",
                       .ticks_per_second = hz_,
                       .rank_count = report_.ranks,
                       .has_steps = report_.steps > 0,
                       .from_s = trace_.seconds(finding.seen.begin_ticks),
                       .until_s = trace_.seconds(finding.seen.end_ticks),
                       .host = host_of_all(finding.ranks)};
    names.picture = findings::finding_name(finding.kind);
    const auto alike =
        std::count_if(report_.findings.begin(), report_.findings.end(),
                      [&](const FindingRow& other) { return other.kind == names.picture; });
    FindingRow& row = report_.findings.emplace_back();
    row.kind = names.picture;
    if (alike > 0) names.picture += fmt::format("-{}", alike + 1);
    row.confidence = findings::confidence_name(finding.confidence);
    row.recoverable_s = seconds(finding.recoverable_ticks);
    row.recoverable_pct =
        100 * finding.recoverable_ticks / std::max(1.0, static_cast<double>(model_.window.ticks()));
    if (finding.after_above_ticks) row.after_above_s = seconds(*finding.after_above_ticks);
    row.cost_rank_s = seconds(finding.cost_ticks);
    row.ranks = finding.ranks.empty() ? "all" : ranges_text(finding.ranks);
    row.call_path = names_.text(finding.path);
    if (place) {
      row.place = fmt::format("{:.0f} % of {} {} {}", 100 * place->share,
                              finding.ranks.empty() ? "it" : "the excess",
                              place->between.empty() ? "before" : "between",
                              place->between.empty() ? place->before : place->between);
    }
    if (finding.first_step != findings::kNone) {
      row.steps = finding.first_step == finding.last_step
                      ? fmt::format("{}", finding.first_step)
                      : fmt::format("{}-{}", finding.first_step, finding.last_step);
    }
    row.from_s = names.from_s;
    row.until_s = names.until_s;
    row.text = finding_text(finding, names);
    if (finding.part == findings::Part::kBefore) row.text += ", before the first step";
    if (finding.part == findings::Part::kAfter) row.text += ", behind the last step";
    row.advice = finding_advice(finding);
    for (const auto& [key, value] : finding.evidence) row.evidence.emplace_back(key, value);
    row.show = finding_commands(finding, names);
    row.found = finding;
    row.view = finding_view(finding, names);
  }

  const trace::Trace& trace_;
  const Judgement& judged_;
  const findings::Model& model_;
  const PathNames names_;
  const double hz_;
  FindingsReport report_;
};

/// Puts what the placement of ranks costs among the findings.
void add_placement(const trace::Trace& trace, const FindingsRequest& request, Judgement& judgement,
                   base::ThreadPool& pool) {
  auto finding = bad_placement(trace, judgement, pool);
  if (!finding) return;
  const auto window = static_cast<double>(judgement.model->window.ticks());
  if (100 * finding->recoverable_ticks < request.min_percent * window) return;
  const auto behind =
      std::find_if(judgement.findings.begin(), judgement.findings.end(), [&](const Finding& other) {
        return other.confidence == findings::Confidence::kLow ||
               other.recoverable_ticks < finding->recoverable_ticks;
      });
  judgement.findings.insert(behind, std::move(*finding));
}

/// From MPI_Init to MPI_Finalize; of a time that was chosen in that alone.
figure::CriticalPath program_path(const trace::Trace& trace, const JudgedPart& judged,
                                  const Judgement& judgement, base::ThreadPool& pool) {
  figure::CriticalPath stretches;
  const auto add = [&](const findings::CriticalPath& path) {
    for (const findings::CriticalSegment& segment : path.segments) {
      stretches.push_back(
          {judged.all.calls.lanes[segment.lane].location, segment.begin_ticks, segment.end_ticks});
    }
  };
  if (judged.window == judged.program || judged.focus == findings::Focus::kTime) {
    add(judgement.critical);
  } else {
    add(findings::critical_path(findings::model(trace, judged.all, judged.program,
                                                trace::marked_steps(trace, &pool), pool)));
  }
  return stretches;
}

}  // namespace

std::string ranges_text(const std::vector<uint32_t>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += end - i == 1 ? fmt::format("{}", numbers[i])
                         : fmt::format("{}-{}", numbers[i], numbers[end - 1]);
    i = end;
  }
  return text;
}

JudgedReport findings_of(const trace::Trace& trace, const JudgedPart& judged,
                         const std::string& input, const FindingsRequest& request,
                         base::ThreadPool& pool, base::Progress& progress) {
  const Places places = places_of(input);
  progress.begin("replaying the run", "", 0);
  Judgement judgement = findings::judge(trace, judged.all,
                                        {.focus = judged.focus,
                                         .program = judged.program,
                                         .window = judged.window,
                                         .least_share = request.min_percent / 100,
                                         .oversubscribed = places.oversubscribed()},
                                        pool);
  add_placement(trace, request, judgement, pool);
  FindingsReport report = Reporter(trace, input, judgement).report();
  report.counted = findings::counted_work(*judgement.model, pool);
  if (request.critical_path) report.stretches = program_path(trace, judged, judgement, pool);
  note_limits(trace, judged, places, report);
  return {std::move(report), std::move(judgement)};
}

base::Result<FindingsReport> find_findings(const trace::Trace& trace, const std::string& input,
                                           const FindingsRequest& request, base::ThreadPool& pool,
                                           base::Progress& progress) {
  progress.begin("finding out who waits for whom", "", 0);
  auto part = judged_part(trace, input, request, pool);
  if (!part) return part.error();
  return findings_of(trace, *part.value(), input, request, pool, progress).report;
}

void name_run(const std::string& input, FindingsReport& report) {
  const std::string is = campaign::shell_word(input);
  for (FindingRow& row : report.findings) {
    for (std::string& command : row.show) {  // In which it is a word of its own.
      const size_t at = (command + ' ').find(' ' + report.run + ' ');
      if (at != std::string::npos) command.replace(at + 1, report.run.size(), is);
    }
  }
  report.run = is;
}

figure::Causes causes_of(const FindingsReport& report) {
  figure::Causes causes;
  for (const FindingRow& row : report.findings) {
    const std::vector<uint32_t>& ranks = row.found.ranks;
    const std::string who = ranks.empty()       ? "all ranks"
                            : ranks.size() == 1 ? "rank " + row.ranks
                                                : "ranks " + row.ranks;
    // What is found in all of the time has no place where it is largest.
    const bool is_everywhere =
        ranks.empty() && row.from_s <= report.begin_s && row.until_s >= report.end_s;
    causes.push_back(
        {.name = fmt::format("{} {}", causes.size() + 1, row.kind),
         .remark = fmt::format("{:.1f} %, {}", row.recoverable_pct,
                               is_everywhere && !row.call_path.empty() ? row.call_path : who),
         .ranks = ranks,
         .path = is_everywhere ? std::vector{trace::Region()} : row.found.path,
         .begin_ticks = row.found.seen.begin_ticks,
         .end_ticks = row.found.seen.end_ticks});
  }
  return causes;
}

std::string findings_line(const FindingsReport& report) {
  const auto count = static_cast<size_t>(
      std::count_if(report.findings.begin(), report.findings.end(),
                    [](const FindingRow& row) { return row.confidence != "low"; }));
  if (count == 0) {
    return fmt::format("nothing found that would gain {:.3g} % or more", report.nothing_above_pct);
  }
  const FindingRow& first = report.findings.front();
  return fmt::format("{}, {} of {}: {}", base::counted(count, "finding", "findings"),
                     base::human_seconds(first.recoverable_s),
                     base::human_seconds(report.end_s - report.begin_s), first.text);
}

bool expects_none(const FindingsReport& report) {
  return std::all_of(report.findings.begin(), report.findings.end(),
                     [](const FindingRow& row) { return row.confidence == "low"; });
}

}  // namespace pathline::app
