// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/column.hpp"
#include "findings/intervals.hpp"
#include "findings/model.hpp"
#include "findings/pair_table.hpp"

namespace pathline::findings {

/// The waits of a part of a run that end in it, in an order in which each comes behind those of its
/// cause; when lanes were together, as far as the part knows, and what they did between its calls.
/// Clocks must agree. For one thread.
class PartWaits {
 public:
  struct Wait {
    uint64_t end_ticks;
    uint32_t lane;
    uint32_t call;  // kNone: of a part before.
    uint32_t cause_lane;
    uint32_t cause;
  };
  struct Operation {
    uint32_t call;
    uint64_t ticks;
  };
  struct OperationsOfSet {
    uint32_t set;
    std::vector<Operation> operations;
  };
  /// Two lanes at the end of a wait of one for the other.
  struct Meeting {
    uint64_t ticks = 0;
    uint32_t lower_call = kNone;  // kNone: a wait that is open from a part before.
    uint32_t higher_call = kNone;
  };

  /// columns  per call path of the part, the same of all parts; 0 for those that count as one.
  PartWaits(const Model& model, std::vector<uint32_t> columns)
      : model_(model),
        columns_(std::move(columns)),
        slots_(model, chosen_of(columns_)),
        intervals_(model, slots_),
        sets_(model.lanes.size()),
        waited_(model.all->calls.size()),
        by_slot_(slots_.size()) {}

  [[nodiscard]] const Model& model() const { return model_; }

  /// Goes through the calls of a lane. `see_open(call)` is told of waits that end behind the part.
  ///
  /// waited   by the lane before the part.
  /// returns  false where clocks disagree, and for operations on windows of memory.
  template <class SeeOpen>
  bool add_lane(uint32_t lane, uint64_t waited, SeeOpen see_open) {
    const Model::Lane& of = model_.lanes[lane];
    for (uint32_t call = of.first_call; call < of.end_call; ++call) {
      waited_[call] = waited;
      if (!add_operations(lane, call)) return false;
      const uint64_t ticks = model_.wait_ticks(call);
      if (ticks == 0) continue;
      if (!model_.cause_known(call)) {
        unknown_ticks_ += ticks;
        continue;
      }
      waited += ticks;
      const uint32_t cause = model_.all->cause[call];
      const uint32_t cause_lane = model_.all->calls.lane_of(cause);
      const uint64_t end = model_.wait_end(call);
      if (model_.begin(cause) != end || !model_.lanes[cause_lane].recorded) return false;
      wait_ticks_ += ticks;
      if (cause >= model_.lanes[cause_lane].end_call) {
        see_open(call);
        continue;
      }
      if (cause < model_.lanes[cause_lane].first_call) return false;
      waits_.push_back({end, lane, call, cause_lane, cause});
    }
    return true;
  }
  void add_wait(const Wait& wait) { waits_.push_back(wait); }

  /// Puts waits in order. returns  false where they wait in a circle.
  bool sort();
  [[nodiscard]] const std::vector<Wait>& waits() const { return waits_; }
  [[nodiscard]] uint64_t wait_ticks() const { return wait_ticks_; }
  [[nodiscard]] uint64_t unknown_ticks() const { return unknown_ticks_; }

  [[nodiscard]] const std::vector<OperationsOfSet>& sets(uint32_t lane) const {
    return sets_[lane];
  }
  [[nodiscard]] const OperationsOfSet* operations(uint32_t lane, uint32_t set) const;
  /// The last one of a call before; nullptr if there is none.
  static const Operation* last_before(const OperationsOfSet* of, uint32_t call) {
    if (of == nullptr || call == kNone) return nullptr;
    const auto behind = std::lower_bound(of->operations.begin(), of->operations.end(), call,
                                         [](const Operation& a, uint32_t b) { return a.call < b; });
    return behind == of->operations.begin() ? nullptr : &*(behind - 1);
  }
  static const Operation* at(const OperationsOfSet* of, uint64_t ticks) {
    if (of == nullptr) return nullptr;
    const auto found = std::lower_bound(of->operations.begin(), of->operations.end(), ticks,
                                        [](const Operation& a, uint64_t b) { return a.ticks < b; });
    return found != of->operations.end() && found->ticks == ticks ? &*found : nullptr;
  }

  [[nodiscard]] const Meeting* meeting(uint32_t a, uint32_t b) const { return pairs_.find(a, b); }
  [[nodiscard]] const PairTable<Meeting>& meetings() const { return pairs_; }
  void meet(const Wait& wait) {
    Meeting& meeting = pairs_.at(wait.lane, wait.cause_lane);
    meeting = {wait.end_ticks, wait.call, wait.cause};
    if (wait.lane > wait.cause_lane) std::swap(meeting.lower_call, meeting.higher_call);
  }

  /// What a lane waits in calls of the part, as far as the cause is known.
  [[nodiscard]] uint64_t known_wait_ticks(uint32_t lane) const;
  /// How long a lane has waited until a call begins, and until a time in it.
  [[nodiscard]] uint64_t waited_before(uint32_t call) const { return waited_[call]; }
  [[nodiscard]] uint64_t waited_at(uint32_t call, uint64_t ticks) const {
    const uint64_t wait = model_.cause_known(call) ? model_.wait_ticks(call) : 0;
    return waited_[call] + std::min(wait, ticks - model_.begin(call));
  }
  /// By how much longer a lane was at each slot than another one: each since the begin of a call
  /// until that of another call, without waiting.
  const std::vector<int64_t>& between(uint32_t lane, uint32_t first, uint32_t last,
                                      uint32_t other_lane, uint32_t other_first,
                                      uint32_t other_last);
  /// Adds what a lane did from the begin of the part until a call begins, by column,
  void add_until(uint32_t lane, uint32_t call, int64_t sign, std::vector<int64_t>& times);
  /// and what it did in all of it.
  void add_all(uint32_t lane, std::vector<int64_t>& times) const;
  [[nodiscard]] uint32_t slot_count() const { return slots_.size(); }
  [[nodiscard]] uint32_t slot_column(uint32_t slot) const { return column(slots_.path(slot)); }

  static void add(uint32_t column, int64_t ticks, std::vector<int64_t>& times) {
    if (times.size() <= column) times.resize(column + 1);
    times[column] += ticks;
  }

 private:
  static std::vector<uint32_t> chosen_of(const std::vector<uint32_t>& columns);
  [[nodiscard]] uint32_t column(uint32_t path) const { return path == kNone ? 0 : columns_[path]; }

  void add_between(uint32_t lane, uint32_t first, uint32_t last, int64_t sign) {
    // In a call nothing but waiting comes before its wait has ended.
    const uint64_t from = first == kNone ? model_.lanes[lane].begin_ticks : model_.begin(first);
    intervals_.add(lane, from, first, last, sign, by_slot_);
  }

  bool add_operations(uint32_t lane, uint32_t call);

  /// Those that end at the same time: behind the wait of the cause that let it go on.
  bool sort_equal(size_t begin, size_t end);

  const Model& model_;
  const std::vector<uint32_t> columns_;
  const Slots slots_;
  const Intervals intervals_;
  std::vector<Wait> waits_;
  std::vector<std::vector<OperationsOfSet>> sets_;  // Per lane, ascending.
  PairTable<Meeting> pairs_{0};
  base::Column<uint64_t> waited_;  // Per call of the part.
  std::vector<int64_t> by_slot_;
  uint64_t wait_ticks_ = 0;
  uint64_t unknown_ticks_ = 0;
};

}  // namespace pathline::findings
