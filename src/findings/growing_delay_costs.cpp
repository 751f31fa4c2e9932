// SPDX-License-Identifier: BSD-3-Clause
#include "findings/growing_delay_costs.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "findings/intervals.hpp"

namespace pathline::findings {
namespace {

void add_times(const std::vector<int64_t>& from, int64_t sign, std::vector<int64_t>& times) {
  if (times.size() < from.size()) times.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) times[i] += sign * from[i];
}

/// Of a set, where sets ascend.
template <class Sets>
auto set_at(Sets& sets, uint32_t set) {
  return std::lower_bound(sets.begin(), sets.end(), set,
                          [](const auto& a, uint32_t b) { return a.set < b; });
}

}  // namespace

/// Waits of a part in an order in which each comes behind those of its cause, and when two lanes
/// were together as far as the part knows.
class GrowingDelayCosts::Part {
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

  /// nodes  per call path of the part, of the tree of all.
  Part(const Model& model, const std::vector<uint32_t>& nodes)
      : model_(model),
        nodes_(nodes),
        slots_(model),
        intervals_(model, slots_),
        sets_(model.lanes.size()),
        waited_(model.all->calls.size()),
        by_slot_(slots_.size()) {}

  [[nodiscard]] const Model& model() const { return model_; }

  /// Goes through the calls of a lane. `open(call)` is told of waits that end behind the part.
  ///
  /// waited   by the lane before the part.
  /// returns  false where clocks disagree.
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
      if (model_.begin(cause) != end) return false;
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
  bool sort() {
    std::sort(waits_.begin(), waits_.end(), [](const Wait& a, const Wait& b) {
      return a.end_ticks != b.end_ticks ? a.end_ticks < b.end_ticks : a.lane < b.lane;
    });
    for (size_t begin = 0; begin < waits_.size();) {
      size_t end = begin + 1;
      while (end < waits_.size() && waits_[end].end_ticks == waits_[begin].end_ticks) ++end;
      if (end - begin > 1 && !sort_equal(begin, end)) return false;
      begin = end;
    }
    return true;
  }
  [[nodiscard]] const std::vector<Wait>& waits() const { return waits_; }
  [[nodiscard]] uint64_t wait_ticks() const { return wait_ticks_; }
  [[nodiscard]] uint64_t unknown_ticks() const { return unknown_ticks_; }

