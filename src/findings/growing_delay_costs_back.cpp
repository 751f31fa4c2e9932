// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "findings/growing_delay_costs.hpp"
#include "findings/part_waits.hpp"

namespace pathline::findings {

/// Hands on what the waits of a part inherit, the last one first.
class GrowingDelayCosts::Backwards {
 public:
  Backwards(GrowingDelayCosts& all, PartWaits& part, const OfPart& known)
      : all_(all),
        part_(part),
        known_(known),
        of_call_(part.model().all->calls.size()),
        of_lane_(all.lanes_.size(), kNone) {
    for (uint32_t slot = 0; slot < part.slot_count(); ++slot) {
      slots_.push_back(all.slot_of_column_[part.slot_column(slot)]);
    }
  }

  bool run() {
    if (!add_waits() || !part_.sort()) return false;
    const std::vector<PartWaits::Wait>& waits = part_.waits();
    std::vector<Since> since(waits.size());
    for (size_t i = 0; i < waits.size(); ++i) {
      if (!find_since(waits[i], since[i])) return false;
      if (waits[i].call != kNone) part_.meet(waits[i]);
    }
    for (size_t i = waits.size(); i-- > 0;) {
      if (!blame(waits[i], since[i])) return false;
    }
    return true;
  }

 private:
  /// Since when a wait is about.
  struct Since {
    uint64_t ticks = 0;
    uint32_t call = kNone;
    uint32_t cause_call = kNone;
    uint32_t crossing = kNone;  // Or what was found of it on the way forwards.
  };
  struct SlotTicks {
    uint32_t slot;
    uint64_t ticks;
  };

  bool add_waits() {
    const Model& model = part_.model();
    for (uint32_t lane = 0; lane < all_.lanes_.size(); ++lane) {
      const Model::Lane& of = model.lanes[lane];
      if (of.end_call - of.first_call != known_.calls[lane]) return false;
    }
    if (!all_.numbers_.begin_back(model)) return false;
    std::fill(of_call_.begin(), of_call_.end(), kNone);
    for (uint32_t i = 0; i < known_.crossings.size(); ++i) {
      if (!add_crossing(i)) return false;
    }
    for (uint32_t lane = 0; lane < all_.lanes_.size(); ++lane) {
      if (all_.lanes_[lane].recorded && !add_lane(lane)) return false;
    }
    return part_.wait_ticks() == known_.wait_ticks && part_.unknown_ticks() == known_.unknown_ticks;
  }
  bool add_crossing(uint32_t i) {
    const Crossing& one = known_.crossings[i];
    if (one.is_open) {
      of_lane_[one.lane] = i;
      return true;
    }
    const auto call = all_.numbers_.call_of({one.lane, one.number});
    if (call) of_call_[*call] = i;
    return call.has_value();
  }
  bool add_lane(uint32_t lane) {
    LaneWaits& of = all_.waits_[lane];
    of.begin_part();
    if (of_lane_[lane] != kNone) {
      const Crossing& one = known_.crossings[of_lane_[lane]];
      const auto cause = all_.numbers_.call_of(one.cause);
      if (!cause || part_.model().begin(*cause) != one.end_ticks) return false;
      part_.add_wait({one.end_ticks, lane, kNone, one.cause.lane, *cause});
      of.begin_at(one.waited);
      of.add(0, one.begin_ticks, one.end_ticks);
    }
    uint64_t& waited = all_.lanes_[lane].waited;
    const uint64_t ticks = part_.known_wait_ticks(lane);
    if (ticks > waited) return false;
    waited -= ticks;
    const size_t first = part_.waits().size();
    if (!part_.add_lane(lane, waited, [](uint32_t) {})) return false;
    for (size_t i = first; i < part_.waits().size(); ++i) {
      const PartWaits::Wait& wait = part_.waits()[i];
      if (of.empty()) of.begin_at(part_.waited_before(wait.call));
      of.add(wait.call, part_.model().begin(wait.call), wait.end_ticks);
    }
    return of.settle();
  }

  bool find_since(const PartWaits::Wait& wait, Since& found) const {
    found.crossing = wait.call == kNone ? of_lane_[wait.lane] : of_call_[wait.call];
    if (found.crossing != kNone) return true;
    if (const PartWaits::Meeting* const met = part_.meeting(wait.lane, wait.cause_lane)) {
      const bool is_lower = wait.lane < wait.cause_lane;
      found = {met->ticks, is_lower ? met->lower_call : met->higher_call,
               is_lower ? met->higher_call : met->lower_call};
    }
    for (const PartWaits::OperationsOfSet& own : part_.sets(wait.lane)) {
      const PartWaits::OperationsOfSet* const theirs = part_.operations(wait.cause_lane, own.set);
      const PartWaits::Operation* const own_last = PartWaits::last_before(&own, wait.call);
      const PartWaits::Operation* const their_last = PartWaits::last_before(theirs, wait.cause);
      if (own_last == nullptr || their_last == nullptr) continue;
      const uint64_t ticks = std::min(own_last->ticks, their_last->ticks);
      if (ticks <= found.ticks) continue;
      const PartWaits::Operation* const own_then = PartWaits::at(&own, ticks);
      const PartWaits::Operation* const theirs_then = PartWaits::at(theirs, ticks);
      if (own_then == nullptr || theirs_then == nullptr) continue;  // In a part before.
      found = {ticks, own_then->call, theirs_then->call};
    }
    return found.call != kNone && found.cause_call != kNone;
  }

