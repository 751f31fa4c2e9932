// SPDX-License-Identifier: BSD-3-Clause
#include "findings/replay.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace pathline::findings {
namespace {

__extension__ typedef unsigned __int128 Uint128;

/// ticks * numerator / denominator, rounded down.
uint64_t scaled(uint64_t ticks, uint64_t numerator, uint64_t denominator) {
  return denominator == 0 ? 0 : static_cast<uint64_t>(Uint128{ticks} * numerator / denominator);
}

/// Useful ticks of a path by lane and step.
class PathTime {
 public:
  PathTime(const Model& model, uint32_t path, bool by_step)
      : steps_(by_step ? model.steps.size() + 1 : 1), by_step_(by_step) {
    sums_.assign(model.lanes.size() * steps_, 0);
    means_.assign(steps_, 0);
    for (size_t lane = 0; lane < model.lanes.size(); ++lane) {
      const size_t end = model.first_piece[Model::gap(model.lanes[lane].end_call, lane) + 1];
      for (size_t i = model.first_piece[Model::gap(model.lanes[lane].first_call, lane)]; i < end;
           ++i) {
        if (model.piece_path[i] != path) continue;
        sums_[lane * steps_ + slot(model.piece_step[i])] += model.piece_ticks[i];
      }
    }
    const uint32_t ranks = std::max(1U, model.rank_count());
    for (size_t step = 0; step < steps_; ++step) {
      for (size_t lane = 0; lane < model.lanes.size(); ++lane) {
        means_[step] += sums_[lane * steps_ + step];
      }
      means_[step] /= ranks;
    }
  }
  [[nodiscard]] uint64_t sum(size_t lane, uint32_t step) const {
    return sums_[lane * steps_ + slot(step)];
  }
  [[nodiscard]] uint64_t mean(uint32_t step) const { return means_[slot(step)]; }

 private:
  [[nodiscard]] size_t slot(uint32_t step) const {
    return by_step_ && step != kNone ? step + 1 : 0;
  }
  size_t steps_;  // Slot 0 is for what is outside of all.
  bool by_step_;
  std::vector<uint64_t> sums_;
  std::vector<uint64_t> means_;
};

struct Clock {
  uint64_t ticks;
  const uint64_t* next;  // The lane's row of times().
};

/// kAll: every source counts, and from when on it did begin.
template <bool kAll>
void play_all(const Schedule& schedule, comm::WaitKind without, std::vector<Clock>& clocks) {
  base::Column<uint64_t> values(schedule.size());
  auto early = schedule.early.begin();
  for (uint32_t item = 0; item < schedule.size(); ++item) {
    const uint32_t lane = schedule.lane[item];
    uint64_t ticks = 0;
    Clock* clock = nullptr;
    if (lane != Schedule::kJoin) {
      clock = &clocks[lane & ~Schedule::kGoesOn];
      if ((lane & Schedule::kGoesOn) == 0) clock->ticks += *clock->next++;
      values[item] = ticks = clock->ticks;
    }
    const uint32_t end = schedule.first_source[item + 1];
    for (uint32_t i = schedule.first_source[item]; i < end; ++i) {
      uint64_t value = values[schedule.source[i]];
      if constexpr (!kAll) {
        if (early != schedule.early.end() && early->source == i) {
          value -= std::min(value, early++->ticks);
        }
        if (schedule.kind[i] == without && without != comm::kNoWait) continue;
      }
      ticks = std::max(ticks, value);
    }
    (clock == nullptr ? values[item] : clock->ticks) = ticks;
  }
}

}  // namespace

Replay::Replay(const Model& model, const std::vector<uint32_t>& ignored)
    : model_(model), schedule_(schedule(model, ignored)) {
  first_time_.push_back(0);
  for (const Model::Lane& lane : model.lanes) {
    size_t rows = 1;
    for (uint32_t call = lane.first_call; call < lane.end_call; ++call) {
      rows += schedule_.has_item[call] ? 1 : 0;
    }
    first_time_.push_back(first_time_.back() + rows);
  }
  if (first_time_.back() >= kNone) throw std::length_error("more than 4 billion calls that wait");
}

base::Column<uint64_t> Replay::times(CallCost cost) const {
  const CostOfCall cost_of(model_, cost);
  return times([&](uint32_t lane, uint32_t call) { return model_.gap_ticks(call, lane); },
               [&](uint32_t, uint32_t call) { return cost_of(call); });
}

base::Column<uint32_t> Replay::rows_of_pieces() const {
  base::Column<uint32_t> rows(model_.piece_path.size());
  for (size_t lane = 0; lane < model_.lanes.size(); ++lane) {
    const Model::Lane& of = model_.lanes[lane];
    auto row = static_cast<uint32_t>(first_time_[lane]);
    for (uint32_t call = of.first_call; call <= of.end_call; ++call) {
      const size_t gap = Model::gap(call, lane);
      for (uint32_t i = model_.first_piece[gap]; i < model_.first_piece[gap + 1]; ++i) {
        rows[i] = row;
      }
      if (call < of.end_call && schedule_.has_item[call]) ++row;
    }
  }
  return rows;
}