  [[nodiscard]] const std::vector<OperationsOfSet>& sets(uint32_t lane) const {
    return sets_[lane];
  }
  [[nodiscard]] const OperationsOfSet* operations(uint32_t lane, uint32_t set) const {
    const auto at = set_at(sets_[lane], set);
    return at != sets_[lane].end() && at->set == set ? &*at : nullptr;
  }
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
  [[nodiscard]] uint64_t known_wait_ticks(uint32_t lane) const {
    uint64_t ticks = 0;
    const Model::Lane& of = model_.lanes[lane];
    for (uint32_t call = of.first_call; call < of.end_call; ++call) {
      if (model_.cause_known(call)) ticks += model_.wait_ticks(call);
    }
    return ticks;
  }
  /// How long a lane has waited until a call begins, and until a time in it.
  [[nodiscard]] uint64_t waited_before(uint32_t call) const { return waited_[call]; }
  [[nodiscard]] uint64_t waited_at(uint32_t call, uint64_t ticks) const {
    const uint64_t wait = model_.cause_known(call) ? model_.wait_ticks(call) : 0;
    return waited_[call] + std::min(wait, ticks - model_.begin(call));
  }
  /// Adds what a lane did without waiting since it was in a call, or the begin of the part (kNone),
  /// until a call begins, by slot.
  const std::vector<int64_t>& between(uint32_t lane, uint32_t first, uint32_t last,
                                      uint32_t other_lane, uint32_t other_first,
                                      uint32_t other_last) {
    std::fill(by_slot_.begin(), by_slot_.end(), 0);
    add_between(lane, first, last, 1);
    add_between(other_lane, other_first, other_last, -1);
    return by_slot_;
  }
  /// What a lane did from the begin of the part until a call begins, by node.
  void add_until(uint32_t lane, uint32_t call, int64_t sign, Times& times) {
    std::fill(by_slot_.begin(), by_slot_.end(), 0);
    add_between(lane, kNone, call, sign);
    for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (by_slot_[slot] != 0) add(slot_node(slot), by_slot_[slot], times);
    }
  }
  /// And all of it.
  void add_all(uint32_t lane, Times& times) const {
    const Model::Lane& of = model_.lanes[lane];
    const uint32_t end = model_.first_piece[Model::gap(of.end_call, lane) + 1];
    for (uint32_t i = model_.first_piece[Model::gap(of.first_call, lane)]; i < end; ++i) {
      add(node(model_.piece_path[i]), static_cast<int64_t>(model_.piece_ticks[i]), times);
    }
    for (uint32_t call = of.first_call; call < of.end_call; ++call) {
      const uint64_t ticks = model_.end(call) - model_.wait_end(call);
      add(node(model_.call_path[call]), static_cast<int64_t>(ticks), times);
    }
  }
  [[nodiscard]] uint32_t slot_count() const { return slots_.size(); }
  [[nodiscard]] uint32_t slot_node(uint32_t slot) const { return node(slots_.path(slot)); }

  static void add(uint32_t node, int64_t ticks, Times& times) {
    if (times.size() <= node) times.resize(node + 1);
    times[node] += ticks;
  }

 private:
  [[nodiscard]] uint32_t node(uint32_t path) const { return path == kNone ? 0 : nodes_[path]; }

  void add_between(uint32_t lane, uint32_t first, uint32_t last, int64_t sign) {
    // In a call nothing but waiting comes before its wait has ended.
    const uint64_t from = first == kNone ? model_.lanes[lane].begin_ticks : model_.begin(first);
    intervals_.add(lane, from, first, last, sign, by_slot_);
  }

  bool add_operations(uint32_t lane, uint32_t call) {
    const comm::Dependencies& all = *model_.all;
    for (uint32_t i = all.first[call]; i < all.first[call + 1]; ++i) {
      const comm::Dependency& one = all.list[i];
      if (!one.of_group() || !one.waits() || one.kind == comm::WaitKind::kEarlyScan) continue;
      const uint32_t group = all.group[one.target];
      const uint32_t latest = all.group_latest[group];
      if (latest == comm::kNoCall || !model_.in_window(latest)) continue;
      const uint64_t ticks = model_.begin(latest);
      // All have come and none has left: so it is no operation that goes on beside the program.
      if (ticks < model_.begin(call) || ticks > model_.end(call)) return false;
      const uint32_t set = all.group_set[group];
      auto at = set_at(sets_[lane], set);
      if (at == sets_[lane].end() || at->set != set) at = sets_[lane].insert(at, {set, {}});
      at->operations.push_back({call, ticks});
    }
    return true;
  }

  /// Those that end at the same time: behind the wait of the cause that let it go on.
  bool sort_equal(size_t begin, size_t end) {
    const size_t count = end - begin;
    const Wait* const waits = &waits_[begin];
    std::vector<uint32_t> next(count, kNone);
    bool any = false;
    for (size_t i = 0; i < count; ++i) {
      const auto at = std::lower_bound(waits, waits + count, waits[i].cause_lane,
                                       [](const Wait& a, uint32_t b) { return a.lane < b; });
      if (at == waits + count || at->lane != waits[i].cause_lane) continue;
      if (at->call != kNone && at->call >= waits[i].cause) continue;
      next[i] = static_cast<uint32_t>(at - waits);
      any = true;
    }
    if (!any) return true;
    std::vector<Wait> ordered;
    std::vector<bool> is_done(count);
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < count; ++i) {
      for (uint32_t k = i; k != kNone && !is_done[k]; k = next[k]) {
        if (open.size() == count) return false;
        open.push_back(k);
      }
      for (; !open.empty(); open.pop_back()) {
        ordered.push_back(waits[open.back()]);
        is_done[open.back()] = true;
      }
    }
    std::copy(ordered.begin(), ordered.end(), waits_.begin() + static_cast<ptrdiff_t>(begin));
    return true;
  }

  const Model& model_;
  const std::vector<uint32_t>& nodes_;
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

/// Finds since when the waits of a part are about, and what the next one has to know.
class GrowingDelayCosts::Forwards {
 public:
  Forwards(GrowingDelayCosts& all, Part& part)
      : all_(all), part_(part), opens_(all.lanes_.size()) {}

  bool run() {
    if (!add_waits() || !part_.sort()) return false;
    for (const Part::Wait& wait : part_.waits()) {
      if (!look_at(wait)) return false;
      part_.meet(wait);
    }
    keep();
    return true;
  }
  OfPart take() { return std::move(result_); }

