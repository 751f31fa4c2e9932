// SPDX-License-Identifier: BSD-3-Clause
// Long because the thresholds stand beside all that is decided by them.
#include "findings/judge.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "findings/barrier_findings.hpp"
#include "findings/cost_findings.hpp"
#include "findings/cpu_time.hpp"
#include "findings/message_findings.hpp"
#include "findings/path_load.hpp"
#include "findings/waits_of.hpp"
#include "findings/what_if.hpp"
#include "trace/calls.hpp"
#include "trace/outer_calls.hpp"

namespace pathline::findings {
namespace {

constexpr size_t kMostPaths = 16;
constexpr double kLeastCost = 0.005;        // Of all rank time: less is not looked at.
constexpr double kSameRank = 0.6;           // PathLoad::same_rank() of an imbalance.
constexpr double kAlone = 3;                // Excess of a slow rank beside that of the next.
constexpr double kBusy = 0.9;               // Useful part of a rank that is a bottleneck.
constexpr double kLeastIo = 1e5;            // Bytes a second to and from files: more than a log.
constexpr double kChain = 1.5;              // Time on the critical path beside the mean of ranks.
constexpr double kLeastGain = 0.2;          // Of what the path has beyond it, when evened.
constexpr double kLeastJitter = 0.1;        // Less may be other programs on the machine.
constexpr double kMostReplayError = 0.001;  // Of the measured time.
constexpr double kMostViolations = 0.01;    // Of all dependencies.

struct Candidate {
  Finding finding;
  Repair repair;
  Cores cores = Cores::kUnknown;
  bool in_any_order = false;  ///< The gain is WhatIf::gain_in_any_order().
};

/// Call paths that others wait for, those of which they do most first.
struct Blame {
  uint32_t path;
  double ticks;
};

/// Judges one part of a run.
class PartJudge {
 public:
  PartJudge(const Model& model, const Replay& replay, Part part, const DelayCosts& costs,
            const CriticalPath& critical, base::ThreadPool& pool, bool until_last_step = false)
      : model_(model),
        cpu_(cpu_times(model, pool)),
        part_(part),
        costs_(costs),
        critical_(critical),
        what_if_(model, replay, until_last_step) {
    for (uint32_t lane = 0; lane < model.lanes.size(); ++lane) {
      if (model.lanes[lane].recorded && model.lanes[lane].first_of_rank) ++ranks_;
    }
  }

  [[nodiscard]] std::vector<Candidate> judge() const {
    const std::vector<Blame> blames = blamed_paths();
    std::vector<uint32_t> paths;
    paths.reserve(blames.size());
    for (const Blame& blame : blames) paths.push_back(blame.path);
    const std::vector<PathLoad> loads = path_loads(model_, paths);
    std::vector<PathLoad> work;
    if (cpu_.known) work = path_loads(model_, paths, cpu_.work_ticks);
    std::vector<Candidate> found;
    for (size_t i = 0; i < loads.size(); ++i) {
      if (loads[i].mean() == 0) continue;
      add_load(loads[i], cpu_.known ? work[i] : loads[i], blames[i].ticks, found);
    }
    return found;
  }

  [[nodiscard]] const WhatIf& what_if() const { return what_if_; }

 private:
  [[nodiscard]] std::vector<Blame> blamed_paths() const {
    const auto classes = trace::call_classes(model_.trace->definitions);
    const std::vector<uint32_t> owner = paths_without_io(model_);
    std::vector<double> cost(model_.call_paths.size());
    for (const DelayCost& row : costs_.rows) {
      if (row.path == kNone) continue;
      cost[owner[row.path]] += static_cast<double>(row.short_ticks + row.long_ticks);
    }
    const double all = ranks_ * static_cast<double>(model_.window.ticks());
    std::vector<Blame> blames;
    for (uint32_t path = 0; path < cost.size(); ++path) {
      const trace::Region region = model_.call_paths[path].region;
      const bool is_mpi = region.valid() && classes[region] == trace::CallClass::kMpi;
      if (!is_mpi && cost[path] > 0 && cost[path] >= kLeastCost * all) {
        blames.push_back({path, cost[path]});
      }
    }
    std::stable_sort(blames.begin(), blames.end(),
                     [](const Blame& a, const Blame& b) { return a.ticks > b.ticks; });
    blames.resize(std::min(blames.size(), kMostPaths));
    return blames;
  }