  bool blame(const PartWaits::Wait& wait, const Since& since) {
    const uint64_t inherited = all_.waits_[wait.lane].take();
    uint64_t own = 0;
    uint64_t waited = 0;
    uint64_t until = 0;
    times_.clear();
    if (since.crossing == kNone) {
      own = part_.model().wait_ticks(wait.call);
      waited = part_.waited_at(since.cause_call, since.ticks);
      until = part_.waited_before(wait.cause);
      const auto& by_slot = part_.between(wait.cause_lane, since.cause_call, wait.cause, wait.lane,
                                          since.call, wait.call);
      for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
        if (by_slot[slot] > 0) {
          times_.push_back({slots_[slot], static_cast<uint64_t>(by_slot[slot])});
        }
      }
    } else {
      const Crossing& known = known_.crossings[since.crossing];
      own = known.end_ticks - known.begin_ticks;
      waited = known.their_waited;
      until = known.their_until;
      const uint32_t first =
          since.crossing == 0 ? 0 : known_.crossings[since.crossing - 1].end_time;
      for (uint32_t i = first; i < known.end_time; ++i) {
        times_.push_back({all_.slot_of_column_[known_.times[i].column], known_.times[i].ticks});
      }
      std::sort(times_.begin(), times_.end(),
                [](const SlotTicks& a, const SlotTicks& b) { return a.slot < b.slot; });
    }
    return waited <= until && hand_on(wait.cause_lane, own, inherited, waited, until);
  }

  /// To what the cause did longer, and to its waiting from one place until another one.
  bool hand_on(uint32_t cause, uint64_t own, uint64_t inherited, uint64_t waited, uint64_t until) {
    const uint64_t waiting = until - waited;
    uint64_t total = waiting;
    for (const SlotTicks& time : times_) total += time.ticks;
    if (total == 0) return false;
    Shares of_own(own, total);
    Shares of_inherited(inherited, total);
    const size_t row = size_t{cause} * all_.path_of_slot_.size();
    for (const SlotTicks& time : times_) {
      all_.short_[row + time.slot] += of_own.next(time.ticks);
      if (inherited > 0) all_.long_[row + time.slot] += of_inherited.next(time.ticks);
    }
    return waiting == 0 || all_.waits_[cause].give(
                               waited, until, of_own.next(waiting) + of_inherited.next(waiting));
  }

  GrowingDelayCosts& all_;
  PartWaits& part_;
  const OfPart& known_;
  base::Column<uint32_t> of_call_;  // Crossings.
  std::vector<uint32_t> of_lane_;
  std::vector<uint32_t> slots_;  // Of all, per slot of the part.
  std::vector<SlotTicks> times_;
};

bool GrowingDelayCosts::begin_blame() {
  const std::vector<uint32_t> number = number_paths(tree_, call_paths_);
  std::vector<std::pair<uint32_t, uint32_t>> path_and_column;
  for (uint32_t node = 1; node < number.size(); ++node) {
    const uint32_t column = column_of_node_.empty() ? node : column_of_node_[node];
    if (column != 0) path_and_column.emplace_back(number[node], column);
  }
  std::sort(path_and_column.begin(), path_and_column.end());
  slot_of_column_.assign(path_and_column.size() + 1, 0);
  for (const auto& [path, column] : path_and_column) {
    slot_of_column_[column] = static_cast<uint32_t>(path_of_slot_.size());
    path_of_slot_.push_back(path);
  }
  slot_of_column_[0] = static_cast<uint32_t>(path_of_slot_.size());
  path_of_slot_.push_back(kNone);
  for (uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    if (lanes_[lane].open) return false;
    lanes_[lane].sets.clear();
  }
  met_ = PairTable<Met>(0);
  waits_.resize(lanes_.size());
  short_.assign(lanes_.size() * path_of_slot_.size(), 0);
  long_.assign(short_.size(), 0);
  return true;
}

bool GrowingDelayCosts::blame(const Model& part) {
  if (!std::exchange(is_blaming_, true) && !begin_blame()) return false;
  if (parts_.empty() || !fits(part)) return false;
  const size_t paths = tree_.nodes().size();
  auto columns = columns_of(part);
  if (!columns || tree_.nodes().size() > paths) return false;
  PartWaits modelled(part, std::move(*columns));
  const OfPart known = std::move(parts_.back());
  parts_.pop_back();
  return Backwards(*this, modelled, known).run();
}

std::optional<GrowingDelayCosts::Found> GrowingDelayCosts::finish() {
  if (!is_blaming_ || !parts_.empty()) return std::nullopt;
  uint64_t sum = 0;
  const size_t slots = path_of_slot_.size();
  for (uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    for (size_t slot = 0; slot < slots; ++slot) {
      const size_t at = lane * slots + slot;
      if (short_[at] + long_[at] == 0) continue;
      result_.rows.push_back({lane, path_of_slot_[slot], short_[at], long_[at]});
      sum += short_[at] + long_[at];
    }
  }
  if (sum != result_.wait_ticks) return std::nullopt;
  return Found{std::move(result_), std::move(call_paths_)};
}

}  // namespace pathline::findings
