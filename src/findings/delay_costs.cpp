// SPDX-License-Identifier: BSD-3-Clause
// Long because the intervals, what they hand on and what that needs to be fast are one idea.
#include "findings/delay_costs.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

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
    const auto due = static_cast<uint64_t>(Uint128{amount_} * weight_ / total_);
    return due - std::exchange(given_, due);
  }

 private:
  uint64_t amount_;
  uint64_t total_;
  uint64_t weight_ = 0;
  uint64_t given_ = 0;
};

/// Call paths by a small number each: those with most time, and one for all others.
class Slots {
 public:
  explicit Slots(const Model& model) : of_path_(model.call_paths.size() + 1) {
    const size_t paths = model.call_paths.size();
    std::vector<uint64_t> ticks(paths, 0);
    for (size_t i = 0; i < model.piece_path.size(); ++i) {
      if (model.piece_path[i] != kNone) ticks[model.piece_path[i]] += model.piece_ticks[i];
    }
    for (const Model::Lane& lane : model.lanes) {
      for (uint32_t call = lane.first_call; call < lane.end_call; ++call) {
        if (model.call_path[call] == kNone) continue;
        ticks[model.call_path[call]] += model.end(call) - model.wait_end(call);
      }
    }
    std::vector<uint32_t> order(paths);
    std::iota(order.begin(), order.end(), 0);
    constexpr size_t kMost = 255;
    if (paths > kMost) {
      std::stable_sort(order.begin(), order.end(),
                       [&](uint32_t a, uint32_t b) { return ticks[a] > ticks[b]; });
      order.resize(kMost);
      std::sort(order.begin(), order.end());
    }
    const auto other = static_cast<uint32_t>(order.size());
    std::fill(of_path_.begin(), of_path_.end(), other);
    for (uint32_t slot = 0; slot < other; ++slot) of_path_[order[slot]] = slot;
    path_ = std::move(order);
    path_.push_back(kNone);
  }
  [[nodiscard]] uint32_t of(uint32_t path) const {
    return path == kNone ? of_path_.back() : of_path_[path];
  }
  [[nodiscard]] uint32_t path(uint32_t slot) const { return path_[slot]; }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(path_.size()); }

 private:
  std::vector<uint32_t> of_path_;
  std::vector<uint32_t> path_;
};

/// Time by slot, of which only some are not 0.
class SlotTimes {
 public:
  explicit SlotTimes(uint32_t slots) : ticks_(slots, 0), known_(slots, false) {}
  void add(uint32_t slot, int64_t ticks) {
    if (!known_[slot]) {
      known_[slot] = true;
      touched_.push_back(slot);
    }
    ticks_[slot] += ticks;
  }
  /// Slots with more than no time, ascending.
  template <class Visit>
  void for_each_positive(Visit visit) {
    std::sort(touched_.begin(), touched_.end());
    for (const uint32_t slot : touched_) {
      if (ticks_[slot] > 0) visit(slot, static_cast<uint64_t>(ticks_[slot]));
    }
  }
  void clear() {
    for (const uint32_t slot : touched_) {
      ticks_[slot] = 0;
      known_[slot] = false;
    }
    touched_.clear();
  }

 private:
  std::vector<int64_t> ticks_;
  std::vector<bool> known_;
  std::vector<uint32_t> touched_;
};

/// How long each lane was at each path outside of waits, between any two times.
class Intervals {
 public:
  Intervals(const Model& model, const Slots& slots)
      : model_(model), slots_(slots), stride_(std::max<uint32_t>(16, slots.size())) {
    sums_.resize(model.lanes.size());
    for (uint32_t lane = 0; lane < model.lanes.size(); ++lane) fill(lane);
  }

