// SPDX-License-Identifier: BSD-3-Clause
#include "findings/replay.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace pathline::findings {
namespace {

__extension__ typedef unsigned __int128 Uint128;

constexpr uint64_t kNotYet = UINT64_MAX;
constexpr uint64_t kNever = 0;  // Not in the window: nobody waits for it.

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

}  // namespace

/// One run of a replay.
class Player {
 public:
  Player(const Replay& replay, const base::Column<uint64_t>& gaps,
         const base::Column<uint64_t>& costs, base::Column<Measured::Completed>* completed,
         comm::WaitKind without = comm::kNoWait)
      : replay_(replay),
        model_(replay.model_),
        all_(*replay.model_.all),
        gaps_(gaps),
        costs_(costs),
        completed_(completed),
        without_(without),
        begun_(all_.calls.size()),
        waiters_(all_.calls.size() + all_.group_kind.size()),
        latest_(all_.group_kind.size()),
        missing_(all_.group_kind.size()),
        lanes_(model_.lanes.size()) {
    std::fill(begun_.begin(), begun_.end(), kNever);
    for (const Model::Lane& lane : model_.lanes) {
      if (!lane.recorded) continue;
      std::fill(begun_.begin() + lane.first_call, begun_.begin() + lane.end_call, kNotYet);
    }
    std::fill(waiters_.begin(), waiters_.end(), kNone);
    std::fill(latest_.begin(), latest_.end(), 0);
    std::copy(replay.arrivals_.begin(), replay.arrivals_.end(), missing_.begin());
  }

  Replayed run() {
    for (uint32_t lane = 0; lane < lanes_.size(); ++lane) {
      const Model::Lane& of = model_.lanes[lane];
      lanes_[lane].ticks = of.begin_ticks;
      lanes_[lane].call = of.first_call;
      if (of.recorded) ready_.push_back(lane);
    }
    Replayed result;
    do {
      for (size_t i = 0; i < ready_.size(); ++i) go_on(ready_[i]);
      ready_.clear();
    } while (release_one(result));
    for (const State& lane : lanes_) {
      if (lane.ticks > model_.window.begin_ticks) {
        result.ticks = std::max(result.ticks, lane.ticks - model_.window.begin_ticks);
      }
    }
    return result;
  }

 private:
  struct State {
    uint64_t ticks = 0;  // When its last call ended; the begin of an open one.
    uint64_t dep_ticks = 0;
    uint32_t call = 0;            // The one it is in or comes to next.
    uint32_t dependency = kNone;  // What it has to look at next; kNone outside of calls.
    uint32_t next_waiter = kNone;
    size_t waits_for = 0;  // Index into waiters_, while it is blocked.
    bool blocked = false;
  };

  /// Goes on with a lane until it is done or something is missing.
  void go_on(uint32_t lane) {
    State& state = lanes_[lane];
    const uint32_t end_call = model_.lanes[lane].end_call;
    for (; state.call < end_call; ++state.call) {
      const uint32_t call = state.call;
      if (state.dependency == kNone) {
        state.ticks += gaps_[Model::gap(call, lane)];
        state.dependency = all_.first[call];
        state.dep_ticks = 0;
        begun_[call] = state.ticks;
        wake(call);
        for (uint32_t i = state.dependency; i < all_.first[call + 1]; ++i) {
          const comm::Dependency& one = all_.list[i];
          if (one.arrives()) arrive(all_.group[one.target], state.ticks);
        }
      }
      if (replay_.fixed_[call]) state.dependency = all_.first[call + 1];
      for (; state.dependency < all_.first[call + 1]; ++state.dependency) {
        const comm::Dependency& one = all_.list[state.dependency];
        if (one.waits() && one.kind != without_ && !look_at(lane, state)) return;
      }
      if (completed_ != nullptr && all_.first[call] < all_.first[call + 1]) {
        const uint32_t i = all_.first[call];
        const bool of_group =
            std::any_of(all_.list.begin() + i, all_.list.begin() + all_.first[call + 1],
                        [](const comm::Dependency& one) { return one.of_group(); });
        if (of_group || model_.wait_ticks(call) > 0) completed_->push_back({call, lane});
      }
      state.ticks = std::max(state.ticks, state.dep_ticks) + costs_[call];
      state.dependency = kNone;
    }
    state.ticks += gaps_[Model::gap(end_call, lane)];
  }