  void add_load(const PathLoad& load, const PathLoad& work, double cost,
                std::vector<Candidate>& found) const {
    Candidate candidate;
    candidate.repair.paths = load.paths;
    Finding& finding = candidate.finding;
    finding.part = part_;
    finding.cost_ticks = cost;
    finding.path = regions_to(model_, load.paths[0]);
    decide(load, candidate);
    if (finding.recoverable_ticks <= 0) return;
    if (candidate.in_any_order) candidate.repair.paths.clear();  // Not of the other replays.
    const CoreUse use = cpu_.known ? cores_of(load, work, finding) : CoreUse{};
    candidate.cores = use.cores;
    std::vector<bool> lanes(model_.lanes.size());
    for (size_t i = 0; i < load.lanes.size(); ++i) {
      const uint32_t rank = model_.all->calls.lanes[load.lanes[i]].rank;
      lanes[load.lanes[i]] = finding.ranks.empty() ||
                             std::binary_search(finding.ranks.begin(), finding.ranks.end(), rank);
    }
    const std::optional<WorstStep> worst = worst_step(load, lanes);
    const WaitsOf waits = waits_of(model_, lanes, worst ? std::optional(worst->time) : std::nullopt,
                                   at_paths(load, worst));
    finding.waiting = waits.waiting;
    finding.seen = waits.seen.ticks() > 0 ? waits.seen : model_.window;
    finding.seen_cause = waits.seen_cause;
    note_steps(load, finding);
    note_evidence(load, use, finding);
    found.push_back(std::move(candidate));
  }

  /// The first kind that fits, who is to blame and what would be gained.
  void decide(const PathLoad& load, Candidate& candidate) const {
    Finding& finding = candidate.finding;
    const size_t top = load.top();
    if (load.participants() == 1) {
      finding.ranks = {rank_of(load, top)};
      finding.kind = alone(load, top);
      candidate.repair.change = Change::kRemove;
      finding.recoverable_ticks = what_if_.gain(candidate.repair) * (1 - 1.0 / ranks_);
      return;
    }
    candidate.repair.change = Change::kStep;
    double step_gain = what_if_.gain(candidate.repair);
    const double mean = load.mean();
    const double on_path = ticks_on_path(load);
    const double beyond = on_path - mean;
    const double spread = static_cast<double>(load.by_rank[top]) - mean;
    if (on_path >= kChain * mean && step_gain < kLeastGain * beyond && spread < 0.3 * beyond) {
      // Where they wait for a lock or to be received, the finding is that.
      if (waits_for_leave(load, beyond)) return;
      finding.kind = FindingKind::kSerialisedChain;
      finding.recoverable_ticks = beyond;
      candidate.repair.paths.clear();  // Nobody knows the program that does it otherwise.
      return;
    }
    if (step_gain < kLeastGain * beyond) {
      const double in_any_order = what_if_.gain_in_any_order(candidate.repair);
      candidate.in_any_order = in_any_order > step_gain;
      step_gain = std::max(step_gain, in_any_order);
    }
    if (load.same_rank() < kSameRank || !load.is_steady()) {
      finding.kind = FindingKind::kJitter;
      finding.recoverable_ticks = step_gain;
      return;
    }
    Repair evened = candidate.repair;
    evened.change = Change::kStatic;
    const double static_gain =
        candidate.in_any_order ? what_if_.gain_in_any_order(evened) : what_if_.gain(evened);
    if (static_gain > step_gain) candidate.repair = evened;
    finding.recoverable_ticks = std::max(step_gain, static_gain);
    finding.ranks = late_ranks(load);
    if (load.grows()) {
      finding.kind = FindingKind::kGrowingImbalance;
    } else {
      finding.kind = is_alone(load) ? FindingKind::kSlowRank : FindingKind::kImbalance;
    }
  }