  /// Adds `sign` times what `lane` did from `from` until `until` without waiting.
  ///
  /// first  a call of the lane that is not behind `from`, near it; last  the one at `until`.
  void add(uint32_t lane, uint64_t from, uint32_t first, uint64_t until, uint32_t last,
           int64_t sign, SlotTimes& times) const {
    const Model::Lane& of = model_.lanes[lane];
    from = std::max(from, model_.window.begin_ticks);
    if (from >= until) return;
    if (from < of.begin_ticks) {
      times.add(slots_.of(kNone),
                sign * static_cast<int64_t>(std::min(until, of.begin_ticks) - from));
    }
    first = std::min(first, last);
    if (last - first <= 2 * stride_) {
      walk(lane, first, from, until, sign, times);
      return;
    }
    // From here to the next border, from border to border, and on from the last border.
    const uint32_t first_block = (first - of.first_call) / stride_ + 1;
    const uint32_t last_block = (last - of.first_call) / stride_;
    walk(lane, first, from, border_ticks(of, first_block), sign, times);
    const uint64_t* begin = sums_[lane].data() + size_t{first_block} * slots_.size();
    const uint64_t* end = sums_[lane].data() + size_t{last_block} * slots_.size();
    for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (begin[slot] != end[slot]) {
        times.add(slot, sign * static_cast<int64_t>(end[slot] - begin[slot]));
      }
    }
    const uint32_t from_call = of.first_call + last_block * stride_;
    walk(lane, from_call, border_ticks(of, last_block), until, sign, times);
  }

  /// The lane's first call that ends behind `ticks`, or its end.
  [[nodiscard]] uint32_t call_after(uint32_t lane, uint64_t ticks) const {
    const Model::Lane& of = model_.lanes[lane];
    const auto& ends = model_.all->calls.end_ticks;
    return static_cast<uint32_t>(
        std::upper_bound(ends.begin() + of.first_call, ends.begin() + of.end_call, ticks) -
        ends.begin());
  }

 private:
  /// Where the gap before the first call of a block begins.
  [[nodiscard]] uint64_t border_ticks(const Model::Lane& of, uint32_t block) const {
    return model_.gap_begin(of.first_call + block * stride_, of);
  }

  void fill(uint32_t lane) {
    const Model::Lane& of = model_.lanes[lane];
    if (!of.recorded) return;
    std::vector<uint64_t> sum(slots_.size(), 0);
    base::Column<uint64_t>& sums = sums_[lane];
    sums.reserve(((of.end_call - of.first_call) / stride_ + 1) * size_t{slots_.size()});
    for (uint32_t call = of.first_call;; ++call) {
      if ((call - of.first_call) % stride_ == 0) {
        for (const uint64_t ticks : sum) sums.push_back(ticks);
      }
      if (call == of.end_call) break;
      const size_t gap = Model::gap(call, lane);
      for (uint32_t i = model_.first_piece[gap]; i < model_.first_piece[gap + 1]; ++i) {
        sum[slots_.of(model_.piece_path[i])] += model_.piece_ticks[i];
      }
      sum[slots_.of(model_.call_path[call])] += model_.end(call) - model_.wait_end(call);
    }
  }

  /// Adds what lies between two times, beginning with the gap before `call`, or inside of it.
  void walk(uint32_t lane, uint32_t call, uint64_t from, uint64_t until, int64_t sign,
            SlotTimes& times) const {
    const Model::Lane& of = model_.lanes[lane];
    const auto overlap = [&](uint64_t begin, uint64_t end) {
      begin = std::max(begin, from);
      end = std::min(end, until);
      return begin < end ? end - begin : 0;
    };
    for (;; ++call) {
      const uint64_t gap_begin = model_.gap_begin(call, of);
      if (gap_begin >= until) return;
      const uint64_t gap_end = call == of.end_call ? model_.window.end_ticks : model_.begin(call);
      // A gap is cut only where clocks disagree: then its pieces are taken in their order.
      uint64_t skipped = from > gap_begin ? from - gap_begin : 0;
      uint64_t left = overlap(gap_begin, gap_end);
      const size_t gap = Model::gap(call, lane);
      for (uint32_t i = model_.first_piece[gap]; i < model_.first_piece[gap + 1] && left > 0; ++i) {
        const uint64_t cut = std::min(skipped, model_.piece_ticks[i]);
        const uint64_t taken = std::min(left, model_.piece_ticks[i] - cut);
        skipped -= cut;
        left -= taken;
        if (taken > 0) {
          times.add(slots_.of(model_.piece_path[i]), sign * static_cast<int64_t>(taken));
        }
      }
      if (call == of.end_call) return;
      const uint64_t rest = overlap(model_.wait_end(call), model_.end(call));
      if (rest > 0) times.add(slots_.of(model_.call_path[call]), sign * static_cast<int64_t>(rest));
    }
  }

  const Model& model_;
  const Slots& slots_;
  const uint32_t stride_;
  std::vector<base::Column<uint64_t>> sums_;  // Per lane and block: by slot, of all before.
};

