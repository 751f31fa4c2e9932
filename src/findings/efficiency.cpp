// SPDX-License-Identifier: BSD-3-Clause
#include "findings/efficiency.hpp"

#include <algorithm>

namespace pathline::findings {
namespace {

double ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Useful ticks by rank and step, of which the last is outside of all.
std::vector<std::vector<uint64_t>> useful_by_step(const Model& model) {
  std::vector<std::vector<uint64_t>> useful(model.lanes.size());
  for (size_t lane = 0; lane < useful.size(); ++lane) {
    useful[lane].assign(model.steps.size() + 1, 0);
    const Model::Lane& of = model.lanes[lane];
    const size_t end = model.first_piece[Model::gap(of.end_call, lane) + 1];
    for (size_t i = model.first_piece[Model::gap(of.first_call, lane)]; i < end; ++i) {
      const uint32_t step = model.piece_step[i];
      useful[lane][step == kNone ? model.steps.size() : step] += model.piece_ticks[i];
    }
  }
  return useful;
}

class Steps {
 public:
  Steps(const Model& model, const std::vector<std::vector<uint64_t>>& useful)
      : model_(model), useful_(useful), windows_(model.step_windows) {}

  std::vector<StepEfficiency> run() const {
    std::vector<uint64_t> front(model_.steps.size(), 0);
    for (const auto& of_rank : windows_) {
      for (const trace::StepWindow& step : of_rank) {
        uint64_t& latest = front[index_of(step.step)];
        latest = std::max(latest, step.end_ticks);
      }
    }
    std::vector<StepEfficiency> rows;
    uint64_t before = model_.window.begin_ticks;
    bool begins_together = true;
    for (size_t step = 0; step < front.size(); ++step) {
      const uint64_t end = std::min(front[step], model_.window.end_ticks);
      if (end <= before) continue;  // Before the window, or behind it.
      const auto [sum, most] = useful_in(step);
      StepEfficiency row{model_.steps[step], end - before, ratio(sum, most * model_.rank_count()),
                         std::nullopt, front[step] < model_.window.end_ticks};
      // Else the time of a rank that began it early is longer than the step. One that left the
      // operation before it before others has begun early, too, by as much.
      const bool ends = ends_together(step);
      if (begins_together && ends) row.communication = std::min(1.0, ratio(most, row.ticks));
      rows.push_back(row);
      begins_together = ends;
      before = end;
    }
    return rows;
  }

 private:
  [[nodiscard]] size_t index_of(uint32_t step) const {
    return static_cast<size_t>(std::lower_bound(model_.steps.begin(), model_.steps.end(), step) -
                               model_.steps.begin());
  }
  [[nodiscard]] std::pair<uint64_t, uint64_t> useful_in(size_t step) const {
    uint64_t sum = 0;
    uint64_t most = 0;
    for (size_t lane = 0; lane < useful_.size(); ++lane) {
      if (!model_.lanes[lane].recorded || !model_.lanes[lane].first_of_rank) continue;
      sum += useful_[lane][step];
      most = std::max(most, useful_[lane][step]);
    }
    return {sum, most};
  }

  /// Whether all ranks are in one operation of all with all last.
  [[nodiscard]] bool ends_together(size_t step) const {
    uint32_t group = kNone;
    for (uint32_t rank = 0; rank < windows_.size(); ++rank) {
      if (!model_.lanes[rank].recorded) continue;
      const auto of_step = std::find_if(
          windows_[rank].begin(), windows_[rank].end(),
          [&](const trace::StepWindow& one) { return one.step == model_.steps[step]; });
      if (of_step == windows_[rank].end()) return false;
      const uint32_t last = last_group(rank, *of_step);
      if (last == kNone || (group != kNone && last != group)) return false;
      group = last;
    }
    if (group == kNone) return false;
    const comm::Dependencies& all = *model_.all;
    return all.group_first[group + 1] - all.group_first[group] == model_.rank_count();
  }
  /// The group of the last call in a step that talks to anybody; kNone if that is another kind.
  [[nodiscard]] uint32_t last_group(uint32_t rank, const trace::StepWindow& step) const {
    const comm::Dependencies& all = *model_.all;
    const auto& ends = all.calls.end_ticks;
    const Model::Lane& lane = model_.lanes[rank];
    auto call =
        static_cast<uint32_t>(std::upper_bound(ends.begin() + lane.first_call,
                                               ends.begin() + lane.end_call, step.end_ticks) -
                              ends.begin());
    while (call-- > lane.first_call && all.calls.begin_ticks[call] >= step.begin_ticks) {
      if (!all.calls.is(call, comm::kTalks)) continue;
      for (uint32_t i = all.first[call]; i < all.first[call + 1]; ++i) {
        const comm::Dependency& one = all.list[i];
        const bool joins = one.of_group() && one.kind != comm::WaitKind::kEarlyScan;
        if (joins && one.waits()) return all.group[one.target];
      }
      return kNone;
    }
    return kNone;
  }

  const Model& model_;
  const std::vector<std::vector<uint64_t>>& useful_;
  const StepWindows& windows_;
};

/// max over ranks of their sums, over the sum of the maxima of all steps.
double migration_of(const Model& model, const std::vector<std::vector<uint64_t>>& useful,
                    uint64_t most_useful_ticks) {
  uint64_t sum = 0;
  for (size_t step = 0; step <= model.steps.size(); ++step) {
    uint64_t most = 0;
    for (size_t lane = 0; lane < useful.size(); ++lane) {
      if (model.lanes[lane].first_of_rank) most = std::max(most, useful[lane][step]);
    }
    sum += most;
  }
  return model.steps.empty() ? 1 : ratio(most_useful_ticks, sum);
}

}  // namespace

Efficiency efficiency(const Model& model, const Replay& replay, const Measured& measured,
                      base::ThreadPool& pool) {
  Efficiency result;
  result.ranks = model.rank_count();
  result.measured_ticks = model.window.ticks();
  result.replayed_ticks = measured.replayed.ticks;
  result.forced = measured.replayed.forced;
  result.ideal_ticks = replay.play(replay.times(CallCost::kIdeal)).ticks;

  uint64_t unknown = 0;
  const std::vector<LaneTime> times = lane_times(model);
  for (size_t lane = 0; lane < times.size(); ++lane) {
    const Model::Lane& of = model.lanes[lane];
    if (!of.recorded || !of.first_of_rank) continue;
    result.useful_ticks += times[lane].useful_ticks;
    result.most_useful_ticks = std::max(result.most_useful_ticks, times[lane].useful_ticks);
    unknown += times[lane].unknown_wait_ticks + times[lane].unknown_polling_ticks;
  }
  const uint64_t all = result.measured_ticks * result.ranks;
  result.parallel = ratio(result.useful_ticks, all);
  result.parallel_high = ratio(result.useful_ticks + unknown, all);
  result.load_balance = ratio(result.useful_ticks, result.most_useful_ticks * result.ranks);
  result.communication = ratio(result.most_useful_ticks, result.measured_ticks);
  result.serialisation = ratio(result.most_useful_ticks, result.ideal_ticks);
  result.transfer = ratio(result.ideal_ticks, result.measured_ticks);
  const auto useful = useful_by_step(model);
  result.migration = migration_of(model, useful, result.most_useful_ticks);
  if (result.migration > 0) result.dependency = result.serialisation / result.migration;
  result.steps = Steps(model, useful).run();

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

}  // namespace pathline::findings
