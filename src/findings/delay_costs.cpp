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

/// The waits of one lane, and what they have inherited. An amount for many of them goes to the
/// nodes of a tree over them, and from there down when a wait is asked for: both in O(log waits).
class LaneWaits {
 public:
  void add(uint32_t call, uint64_t begin_ticks, uint64_t end_ticks) {
    calls_.push_back(call);
    ends_.push_back(end_ticks);
    sums_.push_back(sums_.back() + end_ticks - begin_ticks);
  }
  void close() {
    leaves_ = std::bit_ceil(std::max<size_t>(1, calls_.size()));
    pending_.assign(2 * leaves_, 0);
    open_ = static_cast<uint32_t>(calls_.size());
  }

  /// How many of the waits that were not taken yet are of calls before `call`.
  [[nodiscard]] uint32_t before(uint32_t call) const {
    const auto end = calls_.begin() + open_;
    return static_cast<uint32_t>(std::lower_bound(calls_.begin(), end, call) - calls_.begin());
  }
  [[nodiscard]] uint64_t end_ticks(uint32_t i) const { return ends_[i]; }
  [[nodiscard]] uint64_t weight(uint32_t begin, uint32_t end) const {
    return sums_[end] - sums_[begin];
  }
  /// Hands `amount` to the waits [begin, end) by how long they are.
  void give(uint32_t begin, uint32_t end, uint64_t amount) {
    if (amount == 0) return;
    Shares shares(amount, weight(begin, end));
    constexpr uint32_t kFew = 4;
    if (end - begin <= kFew) {
      for (; begin < end; ++begin)
        pending_[leaves_ + begin] += shares.next(weight(begin, begin + 1));
      return;
    }
    give(1, 0, static_cast<uint32_t>(leaves_), begin, end, shares);
  }
  /// What the last wait that was not taken yet has inherited.
  uint64_t take() {
    const uint32_t i = --open_;
    if (shared_ == 0) return std::exchange(pending_[leaves_ + i], 0);
    size_t node = 1;
    auto begin = uint32_t{0};
    for (auto length = static_cast<uint32_t>(leaves_); length > 1; length /= 2) {
      const uint32_t middle = begin + length / 2;
      if (const uint64_t amount = std::exchange(pending_[node], 0); amount > 0) {
        const uint64_t left = weight(begin, clamped(middle));
        const uint64_t all = weight(begin, clamped(begin + length));
        const auto to_left = static_cast<uint64_t>(Uint128{amount} * left / all);
        --shared_;
        put(2 * node, to_left);
        put(2 * node + 1, amount - to_left);
      }
      node = 2 * node + (i < middle ? 0 : 1);
      if (i >= middle) begin = middle;
    }
    return std::exchange(pending_[node], 0);
  }

 private:
  void put(size_t node, uint64_t amount) {
    if (node < leaves_ && pending_[node] == 0 && amount > 0) ++shared_;
    pending_[node] += amount;
  }
  [[nodiscard]] uint32_t clamped(uint32_t i) const {
    return std::min(i, static_cast<uint32_t>(calls_.size()));
  }
  void give(size_t node, uint32_t node_begin, uint32_t length, uint32_t begin, uint32_t end,
            Shares& shares) {
    const uint32_t node_end = node_begin + length;
    if (node_end <= begin || end <= node_begin) return;
    if (begin <= node_begin && node_end <= end) {
      put(node, shares.next(weight(node_begin, node_end)));
      return;
    }
    give(2 * node, node_begin, length / 2, begin, end, shares);
    give(2 * node + 1, node_begin + length / 2, length / 2, begin, end, shares);
  }

  std::vector<uint32_t> calls_;
  std::vector<uint64_t> ends_;
  std::vector<uint64_t> sums_ = {0};  // Of all waits before.
  size_t leaves_ = 1;
  std::vector<uint64_t> pending_;  // Per node; 1 is the root, 2n and 2n + 1 are below n.
  size_t shared_ = 0;              // Nodes above the leaves that have an amount.
  uint32_t open_ = 0;              // Waits from here on were taken.
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
      const Set set{all.group_set[group], one.arrives() ? call : kNone, model_.begin(latest)};
      auto& of_lane = sets_[lane];
      const auto at = std::lower_bound(of_lane.begin(), of_lane.end(), set.set,
                                       [](const Set& a, uint32_t b) { return a.set < b; });
      if (at != of_lane.end() && at->set == set.set) {
        *at = set;
      } else {
        of_lane.insert(at, set);
      }
    }
  }

 private:
  struct Slot {
    uint64_t key = UINT64_MAX;
    Meeting meeting = {0, 0, 0};  // `call` is of the lower lane.
  };
  struct Set {
    uint32_t set;
    uint32_t call;
    uint64_t ticks;
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
        const uint64_t ticks = std::min(at->ticks, cause_at->ticks);
        if (ticks > found.ticks) {
          found = {ticks, at->ticks == ticks ? at->call : kNone,
                   cause_at->ticks == ticks ? cause_at->call : kNone};
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
    for (LaneWaits& lane : lanes_) lane.close();
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
    uint64_t part = 0;
    if (begin < end && theirs.end_ticks(begin) - theirs.weight(begin, begin + 1) < since) {
      part = theirs.end_ticks(begin) - since;
      ++begin;
    }
    total += part + theirs.weight(begin, end);
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
    if (part > 0) {
      theirs.give(begin - 1, begin, of_own.next(part) + of_inherited.next(part));
    }
    if (const uint64_t weight = theirs.weight(begin, end); weight > 0) {
      theirs.give(begin, end, of_own.next(weight) + of_inherited.next(weight));
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