  /// How those to blame came by their time. Where they lost their cores, what looked like uneven
  /// work is not the program's.
  [[nodiscard]] CoreUse cores_of(const PathLoad& load, const PathLoad& work,
                                 Finding& finding) const {
    const CoreUse use = core_use(model_, cpu_, load, work, finding.ranks);
    const bool of_load = finding.kind == FindingKind::kGrowingImbalance ||
                         finding.kind == FindingKind::kSlowRank ||
                         finding.kind == FindingKind::kImbalance;
    if (of_load && use.cores == Cores::kLost) finding.kind = FindingKind::kJitter;
    return use;
  }

  /// What one rank does that no other does.
  [[nodiscard]] FindingKind alone(const PathLoad& load, size_t top) const {
    const auto ticks = static_cast<double>(load.by_rank[top]);
    const double io = bytes_in_files(load) * static_cast<double>(ticks_per_second()) / ticks;
    if (static_cast<double>(load.io_ticks) >= 0.1 * ticks || io >= kLeastIo) {
      return FindingKind::kSerialIo;
    }
    std::vector<bool> lanes(model_.lanes.size());
    lanes[load.lanes[top]] = true;
    const WaitsOf waits = waits_of(model_, lanes);
    const auto part = [&](comm::WaitKind kind) {
      return waits.ticks == 0 ? 0
                              : static_cast<double>(waits.by_kind[static_cast<size_t>(kind)]) /
                                    static_cast<double>(waits.ticks);
    };
    if (part(comm::WaitKind::kLateBroadcast) > 0.5) return FindingKind::kLateRoot;
    const double point_to_point = part(comm::WaitKind::kLateSender) +
                                  part(comm::WaitKind::kLateReceiver) +
                                  part(comm::WaitKind::kPolling);
    const double busy = static_cast<double>(useful_ticks(load.lanes[top])) /
                        static_cast<double>(std::max<uint64_t>(1, model_.window.ticks()));
    return busy >= kBusy && point_to_point > 0.5 && serves_others(model_, load.lanes[top])
               ? FindingKind::kBottleneckRank
               : FindingKind::kSerialSection;
  }

  /// Whether they wait for one another mostly by locks, or until one receives or exposes what
  /// another one sends, and would not without.
  [[nodiscard]] bool waits_for_leave(const PathLoad& load, double beyond) const {
    std::vector<bool> lanes(model_.lanes.size());
    for (const uint32_t lane : load.lanes) lanes[lane] = true;
    const WaitsOf waits = waits_of(model_, lanes);
    const auto ticks = [&](comm::WaitKind kind) {
      return waits.by_kind[static_cast<size_t>(kind)];
    };
    const uint64_t in_locks = ticks(comm::WaitKind::kLock);
    const uint64_t in_sends = ticks(comm::WaitKind::kLateReceiver);
    const uint64_t in_starts = ticks(comm::WaitKind::kLatePost);
    const uint64_t of_sender = ticks(comm::WaitKind::kLateSender);
    if (2 * in_locks > in_locks + of_sender + in_sends) return true;
    const comm::WaitKind kind =
        in_sends > in_starts ? comm::WaitKind::kLateReceiver : comm::WaitKind::kLatePost;
    return std::max(in_sends, in_starts) > of_sender && what_if_.gain_without(kind) >= 0.5 * beyond;
  }

  [[nodiscard]] double bytes_in_files(const PathLoad& load) const {
    return static_cast<double>(io_bytes(model_, load.paths, load.lanes[load.top()]));
  }
  [[nodiscard]] uint64_t ticks_per_second() const {
    return model_.trace->definitions.clock.ticks_per_second;
  }

  [[nodiscard]] uint64_t useful_ticks(uint32_t lane) const {
    const Model::Lane& of = model_.lanes[lane];
    const auto begin = model_.first_piece[Model::gap(of.first_call, lane)];
    const auto end = model_.first_piece[Model::gap(of.end_call, lane) + 1];
    return std::accumulate(model_.piece_ticks.begin() + begin, model_.piece_ticks.begin() + end,
                           uint64_t{0});
  }

  [[nodiscard]] uint32_t rank_of(const PathLoad& load, size_t i) const {
    return model_.all->calls.lanes[load.lanes[i]].rank;
  }