  /// returns  false if the lane's next dependency is missing: somebody will wake it.
  bool look_at(uint32_t lane, State& state) {
    const uint32_t i = state.dependency;
    const auto [target, kind, role] = all_.list[i];
    uint64_t ticks = 0;
    if (kind == comm::WaitKind::kEarlyScan) {
      const uint32_t group = all_.group[target];
      for (uint32_t row = all_.group_first[group]; row <= target; ++row) {
        const uint32_t member = all_.member[row];
        if (member == comm::kNoCall) continue;
        if (begun_[member] == kNotYet) return block(lane, member);
        ticks = std::max(ticks, begun_[member]);
      }
    } else if (comm::is_group(kind)) {
      const uint32_t group = all_.group[target];
      if (missing_[group] > 0) return block(lane, all_.calls.size() + group);
      ticks = latest_[group];
    } else {
      if (begun_[target] == kNotYet) return block(lane, target);
      ticks = begun_[target];
    }
    const uint64_t early = all_.early_ticks(i);
    if (ticks > early) state.dep_ticks = std::max(state.dep_ticks, ticks - early);
    return true;
  }

  void arrive(uint32_t group, uint64_t ticks) {
    latest_[group] = std::max(latest_[group], ticks);
    if (--missing_[group] == 0) wake(all_.calls.size() + group);
  }
  bool block(uint32_t lane, size_t what) {
    lanes_[lane].blocked = true;
    lanes_[lane].waits_for = what;
    lanes_[lane].next_waiter = waiters_[what];
    waiters_[what] = lane;
    return false;
  }
  void wake(size_t what) {
    uint32_t lane = std::exchange(waiters_[what], kNone);
    while (lane != kNone) {
      lanes_[lane].blocked = false;
      ready_.push_back(lane);
      lane = std::exchange(lanes_[lane].next_waiter, kNone);
    }
  }

  /// When nobody can go on, lets the earliest do so without what it waits for.
  bool release_one(Replayed& result) {
    uint32_t first = kNone;
    for (uint32_t lane = 0; lane < lanes_.size(); ++lane) {
      const bool earlier = first == kNone || lanes_[lane].ticks < lanes_[first].ticks;
      if (lanes_[lane].blocked && earlier) first = lane;
    }
    if (first == kNone) return false;
    ++result.forced;
    // Out of the list it stands in.
    uint32_t* at = &waiters_[lanes_[first].waits_for];
    while (*at != first) at = &lanes_[*at].next_waiter;
    *at = std::exchange(lanes_[first].next_waiter, kNone);
    lanes_[first].blocked = false;
    ++lanes_[first].dependency;
    ready_.push_back(first);
    return true;
  }

  const Replay& replay_;
  const Model& model_;
  const comm::Dependencies& all_;
  const base::Column<uint64_t>& gaps_;
  const base::Column<uint64_t>& costs_;
  base::Column<Measured::Completed>* completed_;
  comm::WaitKind without_;
  base::Column<uint64_t> begun_;    // Per call.
  base::Column<uint32_t> waiters_;  // Per call, then per group: the lane that waits for it.
  base::Column<uint64_t> latest_;   // Per group.
  base::Column<uint32_t> missing_;
  std::vector<State> lanes_;
  std::vector<uint32_t> ready_;
};

Replay::Replay(const Model& model) : model_(model) {
  const comm::Dependencies& all = *model.all;
  arrivals_.resize(all.group_kind.size());
  for (size_t group = 0; group < arrivals_.size(); ++group) {
    uint32_t count = 0;
    for (uint32_t row = all.group_first[group]; row < all.group_first[group + 1]; ++row) {
      count += all.member[row] != comm::kNoCall && model.in_window(all.member[row]) ? 1 : 0;
    }
    arrivals_[group] = count;
  }
  fixed_.resize(all.calls.size());
  for (const Model::Lane& lane : model.lanes) {
    for (uint32_t call = lane.first_call; call < lane.end_call; ++call) {
      fixed_[call] = model.wait_ticks(call) > 0 && !model.cause_known(call);
    }
  }
}

Replayed Replay::run(const base::Column<uint64_t>& gaps, const base::Column<uint64_t>& costs,
                     comm::WaitKind without) const {
  return Player(*this, gaps, costs, nullptr, without).run();
}

