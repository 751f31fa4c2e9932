// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/column.hpp"
#include "findings/model.hpp"
#include "findings/schedule.hpp"

namespace pathline::findings {

/// What a call costs beside its wait.
enum class CallCost : uint8_t {
  kIdeal,    ///< An ideal network: data and operations take no time.
  kRest,     ///< What it cost when it was measured. Such a replay lasts as long as the run did.
  kTypical,  ///< That, but at most the median of its MPI function: for what-ifs, changed and
             ///< unchanged. A rank that has time to wait is slow in MPI, and would look as if it
             ///< could not help it.
};

/// Ticks per call; 0 for those outside the window.
///
/// cost  O(calls).
base::Column<uint64_t> call_costs(const Model& model, CallCost cost);

/// Useful ticks per gap, as measured.
base::Column<uint64_t> gap_ticks(const Model& model);

/// How the useful time of one call path is changed.
enum class Change : uint8_t {
  kStatic,  ///< Each rank has as much in total as their mean.
  kStep,    ///< Each rank has as much in each step as their mean.
  kRemove,  ///< None.
};

/// Another length of one piece of useful time.
struct PieceChange {
  uint32_t piece;
  int64_t ticks;  ///< Longer by so much; or shorter.
};

/// Scales the pieces of `path` (an index into Model::call_paths; not of the paths below).
///
/// In time steps, ranks that have none of it get the mean as well, where their part of the step
/// begins: no work gets lost. Outside of steps nobody knows when they should do it, and they do
/// not.
///
/// ranks    by rank, those whose pieces are removed; empty means all. For kRemove only.
/// returns  ascending; a piece may have two.
/// cost     O(pieces).
std::vector<PieceChange> changed_pieces(const Model& model, uint32_t path, Change change,
                                        const std::vector<bool>& ranks = {});

struct Replayed {
  uint64_t ticks = 0;   ///< From the begin of the window until the last lane is done.
  uint64_t forced = 0;  ///< Schedule::forced
};

/// The replay of what was measured, which others start from.
struct Measured {
  Replayed replayed;
  const base::Column<Schedule::Completed>& completed;  ///< Of the Replay.
};

/// Plays a program again with other times: lanes go through their gaps and calls; a call ends when
/// all that it depends on has begun, at the latest of that, and after its cost.
///
/// A Replay holds what runs have in common. Several may run at the same time.
class Replay {
 public:
  /// model    must outlive this.
  /// ignored  calls that wait for nobody.
  /// cost     that of schedule().
  explicit Replay(const Model& model, const std::vector<uint32_t>& ignored = {});

  /// How long it is from item to item of the Schedule and from the last one to the end, lane by
  /// lane. `ticks_of(lane, call)` gives the useful time before a call, `cost_of(lane, call)` what
  /// the call takes beside its wait.
  ///
  /// cost  O(calls).
  template <class TicksOf, class CostOf>
  [[nodiscard]] base::Column<uint64_t> times(TicksOf ticks_of, CostOf cost_of) const;
  /// As measured, but for the cost of calls.
  [[nodiscard]] base::Column<uint64_t> times(CallCost cost) const;
  /// Per piece of useful time: the row of times() that it is a part of.
  [[nodiscard]] base::Column<uint32_t> rows_of_pieces() const;

  /// times    as those of times().
  /// without  dependencies of this kind count for nothing.
  /// cost     O(items + sources), 8 bytes an item while it runs.
  [[nodiscard]] Replayed play(const base::Column<uint64_t>& times,
                              comm::WaitKind without = comm::kNoWait) const;
  /// With these useful times per gap and costs per call.
  [[nodiscard]] Replayed run(const base::Column<uint64_t>& gaps,
                             const base::Column<uint64_t>& costs,
                             comm::WaitKind without = comm::kNoWait) const;
  /// With times(CallCost::kRest).
  [[nodiscard]] Measured run_measured() const;

 private:
  const Model& model_;
  const Schedule schedule_;
  std::vector<size_t> first_time_;  // Per lane.
};

template <class TicksOf, class CostOf>
base::Column<uint64_t> Replay::times(TicksOf ticks_of, CostOf cost_of) const {
  base::Column<uint64_t> times(first_time_.back());
  for (uint32_t lane = 0; lane < model_.lanes.size(); ++lane) {
    const Model::Lane& of = model_.lanes[lane];
    size_t row = first_time_[lane];
    uint64_t ticks = 0;
    for (uint32_t call = of.first_call; call < of.end_call; ++call) {
      ticks += ticks_of(lane, call);
      if (schedule_.has_item[call]) times[row++] = std::exchange(ticks, 0);
      ticks += cost_of(lane, call);
    }
    times[row] = of.recorded ? ticks + ticks_of(lane, of.end_call) : 0;
  }
  return times;
}

/// What a call costs: call_costs() without a column.
class CostOfCall {
 public:
  /// kTypical: of functions with very many calls the median is that of some of them.
  CostOfCall(const Model& model, CallCost cost);
  [[nodiscard]] uint64_t operator()(uint32_t call) const {
    if (cost_ == CallCost::kIdeal) return 0;
    const uint64_t rest = rest_of(call);
    return cost_ == CallCost::kRest ? rest : std::min(rest, median_[place(call)]);
  }

 private:
  [[nodiscard]] uint64_t rest_of(uint32_t call) const {
    const uint64_t whole = model_.end(call) - model_.begin(call);
    const uint64_t wait = model_.wait_ticks(call);
    // A wait for somebody who came only after the window is as long as it is.
    return wait > 0 && model_.cause_known(call) ? whole - wait : whole;
  }
  [[nodiscard]] size_t place(uint32_t call) const {
    return std::min<size_t>(model_.all->calls.region[call], median_.size() - 1);
  }

  const Model& model_;
  CallCost cost_;
  std::vector<uint64_t> median_;  // By region.
};

}  // namespace pathline::findings