  [[nodiscard]] double ticks_on_path(const PathLoad& load) const {
    double ticks = 0;
    for (const CriticalTotal& total : critical_.totals) {
      if (std::find(load.paths.begin(), load.paths.end(), total.path) != load.paths.end()) {
        ticks += static_cast<double>(total.on_path_ticks);
      }
    }
    return ticks;
  }

  /// Those beyond the mean by at least half of what the top rank is.
  [[nodiscard]] std::vector<uint32_t> late_ranks(const PathLoad& load) const {
    const double mean = load.mean();
    const double most = static_cast<double>(load.by_rank[load.top()]) - mean;
    std::vector<uint32_t> ranks;
    for (size_t i = 0; i < load.by_rank.size(); ++i) {
      const double excess = static_cast<double>(load.by_rank[i]) - mean;
      if (excess > 0 && excess >= 0.5 * most) ranks.push_back(rank_of(load, i));
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
  }

  [[nodiscard]] static bool is_alone(const PathLoad& load) {
    const double mean = load.mean();
    std::vector<double> excess;
    for (const uint64_t ticks : load.by_rank) excess.push_back(static_cast<double>(ticks) - mean);
    std::sort(excess.rbegin(), excess.rend());
    return excess.size() > 1 && excess[0] >= kAlone * std::max(excess[1], 0.0);
  }

  struct WorstStep {
    size_t row = 0;  ///< Of PathLoad::steps.
    Window time{0, 0};
  };
  /// The step in which one of those to blame has most of it beyond the others; nullopt if that is
  /// outside of steps.
  [[nodiscard]] std::optional<WorstStep> worst_step(const PathLoad& load,
                                                    const std::vector<bool>& lanes) const {
    size_t worst = load.steps.size();
    double most = 0;
    for (size_t step = 0; step < load.steps.size(); ++step) {
      const std::vector<uint64_t>& ticks = load.steps[step];
      const double mean =
          std::accumulate(ticks.begin(), ticks.end(), 0.0) / static_cast<double>(ticks.size());
      for (size_t i = 0; i < ticks.size(); ++i) {
        if (!lanes[load.lanes[i]] || static_cast<double>(ticks[i]) - mean <= most) continue;
        most = static_cast<double>(ticks[i]) - mean;
        worst = step;
      }
    }
    if (worst == load.steps.size() || load.step_numbers[worst] == kNone) return std::nullopt;
    // Where there are many, a row is of several.
    const std::vector<uint32_t>& steps = model_.steps;
    const uint32_t first = load.step_numbers[worst];
    const auto row_of = [&](size_t step) {
      return step * std::min(steps.size(), kMostBins) / steps.size();
    };
    auto end =
        static_cast<size_t>(std::lower_bound(steps.begin(), steps.end(), first) - steps.begin());
    const size_t row = row_of(end);
    while (end < steps.size() && row_of(end) == row) ++end;
    const uint32_t behind = end < steps.size() ? steps[end] : kNone;
    Window time{model_.window.end_ticks, model_.window.begin_ticks};
    for (const auto& of_rank : model_.step_windows) {
      for (const trace::StepWindow& step : of_rank) {
        const bool is_inside = step.begin_ticks < model_.window.end_ticks &&
                               step.end_ticks > model_.window.begin_ticks;
        if (!is_inside || step.step < first || step.step >= behind) continue;
        time.begin_ticks = std::min(time.begin_ticks, step.begin_ticks);
        time.end_ticks = std::max(time.end_ticks, step.end_ticks);
      }
    }
    return WorstStep{worst, time};
  }

  /// In this step, else in all of the time.
  [[nodiscard]] AtPaths at_paths(const PathLoad& load, const std::optional<WorstStep>& step) const {
    AtPaths at{load.paths, std::vector<uint64_t>(model_.lanes.size())};
    const std::vector<uint64_t>& by_rank = step ? load.steps[step->row] : load.by_rank;
    for (size_t i = 0; i < by_rank.size(); ++i) at.ticks[load.lanes[i]] = by_rank[i];
    return at;
  }

  /// Steps in which those to blame have something of it.
  void note_steps(const PathLoad& load, Finding& finding) const {
    for (size_t step = 0; step < load.steps.size(); ++step) {
      if (load.step_numbers[step] == kNone) continue;
      bool any = false;
      for (size_t i = 0; i < load.lanes.size() && !any; ++i) {
        const bool is_cause =
            finding.ranks.empty() ||
            std::binary_search(finding.ranks.begin(), finding.ranks.end(), rank_of(load, i));
        any = is_cause && load.steps[step][i] > 0;
      }
      if (!any) continue;
      finding.first_step = std::min(finding.first_step, load.step_numbers[step]);
      finding.last_step = finding.last_step == kNone
                              ? load.step_numbers[step]
                              : std::max(finding.last_step, load.step_numbers[step]);
    }
  }

  void note_evidence(const PathLoad& load, const CoreUse& use, Finding& finding) const {
    const trace::Trace& trace = *model_.trace;
    const auto seconds = [&](double ticks) {
      return ticks / static_cast<double>(trace.definitions.clock.ticks_per_second);
    };
    finding.evidence = {{"largest_s", seconds(static_cast<double>(load.by_rank[load.top()]))},
                        {"mean_s", seconds(load.mean())},
                        {"on_critical_path_s", seconds(ticks_on_path(load))},
                        {"ranks_with_it", static_cast<double>(load.participants())},
                        {"same_rank", load.same_rank()}};
    if (finding.kind == FindingKind::kSerialIo) {
      finding.evidence.emplace_back("io_bytes", bytes_in_files(load));
    }
    if (cpu_.known) add_evidence(use, seconds(1), finding.evidence);
  }

  const Model& model_;
  const CpuTimes cpu_;
  const Part part_;
  const DelayCosts& costs_;
  const CriticalPath& critical_;
  const WhatIf what_if_;
  double ranks_ = 0;
};

class Judge {
 public:
  Judge(const trace::Trace& trace, const comm::Dependencies& all, const JudgeOptions& options,
        base::ThreadPool& pool)
      : trace_(trace), all_(all), options_(options), pool_(pool) {}

