// SPDX-License-Identifier: BSD-3-Clause
#include "findings/delay_costs.hpp"

#include <algorithm>
#include <utility>

#include "findings/group_operations.hpp"
#include "findings/intervals.hpp"
#include "findings/lane_waits.hpp"
#include "findings/pair_table.hpp"

namespace pathline::findings {
namespace {

/// A time, and for each of two lanes the call that it was in then, or one not far before. kNone: to
/// be looked for.
struct Meeting {
  uint64_t ticks;
  uint32_t call;
  uint32_t cause_call;
};

struct Wait {
  uint32_t call;
  uint32_t lane;
  uint32_t cause;
  uint32_t cause_lane;
  uint64_t begin_ticks;
  uint64_t ticks;
  Meeting together;  // The last time before it that both were.
};

/// The last time that two lanes were together, as the program goes on.
class Meetings {
 public:
  Meetings(const Model& model, size_t expected)
      : model_(model), pairs_(expected), sets_(model.lanes.size()) {}

  void prefetch(uint32_t lane, uint32_t cause_lane) const { pairs_.prefetch(lane, cause_lane); }
  /// Tells since when a wait is about; at its end both lanes have met.
  void meet(Wait& wait) {
    Meeting& known = pairs_.at(wait.lane, wait.cause_lane);
    if (wait.lane > wait.cause_lane) std::swap(known.call, known.cause_call);
    wait.together = last(wait, known);
    known = {wait.begin_ticks + wait.ticks, wait.call, wait.cause};
    if (wait.lane > wait.cause_lane) std::swap(known.call, known.cause_call);
  }
  /// `lane` was in all groups of this call.
  void joined(uint32_t lane, uint32_t call) {
    for_each_operation(model_, call,
                       [&](const comm::Dependency& one, uint32_t set, uint64_t ticks) {
                         set_in(sets_[lane], set).joined.push_back({call, one.arrives(), ticks});
                       });
  }

 private:
  struct Joined {
    uint32_t call;
    bool arrives;  // And has begun by then.
    uint64_t ticks;
  };
  struct Set {
    uint32_t set;
    std::vector<Joined> joined;  // Ascending calls.
    /// The last time before a call. The lane may have gone on since.
    [[nodiscard]] const Joined* before(uint32_t call) const {
      auto at = joined.end();
      while (at != joined.begin() && (at - 1)->call >= call) --at;
      return at == joined.begin() ? nullptr : &*(at - 1);
    }
  };

  [[nodiscard]] Meeting last(const Wait& wait, Meeting found) const {
    if (found.ticks <= model_.window.begin_ticks) {
      found = {model_.window.begin_ticks, model_.lanes[wait.lane].first_call,
               model_.lanes[wait.cause_lane].first_call};
    }
    auto at = sets_[wait.lane].begin();
    auto cause_at = sets_[wait.cause_lane].begin();
    while (at != sets_[wait.lane].end() && cause_at != sets_[wait.cause_lane].end()) {
      if (at->set < cause_at->set) {
        ++at;
      } else if (cause_at->set < at->set) {
        ++cause_at;
      } else {
        const Joined* const own = at->before(wait.call);
        const Joined* const theirs = cause_at->before(wait.cause);
        if (own != nullptr && theirs != nullptr) {
          const uint64_t ticks = std::min(own->ticks, theirs->ticks);
          const auto call_of = [&](const Joined& one) {
            return one.ticks == ticks && one.arrives ? one.call : kNone;
          };
          if (ticks > found.ticks) found = {ticks, call_of(*own), call_of(*theirs)};
        }
        ++at;
        ++cause_at;
      }
    }
    found.ticks = std::min(found.ticks, wait.begin_ticks);
    return found;
  }

  const Model& model_;
  PairTable<Meeting> pairs_;            // `call` is of the lower lane.
  std::vector<std::vector<Set>> sets_;  // Per lane, ascending sets.
};

class Blame {
 public:
  explicit Blame(const Model& model)
      : model_(model),
        slots_(model),
        intervals_(model, slots_),
        times_(slots_.size()),
        lanes_(model.lanes.size()),
        short_(model.lanes.size() * slots_.size(), 0),
        long_(model.lanes.size() * slots_.size(), 0) {}

  DelayCosts run(const Measured& measured) {
    find_waits(measured);
    for (size_t i = waits_.size(); i-- > 0;) {
      if (i >= 2 * kAhead) {
        const Wait& later = waits_[i - 2 * kAhead];
        intervals_.prefetch(later.lane, later.call);
        intervals_.prefetch(later.cause_lane, later.cause);
      }
      if (i >= kAhead) {
        const Wait& next = waits_[i - kAhead];
        intervals_.prefetch_parts(next.lane, next.call);
        intervals_.prefetch_parts(next.cause_lane, next.cause);
      }
      blame(waits_[i]);
    }
    for (uint32_t lane = 0; lane < lanes_.size(); ++lane) {
      for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
        const size_t at = size_t{lane} * slots_.size() + slot;
        if (short_[at] + long_[at] == 0) continue;
        result_.rows.push_back({lane, slots_.path(slot), short_[at], long_[at]});
      }
    }
    return std::move(result_);
  }