/// The waits of one lane, and what they have inherited. An amount for many of them goes to the
/// nodes of a tree over them, and from there down when a wait is asked for: both in O(log waits).
class LaneWaits {
 public:
  void add(uint32_t call, uint64_t ticks) {
    calls_.push_back(call);
    sums_.push_back(sums_.back() + ticks);
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
  [[nodiscard]] uint32_t call(uint32_t i) const { return calls_[i]; }
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

/// The last time that two lanes were together, as the program goes on.
class Meetings {
 public:
  Meetings(const Model& model, size_t expected) : model_(model), sets_(model.lanes.size()) {
    slots_.resize(std::bit_ceil(std::max<size_t>(64, expected)));
  }

  /// At the end of a wait of `lane` for another one.
  void met(uint32_t lane, uint32_t cause_lane, const Meeting& meeting) {
    Meeting& known = slot(lane, cause_lane).meeting;
    known = meeting;
    if (lane > cause_lane) std::swap(known.call, known.cause_call);
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
  Meeting last(uint32_t lane, uint32_t cause_lane) {
    Meeting found = slot(lane, cause_lane).meeting;
    if (lane > cause_lane) std::swap(found.call, found.cause_call);
    if (found.ticks <= model_.window.begin_ticks) {
      found = {model_.window.begin_ticks, model_.lanes[lane].first_call,
               model_.lanes[cause_lane].first_call};
    }
    auto at = sets_[lane].begin();
    auto cause_at = sets_[cause_lane].begin();
    while (at != sets_[lane].end() && cause_at != sets_[cause_lane].end()) {
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
    return found;
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

  Slot& slot(uint32_t a, uint32_t b) {
    const uint64_t key = uint64_t{std::min(a, b)} << 32U | std::max(a, b);
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& found = find(key);
    if (found.key != key) {
      found.key = key;
      ++used_;
    }
    return found;
  }
  Slot& find(uint64_t key) {
    const size_t mask = slots_.size() - 1;
    size_t i = static_cast<size_t>((key * 0x9e3779b97f4a7c15ULL) >> 32U) & mask;
    while (slots_[i].key != UINT64_MAX && slots_[i].key != key) i = (i + 1) & mask;
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

struct Wait {
  uint32_t call;
  uint32_t lane;
  uint32_t cause_lane;
  Meeting together;
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
    for (size_t i = waits_.size(); i-- > 0;) blame(waits_[i]);
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
  /// Waits in an order in which each comes behind those of its cause, and since when it is about.
  void find_waits(const Measured& measured) {
    Meetings meetings(model_, 4 * lanes_.size());
    for (const auto& [call, lane] : measured.completed) {
      const uint64_t ticks = model_.wait_ticks(call);
      if (ticks > 0 && model_.cause_known(call)) {
        const uint32_t cause = model_.all->cause[call];
        const uint32_t cause_lane = model_.all->calls.lane_of(cause);
        waits_.push_back({call, lane, cause_lane, meetings.last(lane, cause_lane)});
        meetings.met(lane, cause_lane, {model_.wait_end(call), call, cause});
        lanes_[lane].add(call, ticks);
        result_.wait_ticks += ticks;
      } else {
        result_.unknown_ticks += ticks;
      }
      meetings.joined(lane, call);
    }
    for (LaneWaits& lane : lanes_) lane.close();
  }

  void blame(const Wait& wait) {
    const uint64_t own = model_.wait_ticks(wait.call);
    const uint64_t inherited = lanes_[wait.lane].take();
    const uint32_t cause = model_.all->cause[wait.call];
    times_.clear();
    const uint64_t since = std::min(wait.together.ticks, model_.begin(wait.call));
    // Where clocks disagree, a lane may have been elsewhere.
    const bool exact = model_.all->early.empty();
    const auto call_at = [&](uint32_t lane, uint32_t call) {
      return call == kNone || !exact ? intervals_.call_after(lane, since) : call;
    };
    const uint32_t their_call = call_at(wait.cause_lane, wait.together.cause_call);
    intervals_.add(wait.cause_lane, since, their_call, model_.begin(cause), cause, 1, times_);
    intervals_.add(wait.lane, since, call_at(wait.lane, wait.together.call),
                   model_.begin(wait.call), wait.call, -1, times_);
    uint64_t total = 0;
    times_.for_each_positive([&](uint32_t, uint64_t ticks) { total += ticks; });

    // Waits of the cause since then; the first one may have begun before.
    LaneWaits& theirs = lanes_[wait.cause_lane];
    const uint32_t end = theirs.before(cause);
    uint32_t begin = std::min(end, theirs.before(their_call));
    while (begin < end && model_.wait_end(theirs.call(begin)) <= since) ++begin;
    uint64_t part = 0;
    if (begin < end && model_.begin(theirs.call(begin)) < since) {
      part = model_.wait_end(theirs.call(begin)) - since;
      ++begin;
    }
    total += part + theirs.weight(begin, end);
    if (total == 0) {  // Only where clocks disagree.
      const uint32_t slot = slots_.of(model_.call_path[cause]);
      short_[at(wait.cause_lane, slot)] += own;
      long_[at(wait.cause_lane, slot)] += inherited;
      return;
    }
    Shares of_own(own, total);
    Shares of_inherited(inherited, total);
    times_.for_each_positive([&](uint32_t slot, uint64_t ticks) {
      short_[at(wait.cause_lane, slot)] += of_own.next(ticks);
      long_[at(wait.cause_lane, slot)] += of_inherited.next(ticks);
    });
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
  SlotTimes times_;
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