 private:
  /// Where a lane was: in a call of the part, or of one before.
  struct Where {
    uint32_t call = kNone;
    const Place* before = nullptr;
  };
  struct Together {
    uint64_t ticks = 0;  // 0: where the window begins.
    Where own, theirs;
    const Met* met = nullptr;  // In a part before.
  };

  bool add_waits() {
    const Model& model = part_.model();
    for (uint32_t lane = 0; lane < all_.lanes_.size(); ++lane) {
      Lane& of = all_.lanes_[lane];
      if (!of.recorded) continue;
      const uint32_t first = model.lanes[lane].first_call;
      if (all_.numbers_.first(lane) == 0) {
        // The call that it was in where the window begins.
        Part::add(0, static_cast<int64_t>(model.lanes[lane].begin_ticks - model.part.begin_ticks),
                  of.times);
      }
      bool is_known = true;
      const auto see_open = [&](uint32_t call) {
        const auto cause = all_.numbers_.of(model.all->cause[call]);
        is_known = is_known && cause && call + 1 == model.lanes[lane].end_call;
        if (is_known) opens_[lane] = OpenCall{call, *cause};
      };
      if (!part_.add_lane(lane, of.waited, see_open) || !is_known) return false;
      if (!of.open) continue;
      const auto cause = call_of(of.open->cause);
      // A lane goes on behind its wait.
      const uint64_t next = first < model.lanes[lane].end_call ? model.begin(first) : UINT64_MAX;
      if (next < (cause ? of.open->end.ticks : UINT64_MAX)) return false;
      if (!cause) continue;
      part_.add_wait({of.open->end.ticks, lane, kNone, of.open->cause.lane, *cause});
    }
    return true;
  }
  /// nullopt for one of a later part.
  [[nodiscard]] std::optional<uint32_t> call_of(CallNumbers::Call call) const {
    const Model::Lane& of = part_.model().lanes[call.lane];
    const uint32_t first = all_.numbers_.first(call.lane);
    if (call.number < first || call.number - first >= of.end_call - of.first_call) {
      return std::nullopt;
    }
    return of.first_call + (call.number - first);
  }
  [[nodiscard]] uint32_t number_of(uint32_t lane, uint32_t call) const {
    return all_.numbers_.first(lane) + (call - part_.model().lanes[lane].first_call);
  }

  bool look_at(const Part::Wait& wait) {
    Together together;
    if (!find_together(wait, together)) return false;
    const bool is_here =
        wait.call != kNone && together.own.call != kNone && together.theirs.call != kNone;
    if (!is_here) add_crossing(wait, together);
    return true;
  }

