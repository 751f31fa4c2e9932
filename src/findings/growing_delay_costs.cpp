// SPDX-License-Identifier: BSD-3-Clause
#include "findings/growing_delay_costs.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "findings/part_waits.hpp"

namespace pathline::findings {
namespace {

void add_times(const std::vector<int64_t>& from, int64_t sign, std::vector<int64_t>& times) {
  if (times.size() < from.size()) times.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) times[i] += sign * from[i];
}

}  // namespace

/// Finds since when the waits of a part are about, and what the next one has to know.
class GrowingDelayCosts::Forwards {
 public:
  Forwards(GrowingDelayCosts& all, PartWaits& part)
      : all_(all), part_(part), opens_(all.lanes_.size()) {}

  bool run() {
    if (!add_waits() || !part_.sort()) return false;
    for (const PartWaits::Wait& wait : part_.waits()) {
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
        PartWaits::add(0,
                       static_cast<int64_t>(model.lanes[lane].begin_ticks - model.part.begin_ticks),
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

  bool look_at(const PartWaits::Wait& wait) {
    Together together;
    if (!find_together(wait, together)) return false;
    const bool is_here =
        wait.call != kNone && together.own.call != kNone && together.theirs.call != kNone;
    if (!is_here) add_crossing(wait, together);
    return true;
  }

  /// returns  false where parts contradict each other.
  bool find_together(const PartWaits::Wait& wait, Together& found) const {
    const bool is_lower = wait.lane < wait.cause_lane;
    if (const PartWaits::Meeting* const met = part_.meeting(wait.lane, wait.cause_lane)) {
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
  [[nodiscard]] static bool is_open(const PartWaits::Wait& wait) { return wait.call == kNone; }
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
    for (const PartWaits::OperationsOfSet& of : part_.sets(lane)) sets_.push_back(of.set);
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
      const PartWaits::Operation* const last =
          PartWaits::last_before(part_.operations(lane, set), call);
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
    if (const auto* const found = PartWaits::at(part_.operations(lane, set), ticks)) {
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

  void add_crossing(const PartWaits::Wait& wait, const Together& together) {
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
        const PartWaits::OperationsOfSet* const of = part_.operations(lane, set);
        if (of == nullptr) continue;
        for (const PartWaits::Operation& one : of->operations) {
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
    part_.meetings().for_each([&](uint32_t lower, uint32_t higher, const PartWaits::Meeting& one) {
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
  PartWaits& part_;
  std::vector<std::optional<OpenCall>> opens_;  // Per lane: waits that begin in the part.
  mutable std::vector<uint32_t> sets_;
  OfPart result_;
};

void GrowingDelayCosts::count_paths(const Model& part) {
  const std::vector<uint32_t> nodes = add_paths(part.call_paths, tree_);
  ticks_of_node_.resize(tree_.nodes().size());
  const std::vector<uint64_t> ticks = ticks_of_paths(part);
  for (size_t path = 0; path < ticks.size(); ++path) ticks_of_node_[nodes[path]] += ticks[path];
}

std::optional<std::vector<uint32_t>> GrowingDelayCosts::nodes_of(const Model& part) {
  std::vector<uint32_t> nodes = add_paths(part.call_paths, tree_);
  const size_t count = tree_.nodes().size();
  if (count <= Slots::kMost) return nodes;
  if (ticks_of_node_.size() != count) {
    has_to_count_ = ticks_of_node_.empty();
    return std::nullopt;
  }
  if (is_chosen_.empty()) {
    std::vector<profile::CallPathNode> call_paths;
    const std::vector<uint32_t> number = number_paths(tree_, call_paths);
    std::vector<uint64_t> ticks(call_paths.size());
    for (size_t node = 1; node < count; ++node) ticks[number[node]] = ticks_of_node_[node];
    const std::vector<uint32_t> chosen = paths_with_slots(ticks);
    is_chosen_.resize(count);
    for (size_t node = 1; node < count; ++node) {
      is_chosen_[node] = std::binary_search(chosen.begin(), chosen.end(), number[node]);
    }
  }
  for (uint32_t& node : nodes) {
    if (!is_chosen_[node]) node = 0;
  }
  return nodes;
}

bool GrowingDelayCosts::add(const Model& part) {
  if (lanes_.empty()) {
    for (const Model::Lane& of : part.lanes) lanes_.emplace_back().recorded = of.recorded;
  }
  if (part.lanes.size() != lanes_.size() || !part.all->early.empty()) return false;
  numbers_.begin(part);
  auto nodes = nodes_of(part);
  if (!nodes) return false;
  PartWaits modelled(part, std::move(*nodes));
  Forwards forwards(*this, modelled);
  if (!forwards.run()) return false;
  numbers_.end();
  result_.wait_ticks += modelled.wait_ticks();
  result_.unknown_ticks += modelled.unknown_ticks();
  parts_.push_back(forwards.take());
  return true;
}

}  // namespace pathline::findings