  Judgement judge() {
    Judgement result;
    const Window& focus = options_.window;
    const Window& program = options_.program;
    result.focus = options_.focus;
    if (result.focus == Focus::kSteps) {
      result.before_ticks = trace_.rank_count * (focus.begin_ticks - program.begin_ticks);
      result.after_ticks = trace_.rank_count * (program.end_ticks - focus.end_ticks);
    }
    result.model = std::make_unique<Model>(
        model(trace_, all_, focus, trace::marked_steps(trace_, &pool_), pool_));
    const Model& in_focus = *result.model;
    result.times = lane_times(in_focus);
    const Replay replay(in_focus);
    const Measured measured = replay.run_measured();
    result.efficiency = efficiency(in_focus, replay, measured, pool_);
    result.costs = delay_costs(in_focus, measured);
    result.critical = critical_path(in_focus);
    if (in_focus.rank_count() == 0 || focus.ticks() == 0) return result;

    const PartJudge judge(in_focus, replay, Part::kFocus, result.costs, result.critical, pool_,
                          result.focus == Focus::kSteps);
    std::vector<Candidate> found = judge.judge();
    const WhatIf& what_if = judge.what_if();
    const auto take = [&](std::vector<Finding> others) {
      for (Finding& finding : others) found.push_back({std::move(finding), {}});
    };
    take(message_findings(in_focus, result.costs, what_if));
    std::vector<Finding> costs = cost_findings(in_focus, result.efficiency, what_if, pool_);
    std::vector<Finding> barriers = barrier_findings(in_focus, what_if);
    leave_out_costs_of(barriers, trace_, costs);
    take(std::move(costs));
    take(std::move(barriers));
    for (Candidate& candidate : found) set_confidence(result, in_focus, candidate);
    if (result.focus == Focus::kSteps) {
      add_outside(Part::kBefore, {program.begin_ticks, focus.begin_ticks}, result, found);
      add_outside(Part::kAfter, {focus.end_ticks, program.end_ticks}, result, found);
    }
    rank(judge.what_if(), static_cast<double>(focus.ticks()), found, result);
    return result;
  }

