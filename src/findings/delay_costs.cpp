// SPDX-License-Identifier: BSD-3-Clause
#include "findings/delay_costs.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "findings/intervals.hpp"

namespace pathline::findings {
namespace {

__extension__ typedef unsigned __int128 Uint128;

/// Hands an amount out by weights, so that the parts add up to it: each gets what is due to the
/// weights so far, rounded down, without what the others got.
class Shares {
 public:
  Shares(uint64_t amount, uint64_t total_weight) : amount_(amount), total_(total_weight) {}
  uint64_t next(uint64_t weight) {
    weight_ += weight;
    uint64_t product = 0;
    const bool is_long = __builtin_mul_overflow(amount_, weight_, &product);
    const uint64_t due =
        is_long ? static_cast<uint64_t>(Uint128{amount_} * weight_ / total_) : product / total_;
    return due - std::exchange(given_, due);
  }

 private:
  uint64_t amount_;
  uint64_t total_;
  uint64_t weight_ = 0;
  uint64_t given_ = 0;
};

/// The waits of one lane, and what they have inherited.
///
/// An amount goes to some of its waiting, the same to each tick of it. What each tick gets of all
/// amounts changes where one of them begins or ends, which is known of each wait: so a wait is
/// given to and taken from in O(1), and what it gets does not depend on who else is there.
class LaneWaits {
 public:
  void add(uint32_t call, uint64_t begin_ticks, uint64_t end_ticks) {
    const uint64_t before = waits_.empty() ? 0 : waits_.back().until;
    waits_.push_back({end_ticks, before + (end_ticks - begin_ticks), 0, 0});
    calls_.push_back(call);
    open_ = static_cast<uint32_t>(waits_.size());
  }

  /// How many of the waits that were not taken yet are of calls before `call`.
  [[nodiscard]] uint32_t before(uint32_t call) const {
    const auto end = calls_.begin() + open_;
    return static_cast<uint32_t>(std::lower_bound(calls_.begin(), end, call) - calls_.begin());
  }
  [[nodiscard]] uint64_t end_ticks(uint32_t i) const { return waits_[i].end_ticks; }
  /// How long it has waited, in all waits before this one,
  [[nodiscard]] uint64_t waited_before(uint32_t i) const {
    return i == 0 ? 0 : waits_[i - 1].until;
  }
  /// and until a time that is not behind the end of this one.
  [[nodiscard]] uint64_t waited_until(uint64_t ticks, uint32_t i) const {
    const uint64_t left = waits_[i].end_ticks - ticks;
    return std::max(waited_before(i), waits_[i].until - std::min(waits_[i].until, left));
  }
  /// Hands `amount` to the waiting from `waited` on, which is in wait `begin`, until wait `end`.
  void give(uint32_t begin, uint64_t waited, uint32_t end, uint64_t amount) {
    const Parts parts = Parts{amount} << kFractionBits;
    if (end - begin == 1) {
      waits_[begin].once += parts;
      return;
    }
    const uint64_t ticks = waited_before(end) - waited;
    const Parts each = parts / ticks;
    waits_[end - 1].change += each;
    if (begin > 0) waits_[begin - 1].change -= each;
    // The first one has no more than what is left, to the last part of a tick.
    const uint64_t others = waited_before(end) - waited_before(begin);
    waits_[begin].once += parts - each * others;
  }
  /// What the last wait that was not taken yet has inherited.
  uint64_t take() {
    const OfWait& wait = waits_[--open_];
    each_ += wait.change;
    left_ += each_ * (wait.until - waited_before(open_)) + wait.once;
    const Parts whole = left_ >> kFractionBits;
    left_ -= whole << kFractionBits;
    return static_cast<uint64_t>(whole);
  }

 private:
  static constexpr int kFractionBits = 64;
  using Parts = Uint128;  // Of a tick; below zero as a number of modulo 2^128.
  struct OfWait {
    uint64_t end_ticks;
    uint64_t until;  // Ticks of all waits until its end.
    Parts change;    // From its end backwards each tick gets so much more,
    Parts once;      // and it itself this, besides.
  };

  std::vector<uint32_t> calls_;
  std::vector<OfWait> waits_;
  Parts each_ = 0;     // What a tick of the next wait gets.
  Parts left_ = 0;     // Of a tick, for the next wait.
  uint32_t open_ = 0;  // Waits from here on were taken.
};

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
  Meetings(const Model& model, size_t expected) : model_(model), sets_(model.lanes.size()) {
    slots_.resize(std::bit_ceil(std::max<size_t>(64, expected)));
  }

  void prefetch(uint32_t lane, uint32_t cause_lane) const {
    const size_t slot = place(key_of(lane, cause_lane));
    __builtin_prefetch(&slots_[slot]);
  }
  /// Tells since when a wait is about; at its end both lanes have met.
  void meet(Wait& wait) {
    Meeting& known = slot(wait.lane, wait.cause_lane).meeting;
    if (wait.lane > wait.cause_lane) std::swap(known.call, known.cause_call);
    wait.together = last(wait, known);
    known = {wait.begin_ticks + wait.ticks, wait.call, wait.cause};
    if (wait.lane > wait.cause_lane) std::swap(known.call, known.cause_call);
  }
  /// `lane` was in all groups of this call.
  void joined(uint32_t lane, uint32_t call) {
    const comm::Dependencies& all = *model_.all;
    for (uint32_t i = all.first[call]; i < all.first[call + 1]; ++i) {
      const comm::Dependency& one = all.list[i];
      if (!one.of_group() || !one.waits() || one.kind == comm::WaitKind::kEarlyScan) continue;
      const uint32_t group = all.group[one.target];
      const uint32_t latest = all.group_latest[group];
      if (latest == comm::kNoCall || !model_.in_window(latest)) continue;
      const uint32_t set = all.group_set[group];
      auto& of_lane = sets_[lane];
      auto at = std::lower_bound(of_lane.begin(), of_lane.end(), set,
                                 [](const Set& a, uint32_t b) { return a.set < b; });
      if (at == of_lane.end() || at->set != set) at = of_lane.insert(at, {set, {}});
      at->joined.push_back({call, one.arrives(), model_.begin(latest)});
    }
  }

 private:
  struct Slot {
    uint64_t key = UINT64_MAX;
    Meeting meeting = {0, 0, 0};  // `call` is of the lower lane.
  };
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

  static uint64_t key_of(uint32_t a, uint32_t b) {
    return uint64_t{std::min(a, b)} << 32U | std::max(a, b);
  }
  [[nodiscard]] size_t place(uint64_t key) const {
    return static_cast<size_t>((key * 0x9e3779b97f4a7c15ULL) >> 32U) & (slots_.size() - 1);
  }
  Slot& slot(uint32_t a, uint32_t b) {
    const uint64_t key = key_of(a, b);
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& found = find(key);
    if (found.key != key) {
      found.key = key;
      ++used_;
    }
    return found;
  }
  Slot& find(uint64_t key) {
    size_t i = place(key);
    while (slots_[i].key != UINT64_MAX && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
    return slots_[i];
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& entry : old) {
      if (entry.key != UINT64_MAX) find(entry.key) = entry;
    }
  }

  const Model& model_;
  std::vector<Slot> slots_;  // By pair; a power of two, at most half full.
  size_t used_ = 0;
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
    Meetings meetings(model_, 4 * lanes_.size());
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