  /// returns  false where parts contradict each other.
  bool find_together(const Part::Wait& wait, Together& found) const {
    const bool is_lower = wait.lane < wait.cause_lane;
    if (const Part::Meeting* const met = part_.meeting(wait.lane, wait.cause_lane)) {
      found.ticks = met->ticks;
      found.own = where(wait.lane, is_lower ? met->lower_call : met->higher_call);
      found.theirs = where(wait.cause_lane, is_lower ? met->higher_call : met->lower_call);
    } else if (const Met* const before = all_.met_.find(wait.lane, wait.cause_lane)) {
      found.ticks = before->ticks;
      found.met = before;
    }
    for (const uint32_t set : sets_of(wait.lane)) {
      const uint64_t own = last_before(wait.lane, set, wait.call, is_open(wait));
      const uint64_t theirs = last_before(wait.cause_lane, set, wait.cause, false);
      const uint64_t ticks = std::min(own, theirs);
      if (ticks <= found.ticks) continue;
      found = {ticks, in_operation(wait.lane, set, ticks),
               in_operation(wait.cause_lane, set, ticks), nullptr};
      if (is_nowhere(found.own) || is_nowhere(found.theirs)) return false;
    }
    return true;
  }
  [[nodiscard]] static bool is_open(const Part::Wait& wait) { return wait.call == kNone; }
  [[nodiscard]] static bool is_nowhere(const Where& where) {
    return where.call == kNone && where.before == nullptr;
  }
  /// In a call of the part, or the one that is open from the part before.
  [[nodiscard]] Where where(uint32_t lane, uint32_t call) const {
    if (call != kNone) return {call, nullptr};
    return {kNone, &all_.lanes_[lane].open->end};
  }
  [[nodiscard]] const std::vector<uint32_t>& sets_of(uint32_t lane) const {
    sets_.clear();
    for (const Part::OperationsOfSet& of : part_.sets(lane)) sets_.push_back(of.set);
    for (const Set& of : all_.lanes_[lane].sets) sets_.push_back(of.set);
    std::sort(sets_.begin(), sets_.end());
    sets_.erase(std::unique(sets_.begin(), sets_.end()), sets_.end());
    return sets_;
  }
  [[nodiscard]] const Set* kept(uint32_t lane, uint32_t set) const {
    for (const Set& of : all_.lanes_[lane].sets) {
      if (of.set == set) return &of;
    }
    return nullptr;
  }
  /// When the last operation was whose call came before another one; 0 without any.
  [[nodiscard]] uint64_t last_before(uint32_t lane, uint32_t set, uint32_t call,
                                     bool before_open) const {
    if (!before_open) {
      const Part::Operation* const last = Part::last_before(part_.operations(lane, set), call);
      if (last != nullptr) return last->ticks;
    }
    const Set* const of = kept(lane, set);
    if (of == nullptr) return 0;
    uint64_t ticks = 0;
    for (const Place& place : of->operations) {
      if (before_open && place.number >= all_.lanes_[lane].open->end.number) break;
      ticks = place.ticks;
    }
    return ticks;
  }
  [[nodiscard]] Where in_operation(uint32_t lane, uint32_t set, uint64_t ticks) const {
    if (const auto* const found = Part::at(part_.operations(lane, set), ticks)) {
      return {found->call, nullptr};
    }
    if (const Set* const of = kept(lane, set)) {
      for (const Place& place : of->operations) {
        if (place.ticks == ticks) return {kNone, &place};
      }
    }
    return {};
  }

  /// What a lane had done when the call began that it was in.
  void add_times(uint32_t lane, const Where& where, int64_t sign, Times& times) const {
    if (where.before != nullptr) {
      findings::add_times(where.before->times, sign, times);
    } else {
      findings::add_times(all_.lanes_[lane].times, sign, times);
      part_.add_until(lane, where.call, sign, times);
    }
  }
  [[nodiscard]] uint64_t waited_at(const Where& where, uint64_t ticks) const {
    return where.before != nullptr ? where.before->waited : part_.waited_at(where.call, ticks);
  }

  void add_crossing(const Part::Wait& wait, const Together& together) {
    const Lane& of = all_.lanes_[wait.lane];
    const Where own = where(wait.lane, wait.call);
    const Where theirs{wait.cause, nullptr};
    const uint64_t begin = is_open(wait) ? of.open->begin_ticks : part_.model().begin(wait.call);
    Times times;
    add_times(wait.cause_lane, theirs, 1, times);
    add_times(wait.lane, own, -1, times);
    uint64_t their_waited = 0;
    if (together.met != nullptr) {
      const bool is_higher = wait.cause_lane > wait.lane;
      findings::add_times(together.met->ahead, is_higher ? -1 : 1, times);
      their_waited = is_higher ? together.met->higher_waited : together.met->lower_waited;
    } else if (together.ticks > 0) {
      add_times(wait.cause_lane, together.theirs, -1, times);
      add_times(wait.lane, together.own, 1, times);
      their_waited = waited_at(together.theirs, together.ticks);
    }
    for (uint32_t node = 0; node < times.size(); ++node) {
      if (times[node] > 0) result_.times.push_back({node, static_cast<uint64_t>(times[node])});
    }
    const uint64_t waited = is_open(wait) ? of.open->end.waited - (wait.end_ticks - begin)
                                          : part_.waited_before(wait.call);
    const uint32_t number = is_open(wait) ? of.open->end.number : number_of(wait.lane, wait.call);
    result_.crossings.push_back({wait.lane,
                                 number,
                                 is_open(wait),
                                 begin,
                                 wait.end_ticks,
                                 {wait.cause_lane, number_of(wait.cause_lane, wait.cause)},
                                 waited,
                                 their_waited,
                                 part_.waited_before(wait.cause),
                                 static_cast<uint32_t>(result_.times.size())});
  }

  // What the next part has to know.