Replayed Replay::play(const base::Column<uint64_t>& times, comm::WaitKind without) const {
  std::vector<Clock> clocks;
  for (size_t lane = 0; lane < model_.lanes.size(); ++lane) {
    clocks.push_back({model_.lanes[lane].begin_ticks, &times[first_time_[lane]]});
  }
  if (schedule_.early.empty() && without == comm::kNoWait) {
    play_all<true>(schedule_, without, clocks);
  } else {
    play_all<false>(schedule_, without, clocks);
  }
  Replayed result{.forced = schedule_.forced};
  for (const Clock& clock : clocks) {
    const uint64_t end = clock.ticks + *clock.next;
    if (end > model_.window.begin_ticks) {
      result.ticks = std::max(result.ticks, end - model_.window.begin_ticks);
    }
  }
  return result;
}

Replayed Replay::run(const base::Column<uint64_t>& gaps, const base::Column<uint64_t>& costs,
                     comm::WaitKind without) const {
  return play(times([&](uint32_t lane, uint32_t call) { return gaps[Model::gap(call, lane)]; },
                    [&](uint32_t, uint32_t call) { return costs[call]; }),
              without);
}

Measured Replay::run_measured() const {
  return {play(times(CallCost::kRest)), schedule_.completed};
}

CostOfCall::CostOfCall(const Model& model, CallCost cost) : model_(model), cost_(cost) {
  if (cost != CallCost::kTypical) return;
  median_.resize(model.trace->definitions.regions.size() + 1, 0);
  std::vector<uint64_t> count(median_.size(), 0);
  const auto for_each_call = [&](auto visit) {
    for (const Model::Lane& lane : model.lanes) {
      for (uint32_t call = lane.first_call; call < lane.end_call; ++call) visit(call);
    }
  };
  for_each_call([&](uint32_t call) { ++count[place(call)]; });
  constexpr uint64_t kMost = 1U << 16U;
  std::vector<uint64_t> left(median_.size(), 0);
  std::vector<std::vector<uint64_t>> of_region(median_.size());
  for_each_call([&](uint32_t call) {
    const size_t region = place(call);
    if (left[region]-- > 0) return;
    left[region] = (count[region] - 1) / kMost;
    of_region[region].push_back(rest_of(call));
  });
  for (size_t i = 0; i < of_region.size(); ++i) {
    std::vector<uint64_t>& values = of_region[i];
    if (values.empty()) continue;
    const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    median_[i] = *middle;
  }
}

base::Column<uint64_t> call_costs(const Model& model, CallCost cost) {
  const CostOfCall cost_of(model, cost);
  base::Column<uint64_t> costs(model.all->calls.size());
  std::fill(costs.begin(), costs.end(), 0);
  for (const Model::Lane& lane : model.lanes) {
    for (uint32_t call = lane.first_call; call < lane.end_call; ++call) {
      costs[call] = cost_of(call);
    }
  }
  return costs;
}

base::Column<uint64_t> gap_ticks(const Model& model) {
  base::Column<uint64_t> gaps(model.first_piece.size() - 1);
  std::fill(gaps.begin(), gaps.end(), 0);
  for (size_t lane = 0; lane < model.lanes.size(); ++lane) {
    if (!model.lanes[lane].recorded) continue;
    for (uint32_t call = model.lanes[lane].first_call; call <= model.lanes[lane].end_call; ++call) {
      gaps[Model::gap(call, lane)] = model.gap_ticks(call, lane);
    }
  }
  return gaps;
}

std::vector<PieceChange> changed_pieces(const Model& model, uint32_t path, Change change,
                                        const std::vector<bool>& ranks) {
  const PathTime time(model, path, change == Change::kStep);
  std::optional<PathTime> by_step;
  if (change == Change::kStatic) by_step.emplace(model, path, true);
  const PathTime& steps = by_step ? *by_step : time;
  std::vector<bool> shared(model.steps.size());
  std::vector<PieceChange> changes;
  for (size_t lane = 0; lane < model.lanes.size(); ++lane) {
    const Model::Lane& of = model.lanes[lane];
    const uint32_t rank = model.all->calls.lanes[lane].rank;
    const bool chosen = ranks.empty() || (rank < ranks.size() && ranks[rank]);
    // Whether this lane has nothing of the path in a step, and others do.
    const auto lacks = [&](uint32_t step) {
      if (change == Change::kRemove || step == kNone || !of.first_of_rank) return false;
      return steps.mean(step) > 0 && time.sum(lane, step) == 0;
    };
    std::fill(shared.begin(), shared.end(), false);
    const uint32_t end = model.first_piece[Model::gap(of.end_call, lane) + 1];
    for (uint32_t i = model.first_piece[Model::gap(of.first_call, lane)]; i < end; ++i) {
      const uint32_t step = model.piece_step[i];
      if (model.piece_path[i] == path) {
        const uint64_t ticks = model.piece_ticks[i];
        uint64_t changed = ticks;
        if (change != Change::kRemove) {
          changed = scaled(ticks, time.mean(step), time.sum(lane, step));
        } else if (chosen) {
          changed = 0;
        }
        changes.push_back({i, static_cast<int64_t>(changed - ticks)});
      }
      if (!lacks(step) || shared[step]) continue;
      shared[step] = true;
      changes.push_back({i, static_cast<int64_t>(steps.mean(step))});
    }
  }
  return changes;
}

}  // namespace pathline::findings
