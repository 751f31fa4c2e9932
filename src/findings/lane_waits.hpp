// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace pathline::findings {

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
///
/// Of a run in parts, from the last one back, the waits of a part are there at a time: places are
/// how long the lane has waited since it began. For one thread.
class LaneWaits {
 public:
  /// Goes on with a part before the last one, all of whose waits were taken.
  void begin_part() {
    calls_.clear();
    waits_.clear();
    each_ += std::exchange(change_before_, 0);
  }
  /// How long the lane has waited before the first wait of the part.
  void begin_at(uint64_t waited) { base_ = waited; }
  void add(uint32_t call, uint64_t begin_ticks, uint64_t end_ticks) {
    const uint64_t before = waits_.empty() ? base_ : waits_.back().until;
    waits_.push_back({end_ticks, before + (end_ticks - begin_ticks), 0, 0});
    calls_.push_back(call);
    open_ = static_cast<uint32_t>(waits_.size());
  }
  /// All of the part were added: those that parts behind it gave something to get it.
  ///
  /// returns  false where parts contradict each other.
  bool settle() {
    bool fits = true;
    std::erase_if(pending_, [&](const Pending& given) {
      if (!is_here(given.from)) return false;
      fits = place(given) && fits;
      return true;
    });
    return fits;
  }

  [[nodiscard]] bool empty() const { return waits_.empty(); }
  /// How many of the waits that were not taken yet are of calls before `call`.
  [[nodiscard]] uint32_t before(uint32_t call) const {
    const auto end = calls_.begin() + open_;
    return static_cast<uint32_t>(std::lower_bound(calls_.begin(), end, call) - calls_.begin());
  }
  [[nodiscard]] uint64_t end_ticks(uint32_t i) const { return waits_[i].end_ticks; }
  /// How long it has waited, in all waits before this one,
  [[nodiscard]] uint64_t waited_before(uint32_t i) const {
    return i == 0 ? base_ : waits_[i - 1].until;
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
    const uint64_t until = waited_before(end);
    const Parts each = parts / (until - waited);
    waits_[end - 1].change += each;
    place_in(begin, {waited, until, each, parts});
  }
  /// The same by places: from one, which may be in a part before, until another one, which is the
  /// end of a wait of the part, or the begin of its first one.
  ///
  /// returns  false where it is neither: parts contradict each other.
  bool give(uint64_t waited, uint64_t until, uint64_t amount) {
    const Parts parts = Parts{amount} << kFractionBits;
    const Parts each = parts / (until - waited);
    if (waits_.empty() || until == base_) {
      change_before_ += each;
    } else {
      const uint32_t last = wait_at(until - 1);
      if (last == waits_.size() || waits_[last].until != until) return false;
      waits_[last].change += each;
    }
    const Pending given{waited, until, each, parts};
    if (is_here(waited)) return place(given);
    pending_.push_back(given);
    return true;
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
  struct Pending {  // What was given of which the first place is not here yet.
    uint64_t from;
    uint64_t until;
    Parts each;
    Parts parts;
  };

  [[nodiscard]] bool is_here(uint64_t waited) const { return !waits_.empty() && waited >= base_; }
  [[nodiscard]] uint32_t wait_at(uint64_t waited) const {
    const auto at = std::upper_bound(waits_.begin(), waits_.end(), waited,
                                     [](uint64_t a, const OfWait& wait) { return a < wait.until; });
    return static_cast<uint32_t>(at - waits_.begin());
  }
  bool place(const Pending& given) {
    const uint32_t first = wait_at(given.from);
    if (first == waits_.size()) return false;
    place_in(first, given);
    return true;
  }
  /// The first one has no more than what is left, to the last part of a tick.
  void place_in(uint32_t first, const Pending& given) {
    if (first > 0) {
      waits_[first - 1].change -= given.each;
    } else {
      change_before_ -= given.each;
    }
    waits_[first].once += given.parts - given.each * (given.until - waited_before(first));
  }

  std::vector<uint32_t> calls_;
  std::vector<OfWait> waits_;
  uint64_t base_ = 0;
  std::vector<Pending> pending_;
  Parts change_before_ = 0;  // From the first wait backwards each tick gets so much more.
  Parts each_ = 0;           // What a tick of the next wait gets.
  Parts left_ = 0;           // Of a tick, for the next wait.
  uint32_t open_ = 0;        // Waits from here on were taken.
};

}  // namespace pathline::findings