  void keep() {
    std::vector<Lane> next(all_.lanes_.size());
    for (uint32_t lane = 0; lane < next.size(); ++lane) keep_wait(lane, next[lane]);
    keep_operations(next);
    PairTable<Met> met(part_.meetings().size());
    keep_pairs(next, met);
    all_.met_ = std::move(met);
    all_.lanes_ = std::move(next);
  }
  void keep_wait(uint32_t lane, Lane& next) {
    Lane& of = all_.lanes_[lane];
    const Model& model = part_.model();
    next.recorded = of.recorded;
    next.times = of.times;
    next.waited = of.waited;
    if (!of.recorded) return;
    part_.add_all(lane, next.times);
    const Model::Lane& range = model.lanes[lane];
    if (range.first_call < range.end_call) {
      const uint32_t last = range.end_call - 1;
      next.waited = part_.waited_at(last, model.wait_end(last));
    }
    if (opens_[lane]) {
      const auto& [call, cause] = *opens_[lane];
      next.open = Open{place(lane, call, model.wait_end(call)), model.begin(call), cause};
    } else if (of.open && !call_of(of.open->cause)) {
      next.open = of.open;
    }
  }
  [[nodiscard]] Place place(uint32_t lane, uint32_t call, uint64_t ticks) const {
    Place place{number_of(lane, call), ticks, {}, part_.waited_at(call, ticks)};
    add_times(lane, {call, nullptr}, 1, place.times);
    return place;
  }

  /// An operation is needed until all lanes of its set have come to a later one: in those a later
  /// wait looks for the last one that both have come to.
  void keep_operations(std::vector<Lane>& next) {
    std::map<uint32_t, uint64_t> first_needed;
    for (uint32_t lane = 0; lane < next.size(); ++lane) {
      for (const uint32_t set : sets_of(lane)) {
        const uint64_t last = last_of(next, lane, set);
        if (last == 0) continue;
        const auto [at, is_new] = first_needed.emplace(set, last);
        if (!is_new) at->second = std::min(at->second, last);
      }
    }
    for (uint32_t lane = 0; lane < next.size(); ++lane) {
      for (const uint32_t set : sets_of(lane)) {
        const auto needed = first_needed.find(set);
        const uint64_t from = needed == first_needed.end() ? 0 : needed->second;
        Set& to = next[lane].sets.emplace_back(Set{set, {}});
        if (const Set* const of = kept(lane, set)) {
          for (const Place& place : of->operations) {
            if (place.ticks >= from) to.operations.push_back(place);
          }
        }
        const Part::OperationsOfSet* const of = part_.operations(lane, set);
        if (of == nullptr) continue;
        for (const Part::Operation& one : of->operations) {
          if (one.ticks >= from) to.operations.push_back(place(lane, one.call, one.ticks));
        }
      }
    }
  }
  /// The last one before the next wait of a lane; 0 without any.
  [[nodiscard]] uint64_t last_of(const std::vector<Lane>& next, uint32_t lane, uint32_t set) const {
    const uint32_t end = part_.model().lanes[lane].end_call;
    if (!next[lane].open) return last_before(lane, set, end, false);
    if (opens_[lane]) return last_before(lane, set, end - 1, false);
    return last_before(lane, set, kNone, true);
  }

  void keep_pairs(const std::vector<Lane>& next, PairTable<Met>& met) const {
    all_.met_.for_each([&](uint32_t lower, uint32_t higher, const Met& one) {
      if (part_.meeting(lower, higher) != nullptr ||
          have_met_since(next, lower, higher, one.ticks)) {
        return;
      }
      met.at(lower, higher) = one;
    });
    part_.meetings().for_each([&](uint32_t lower, uint32_t higher, const Part::Meeting& one) {
      if (have_met_since(next, lower, higher, one.ticks)) return;
      Met& to = met.at(lower, higher);
      const Where of_lower = where(lower, one.lower_call);
      const Where of_higher = where(higher, one.higher_call);
      to.ticks = one.ticks;
      add_times(higher, of_higher, 1, to.ahead);
      add_times(lower, of_lower, -1, to.ahead);
      to.lower_waited = waited_at(of_lower, one.ticks);
      to.higher_waited = waited_at(of_higher, one.ticks);
    });
  }
  /// In an operation that every later wait comes behind.
  [[nodiscard]] bool have_met_since(const std::vector<Lane>& next, uint32_t a, uint32_t b,
                                    uint64_t ticks) const {
    for (const Set& of : next[a].sets) {
      const uint64_t last = last_of(next, a, of.set);
      if (last >= ticks && last_of(next, b, of.set) >= ticks) return true;
    }
    return false;
  }