 private:
  void add_outside(Part part, const Window& window, const Judgement& result,
                   std::vector<Candidate>& found) {
    // A part that is too short to hold a finding.
    const auto least = options_.least_share * static_cast<double>(result.model->window.ticks());
    if (window.begin_ticks >= window.end_ticks) return;
    if (static_cast<double>(window.ticks()) < least) return;
    const Model outside = model(trace_, all_, window, result.model->step_windows, pool_);
    const Replay replay(outside);
    const DelayCosts costs = delay_costs(outside, replay.run_measured());
    const CriticalPath critical = critical_path(outside);
    for (Candidate& candidate : PartJudge(outside, replay, part, costs, critical, pool_).judge()) {
      set_confidence(result, outside, candidate);
      candidate.repair.paths.clear();  // Of another model.
      found.push_back(std::move(candidate));
    }
  }

  void set_confidence(const Judgement& result, const Model& in, Candidate& candidate) const {
    Finding& finding = candidate.finding;
    const Efficiency& measured = result.efficiency;
    const auto focus = static_cast<double>(result.model->window.ticks());
    const double error = std::abs(static_cast<double>(measured.replayed_ticks) -
                                  static_cast<double>(measured.measured_ticks));
    const bool is_interference = finding.kind == FindingKind::kJitter &&
                                 candidate.cores != Cores::kHeld &&
                                 finding.recoverable_ticks < kLeastJitter * focus;
    const bool is_cost = finding.kind == FindingKind::kTransfer ||
                         finding.kind == FindingKind::kCollectiveCost ||
                         finding.kind == FindingKind::kFenceCost;
    int level = 2;
    // MPI works with the cores of the ranks: what it costs may be theirs.
    if (candidate.in_any_order || depends_on_order(in) || is_cost) level = 1;
    // Unless it is known whether they had one.
    if (options_.oversubscribed && candidate.cores == Cores::kUnknown) --level;
    if (is_interference || error > kMostReplayError * focus ||
        static_cast<double>(all_.violations) >
            kMostViolations * static_cast<double>(all_.list.size())) {
      level = 0;
    }
    finding.confidence = static_cast<Confidence>(std::max(level, 0));
  }

  /// Gains, those a fifth larger that a few lines of communication would bring: less is to be done
  /// for them than for another way to share the work.
  static double weight(const Finding& finding) {
    const bool is_of_messages =
        finding.kind == FindingKind::kWrongOrder || finding.kind == FindingKind::kTinyMessages ||
        finding.kind == FindingKind::kLatePostOfReceive || finding.kind == FindingKind::kLatePost ||
        finding.kind == FindingKind::kNeedlessBarrier;
    return finding.recoverable_ticks * (is_of_messages ? 1.2 : 1);
  }

  void rank(const WhatIf& what_if, double focus, std::vector<Candidate>& found,
            Judgement& result) const {
    std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
      const bool a_low = a.finding.confidence == Confidence::kLow;
      const bool b_low = b.finding.confidence == Confidence::kLow;
      if (a_low != b_low) return b_low;
      return weight(a.finding) > weight(b.finding);
    });
    double left_out = 0;
    WhatIf::Repaired repaired(what_if);
    double gained = 0;
    for (Candidate& candidate : found) {
      Finding& finding = candidate.finding;
      const double share = finding.recoverable_ticks / focus;
      if (share < options_.least_share) {
        left_out = std::max(left_out, share);
        continue;
      }
      if (!candidate.repair.paths.empty()) {
        const double together = repaired.add(candidate.repair);
        finding.after_above_ticks = std::max(0.0, together - gained);
        gained = together;
      }
      result.findings.push_back(std::move(finding));
    }
    result.nothing_above_share = std::max(options_.least_share, left_out);
  }

  const trace::Trace& trace_;
  const comm::Dependencies& all_;
  const JudgeOptions options_;
  base::ThreadPool& pool_;
};

}  // namespace

Judgement judge(const trace::Trace& trace, const comm::Dependencies& all,
                const JudgeOptions& options, base::ThreadPool& pool) {
  return Judge(trace, all, options, pool).judge();
}

}  // namespace pathline::findings
