// SPDX-License-Identifier: BSD-3-Clause
#include "findings/efficiency.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace pathline::findings {
namespace {

double ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// What the factors are made of, beside useful time.
struct Facts {
  Window window;
  uint32_t ranks;
  Replayed measured;
  uint64_t ideal_ticks;
  uint64_t unknown_ticks;  // LaneTime
  std::map<uint32_t, StepEnd> step_ends;
};

uint64_t unknown_ticks(const Model& model) {
  uint64_t unknown = 0;
  const std::vector<LaneTime> times = lane_times(model);
  for (size_t lane = 0; lane < times.size(); ++lane) {
    const Model::Lane& of = model.lanes[lane];
    if (!of.recorded || !of.first_of_rank) continue;
    unknown += times[lane].unknown_wait_ticks + times[lane].unknown_polling_ticks;
  }
  return unknown;
}

/// Useful ticks of all ranks together, and of the one with most.
struct Share {
  uint64_t sum = 0;
  uint64_t most = 0;
};
/// Per step, the last one outside of all.
std::vector<Share> shares_of_steps(const UsefulTime& useful) {
  std::vector<Share> shares(useful.steps.size() + 1);
  for (const std::vector<uint64_t>& of_rank : useful.by_step) {
    for (size_t step = 0; step < of_rank.size(); ++step) {
      shares[step].sum += of_rank[step];
      shares[step].most = std::max(shares[step].most, of_rank[step]);
    }
  }
  return shares;
}

/// Whether a hundredth of it or more lies outside of a window: its time and what it needs there say
/// nothing about it.
bool is_cut(const StepEnd& step, const Window& window) {
  const uint64_t least = std::max<uint64_t>(1, (step.ticks - step.begin_ticks) / 100);
  return step.begin_ticks + least <= window.begin_ticks || step.ticks >= window.end_ticks + least;
}

std::vector<StepEfficiency> steps_of(const Window& window, uint32_t ranks,
                                     const std::map<uint32_t, StepEnd>& step_ends,
                                     const UsefulTime& useful, const std::vector<Share>& shares) {
  std::vector<StepEfficiency> rows;
  uint64_t before = window.begin_ticks;
  bool begins_together = true;
  for (size_t step = 0; step < useful.steps.size(); ++step) {
    const StepEnd& front = step_ends.at(useful.steps[step]);
    const uint64_t end = std::min(front.ticks, window.end_ticks);
    if (end <= before) continue;  // Before the window, or behind it.
    StepEfficiency row{useful.steps[step], end - before,
                       ratio(shares[step].sum, shares[step].most * ranks), std::nullopt,
                       front.ticks < window.end_ticks};
    // Else the time of a rank that began it early is longer than the step. One that left the
    // operation before it before others has begun early, too, by as much.
    if (begins_together && front.together) {
      row.communication = std::min(1.0, ratio(shares[step].most, row.ticks));
    }
    if (!is_cut(front, window)) rows.push_back(row);
    begins_together = front.together;
    before = end;
  }
  return rows;
}

Efficiency efficiency_of(const Facts& facts, const UsefulTime& useful) {
  Efficiency result;
  result.ranks = facts.ranks;
  result.measured_ticks = facts.window.ticks();
  result.replayed_ticks = facts.measured.ticks;
  result.forced = facts.measured.forced;
  result.ideal_ticks = facts.ideal_ticks;
  for (const std::vector<uint64_t>& of_rank : useful.by_step) {
    const uint64_t ticks = std::accumulate(of_rank.begin(), of_rank.end(), uint64_t{0});
    result.useful_ticks += ticks;
    result.most_useful_ticks = std::max(result.most_useful_ticks, ticks);
  }
  const uint64_t all = result.measured_ticks * result.ranks;
  result.parallel = ratio(result.useful_ticks, all);
  result.parallel_high = ratio(result.useful_ticks + facts.unknown_ticks, all);
  result.load_balance = ratio(result.useful_ticks, result.most_useful_ticks * result.ranks);
  result.communication = ratio(result.most_useful_ticks, result.measured_ticks);
  result.serialisation = ratio(result.most_useful_ticks, result.ideal_ticks);
  result.transfer = ratio(result.ideal_ticks, result.measured_ticks);
  const std::vector<Share> shares = shares_of_steps(useful);
  if (!useful.steps.empty()) {
    // The time of the busiest rank, over that of the busiest ones of all steps.
    uint64_t sum = 0;
    for (const Share& share : shares) sum += share.most;
    result.migration = ratio(result.most_useful_ticks, sum);
  }
  if (result.migration > 0) result.dependency = result.serialisation / result.migration;
  result.steps = steps_of(facts.window, facts.ranks, facts.step_ends, useful, shares);
  return result;
}

}  // namespace

Efficiency efficiency(const Model& model, const Replay& replay, const Measured& measured,
                      const UsefulTime& useful, base::ThreadPool& pool) {
  CallNumbers numbers;
  numbers.begin(model);
  GrowingStepEnds step_ends;
  step_ends.add(model, numbers);
  Efficiency result = efficiency_of(
      {model.window, model.rank_count(), measured.replayed,
       replay.play(replay.times(CallCost::kIdeal)).ticks, unknown_ticks(model), step_ends.finish()},
      useful);

  const ThreadTime threads = thread_time(model, pool);
  if (threads.threads == 0) return result;
  const uint64_t in_regions = threads.all_ticks - threads.serial_ticks;
  const uint64_t worked = in_regions - threads.schedule_ticks;
  Efficiency::OpenMp openmp{
      .threads = threads.threads,
      .parallel = ratio(threads.useful_ticks, threads.threads * result.measured_ticks),
      .openmp = 0,
      .serial = ratio(in_regions, threads.all_ticks),
      .load_balance = ratio(threads.useful_ticks, worked),
      .scheduling = ratio(worked, in_regions)};
  openmp.openmp = openmp.serial * openmp.load_balance * openmp.scheduling;
  result.openmp = openmp;
  return result;
}

void GrowingSteps::add(const Model& part) {
  window_ = part.window;
  ranks_ = part.rank_count();
  useful_.add(part);
  numbers_.begin(part);
  step_ends_.add(part, numbers_);
  numbers_.end();
}

std::vector<StepEfficiency> GrowingSteps::finish() const {
  const UsefulTime useful = useful_.finish();
  return steps_of(window_, ranks_, step_ends_.finish(), useful, shares_of_steps(useful));
}

bool GrowingEfficiency::add(const Model& part, const NextPart& next) {
  unknown_ticks_ += unknown_ticks(part);
  steps_.add(part);
  return replay_.add(part, next);
}

std::optional<GrowingEfficiency::Found> GrowingEfficiency::finish() {
  const auto replayed = replay_.finish();
  if (!replayed) return std::nullopt;
  Found found{{}, steps_.useful_.finish()};
  found.efficiency = efficiency_of({steps_.window_,
                                    steps_.ranks_,
                                    {replayed->measured_ticks, replayed->forced},
                                    replayed->ideal_ticks,
                                    unknown_ticks_,
                                    steps_.step_ends_.finish()},
                                   found.useful);
  return found;
}

}  // namespace pathline::findings