 private:
  // Lanes are spread over memory: what comes some turns later is asked for in time.
  static constexpr size_t kAhead = 16;

  /// Waits in an order in which each comes behind those of its cause, and since when it is about.
  void find_waits(const Measured& measured) {
    Meetings meetings(model_, 2 * lanes_.size());
    const auto& completed = measured.completed;
    waits_.reserve(completed.size());
    for (size_t begin = 0; begin < completed.size(); begin += kAhead) {
      const size_t end = std::min(begin + kAhead, completed.size());
      const size_t first_wait = waits_.size();
      for (size_t i = end; i < std::min(end + kAhead, completed.size()); ++i) {
        model_.prefetch(completed[i].call);
      }
      for (size_t i = begin; i < end; ++i) add_wait(completed[i].call, completed[i].lane, meetings);
      auto wait = waits_.begin() + static_cast<ptrdiff_t>(first_wait);
      for (size_t i = begin; i < end; ++i) {
        const Schedule::Completed& one = completed[i];
        if (wait != waits_.end() && wait->call == one.call) meetings.meet(*wait++);
        if (one.in_group) meetings.joined(one.lane, one.call);
      }
    }
  }

  void add_wait(uint32_t call, uint32_t lane, const Meetings& meetings) {
    const uint64_t ticks = model_.wait_ticks(call);
    if (ticks == 0 || !model_.cause_known(call)) {
      result_.unknown_ticks += ticks;
      return;
    }
    const uint32_t cause = model_.all->cause[call];
    const uint64_t begin = model_.begin(call);
    waits_.push_back({call, lane, cause, model_.all->calls.lane_of(cause), begin, ticks, {}});
    meetings.prefetch(lane, waits_.back().cause_lane);
    lanes_[lane].add(call, begin, begin + ticks);
    result_.wait_ticks += ticks;
  }

  void blame(const Wait& wait) {
    const uint64_t own = wait.ticks;
    const uint64_t inherited = lanes_[wait.lane].take();
    const uint64_t since = wait.together.ticks;
    // Where clocks disagree, a lane may have been elsewhere.
    const bool exact = model_.all->early.empty();
    const uint32_t call = exact ? wait.together.call : kNone;
    uint32_t their_call = exact ? wait.together.cause_call : kNone;
    std::fill(times_.begin(), times_.end(), 0);
    intervals_.add(wait.cause_lane, since, their_call, wait.cause, 1, times_);
    intervals_.add(wait.lane, since, call, wait.call, -1, times_);
    uint64_t total = 0;
    for (int64_t& ticks : times_) {
      ticks = std::max<int64_t>(0, ticks);
      total += static_cast<uint64_t>(ticks);
    }

    // Waits of the cause since then; the first one may have begun before.
    LaneWaits& theirs = lanes_[wait.cause_lane];
    if (their_call == kNone) their_call = intervals_.call_after(wait.cause_lane, since);
    const uint32_t end = theirs.before(wait.cause);
    uint32_t begin = std::min(end, theirs.before(their_call));
    while (begin < end && theirs.end_ticks(begin) <= since) ++begin;
    const uint64_t waited = begin < end ? theirs.waited_until(since, begin) : 0;
    const uint64_t waiting = begin < end ? theirs.waited_before(end) - waited : 0;
    total += waiting;
    if (total == 0) {  // Only where clocks disagree.
      const uint32_t slot = slots_.of(model_.call_path[wait.cause]);
      short_[at(wait.cause_lane, slot)] += own;
      long_[at(wait.cause_lane, slot)] += inherited;
      return;
    }
    Shares of_own(own, total);
    Shares of_inherited(inherited, total);
    for (uint32_t slot = 0; slot < times_.size(); ++slot) {
      if (times_[slot] == 0) continue;
      const auto ticks = static_cast<uint64_t>(times_[slot]);
      short_[at(wait.cause_lane, slot)] += of_own.next(ticks);
      if (inherited > 0) long_[at(wait.cause_lane, slot)] += of_inherited.next(ticks);
    }
    if (waiting > 0) {
      theirs.give(begin, waited, end, of_own.next(waiting) + of_inherited.next(waiting));
    }
  }

  [[nodiscard]] size_t at(uint32_t lane, uint32_t slot) const {
    return size_t{lane} * slots_.size() + slot;
  }

  const Model& model_;
  const Slots slots_;
  const Intervals intervals_;
  std::vector<int64_t> times_;  // By slot: how much longer the cause was there.
  std::vector<Wait> waits_;
  std::vector<LaneWaits> lanes_;
  std::vector<uint64_t> short_, long_;  // Per lane and slot.
  DelayCosts result_;
};

}  // namespace

DelayCosts delay_costs(const Model& model, const Measured& measured) {
  return Blame(model).run(measured);
}

}  // namespace pathline::findings