  struct OpenCall {
    uint32_t call;
    CallNumbers::Call cause;
  };

  GrowingDelayCosts& all_;
  Part& part_;
  std::vector<std::optional<OpenCall>> opens_;  // Per lane: waits that begin in the part.
  mutable std::vector<uint32_t> sets_;
  OfPart result_;
};

bool GrowingDelayCosts::add(const Model& part) {
  if (lanes_.empty()) {
    for (const Model::Lane& of : part.lanes) lanes_.emplace_back().recorded = of.recorded;
  }
  if (part.lanes.size() != lanes_.size() || !part.all->early.empty()) return false;
  numbers_.begin(part);
  const std::vector<uint32_t> nodes = add_paths(part.call_paths, tree_);
  if (tree_.nodes().size() > Slots::kMost) return false;
  Part modelled(part, nodes);
  Forwards forwards(*this, modelled);
  if (!forwards.run()) return false;
  numbers_.end();
  result_.wait_ticks += modelled.wait_ticks();
  result_.unknown_ticks += modelled.unknown_ticks();
  parts_.push_back(forwards.take());
  return true;
}

/// Hands on what the waits of a part inherit, the last one first.
class GrowingDelayCosts::Backwards {
 public:
  Backwards(GrowingDelayCosts& all, Part& part, const OfPart& known)
      : all_(all),
        part_(part),
        known_(known),
        of_call_(part.model().all->calls.size()),
        of_lane_(all.lanes_.size(), kNone) {
    for (uint32_t slot = 0; slot < part.slot_count(); ++slot) {
      slots_.push_back(all.slot_of_node_[part.slot_node(slot)]);
    }
  }

  bool run() {
    if (!add_waits() || !part_.sort()) return false;
    const std::vector<Part::Wait>& waits = part_.waits();
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
      const uint32_t calls = of.end_call - of.first_call;
      if (!all_.lanes_[lane].recorded) continue;
      if (all_.next_number_[lane] < calls) return false;
      all_.next_number_[lane] -= calls;
    }
    std::fill(of_call_.begin(), of_call_.end(), kNone);
    for (uint32_t i = 0; i < known_.crossings.size(); ++i) {
      if (!add_crossing(i)) return false;
    }
    for (uint32_t lane = 0; lane < all_.lanes_.size(); ++lane) {
      if (all_.lanes_[lane].recorded && !add_lane(lane)) return false;
    }
    return true;
  }
  bool add_crossing(uint32_t i) {
    const Crossing& one = known_.crossings[i];
    const Model::Lane& of = part_.model().lanes[one.lane];
    const uint32_t number = all_.next_number_[one.lane];
    if (one.is_open) {
      of_lane_[one.lane] = i;
      return true;
    }
    if (one.number < number || one.number - number >= of.end_call - of.first_call) return false;
    of_call_[of.first_call + (one.number - number)] = i;
    return true;
  }
  bool add_lane(uint32_t lane) {
    LaneWaits& of = all_.waits_[lane];
    of.begin_part();
    if (of_lane_[lane] != kNone) {
      const Crossing& one = known_.crossings[of_lane_[lane]];
      const Model::Lane& cause_lane = part_.model().lanes[one.cause.lane];
      const uint32_t before = all_.next_number_[one.cause.lane];
      if (one.cause.number < before) return false;
      const uint32_t cause = cause_lane.first_call + (one.cause.number - before);
      if (cause >= cause_lane.end_call) return false;
      part_.add_wait({one.end_ticks, lane, kNone, one.cause.lane, cause});
      of.begin_at(one.waited);
      of.add(0, one.begin_ticks, one.end_ticks);
    }
    uint64_t& waited = all_.lanes_[lane].waited;
    waited -= part_.known_wait_ticks(lane);
    const size_t first = part_.waits().size();
    if (!part_.add_lane(lane, waited, [](uint32_t) {})) return false;
    for (size_t i = first; i < part_.waits().size(); ++i) {
      const Part::Wait& wait = part_.waits()[i];
      if (of.empty()) of.begin_at(part_.waited_before(wait.call));
      of.add(wait.call, part_.model().begin(wait.call), wait.end_ticks);
    }
    of.settle();
    return true;
  }

  bool find_since(const Part::Wait& wait, Since& found) const {
    found.crossing = wait.call == kNone ? of_lane_[wait.lane] : of_call_[wait.call];
    if (found.crossing != kNone) return true;
    if (const Part::Meeting* const met = part_.meeting(wait.lane, wait.cause_lane)) {
      const bool is_lower = wait.lane < wait.cause_lane;
      found = {met->ticks, is_lower ? met->lower_call : met->higher_call,
               is_lower ? met->higher_call : met->lower_call};
    }
    for (const Part::OperationsOfSet& own : part_.sets(wait.lane)) {
      const Part::OperationsOfSet* const theirs = part_.operations(wait.cause_lane, own.set);
      const Part::Operation* const own_last = Part::last_before(&own, wait.call);
      const Part::Operation* const their_last = Part::last_before(theirs, wait.cause);
      if (own_last == nullptr || their_last == nullptr) continue;
      const uint64_t ticks = std::min(own_last->ticks, their_last->ticks);
      if (ticks <= found.ticks) continue;
      const Part::Operation* const own_then = Part::at(&own, ticks);
      const Part::Operation* const theirs_then = Part::at(theirs, ticks);
      if (own_then == nullptr || theirs_then == nullptr) continue;  // In a part before.
      found = {ticks, own_then->call, theirs_then->call};
    }
    return found.call != kNone && found.cause_call != kNone;
  }

  bool blame(const Part::Wait& wait, const Since& since) {
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
        times_.push_back({all_.slot_of_node_[known_.times[i].node], known_.times[i].ticks});
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
    const size_t row = size_t{cause} * all_.call_paths_.size() + cause;  // One more slot a lane.
    for (const SlotTicks& time : times_) {
      all_.short_[row + time.slot] += of_own.next(time.ticks);
      if (inherited > 0) all_.long_[row + time.slot] += of_inherited.next(time.ticks);
    }
    return waiting == 0 || all_.waits_[cause].give(
                               waited, until, of_own.next(waiting) + of_inherited.next(waiting));
  }

  GrowingDelayCosts& all_;
  Part& part_;
  const OfPart& known_;
  base::Column<uint32_t> of_call_;  // Crossings.
  std::vector<uint32_t> of_lane_;
  std::vector<uint32_t> slots_;  // Of all, per slot of the part.
  std::vector<SlotTicks> times_;
};