Measured Replay::run_measured() const {
  const base::Column<uint64_t> gaps = gap_ticks(model_);
  const base::Column<uint64_t> costs = call_costs(model_, CallCost::kRest);
  Measured result;
  result.replayed = Player(*this, gaps, costs, &result.completed).run();
  return result;
}

base::Column<uint64_t> call_costs(const Model& model, CallCost cost) {
  const comm::MpiCalls& calls = model.all->calls;
  base::Column<uint64_t> costs(calls.size());
  std::fill(costs.begin(), costs.end(), 0);
  if (cost == CallCost::kIdeal) return costs;
  for (const Model::Lane& lane : model.lanes) {
    for (uint32_t call = lane.first_call; call < lane.end_call; ++call) {
      // A wait for somebody who came only after the window is as long as it is.
      const uint64_t wait = model.cause_known(call) ? model.wait_ticks(call) : 0;
      costs[call] = model.end(call) - model.begin(call) - wait;
    }
  }
  if (cost == CallCost::kRest) return costs;
  std::vector<std::vector<uint64_t>> of_region(model.trace->definitions.regions.size() + 1);
  const auto place = [&](uint32_t call) {
    return std::min<size_t>(calls.region[call], of_region.size() - 1);
  };
  for (const Model::Lane& lane : model.lanes) {
    for (uint32_t call = lane.first_call; call < lane.end_call; ++call) {
      of_region[place(call)].push_back(costs[call]);
    }
  }
  std::vector<uint64_t> median(of_region.size(), 0);
  for (size_t i = 0; i < of_region.size(); ++i) {
    std::vector<uint64_t>& values = of_region[i];
    if (values.empty()) continue;
    const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    median[i] = *middle;
  }
  for (const Model::Lane& lane : model.lanes) {
    for (uint32_t call = lane.first_call; call < lane.end_call; ++call) {
      costs[call] = std::min(costs[call], median[place(call)]);
    }
  }
  return costs;
}

base::Column<uint64_t> gap_ticks(const Model& model) {
  base::Column<uint64_t> gaps(model.first_piece.size() - 1);
  for (size_t gap = 0; gap < gaps.size(); ++gap) {
    uint64_t sum = 0;
    for (uint32_t i = model.first_piece[gap]; i < model.first_piece[gap + 1]; ++i) {
      sum += model.piece_ticks[i];
    }
    gaps[gap] = sum;
  }
  return gaps;
}

base::Column<uint64_t> changed_gaps(const Model& model, uint32_t path, Change change,
                                    const std::vector<bool>& ranks) {
  const PathTime time(model, path, change == Change::kStep);
  std::optional<PathTime> by_step;
  if (change == Change::kStatic) by_step.emplace(model, path, true);
  const PathTime& steps = by_step ? *by_step : time;
  std::vector<bool> shared(model.steps.size());
  base::Column<uint64_t> gaps(model.first_piece.size() - 1);
  std::fill(gaps.begin(), gaps.end(), 0);
  for (size_t lane = 0; lane < model.lanes.size(); ++lane) {
    const uint32_t rank = model.all->calls.lanes[lane].rank;
    const bool chosen = ranks.empty() || (rank < ranks.size() && ranks[rank]);
    // Whether this lane has nothing of the path in a step, and others do.
    const auto lacks = [&](uint32_t step) {
      if (change == Change::kRemove || step == kNone || !model.lanes[lane].first_of_rank) {
        return false;
      }
      return steps.mean(step) > 0 && time.sum(lane, step) == 0;
    };
    std::fill(shared.begin(), shared.end(), false);
    for (uint32_t call = model.lanes[lane].first_call; call <= model.lanes[lane].end_call; ++call) {
      const size_t gap = Model::gap(call, lane);
      for (uint32_t i = model.first_piece[gap]; i < model.first_piece[gap + 1]; ++i) {
        const uint32_t step = model.piece_step[i];
        uint64_t ticks = model.piece_ticks[i];
        if (model.piece_path[i] == path) {
          if (change != Change::kRemove) {
            ticks = scaled(ticks, time.mean(step), time.sum(lane, step));
          } else if (chosen) {
            ticks = 0;
          }
        }
        gaps[gap] += ticks;
        if (!lacks(step) || shared[step]) continue;
        shared[step] = true;
        gaps[gap] += steps.mean(step);
      }
    }
  }
  return gaps;
}

}  // namespace pathline::findings