bool GrowingDelayCosts::begin_blame() {
  const std::vector<uint32_t> number = number_paths(tree_, call_paths_);
  const auto outside = static_cast<uint32_t>(call_paths_.size());
  for (const uint32_t path : number) slot_of_node_.push_back(path == kNone ? outside : path);
  for (uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    if (lanes_[lane].open) return false;
    next_number_.push_back(numbers_.first(lane));
    lanes_[lane].sets.clear();
  }
  met_ = PairTable<Met>(0);
  waits_.resize(lanes_.size());
  short_.assign(lanes_.size() * (call_paths_.size() + 1), 0);
  long_.assign(short_.size(), 0);
  return true;
}

bool GrowingDelayCosts::blame(const Model& part) {
  if (!std::exchange(is_blaming_, true) && !begin_blame()) return false;
  if (parts_.empty() || part.lanes.size() != lanes_.size()) return false;
  const size_t paths = tree_.nodes().size();
  const std::vector<uint32_t> nodes = add_paths(part.call_paths, tree_);
  if (tree_.nodes().size() > paths) return false;
  Part modelled(part, nodes);
  const OfPart known = std::move(parts_.back());
  parts_.pop_back();
  return Backwards(*this, modelled, known).run();
}

std::optional<GrowingDelayCosts::Found> GrowingDelayCosts::finish() {
  uint64_t sum = 0;
  const size_t slots = call_paths_.size() + 1;
  for (uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    for (uint32_t slot = 0; slot < slots; ++slot) {
      const size_t at = lane * slots + slot;
      if (short_[at] + long_[at] == 0) continue;
      const uint32_t path = slot + 1 == slots ? kNone : slot;
      result_.rows.push_back({lane, path, short_[at], long_[at]});
      sum += short_[at] + long_[at];
    }
  }
  if (!parts_.empty() || sum != result_.wait_ticks) return std::nullopt;
  return Found{std::move(result_), std::move(call_paths_)};
}

}  // namespace pathline::findings
