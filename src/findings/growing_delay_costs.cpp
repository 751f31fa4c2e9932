// SPDX-License-Identifier: BSD-3-Clause
#include "findings/growing_delay_costs.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "findings/group_operations.hpp"
#include "findings/part_waits.hpp"

namespace pathline::findings {
namespace {

void sum_up(const std::vector<int64_t>& from, int64_t sign, std::vector<int64_t>& times) {
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
  /// Numbers that are kept for the next part.
  [[nodiscard]] size_t kept() const { return kept_ + all_.met_.size() * columns(); }

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
      const auto cause = all_.numbers_.call_of(of.open->cause);
      // A lane goes on behind its wait.
      const uint64_t next = first < model.lanes[lane].end_call ? model.begin(first) : UINT64_MAX;
      if (next < (cause ? of.open->end.ticks : UINT64_MAX)) return false;
      if (!cause) continue;
      if (model.begin(*cause) != of.open->end.ticks) return false;
      part_.add_wait({of.open->end.ticks, lane, kNone, of.open->cause.lane, *cause});
    }
    return true;
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
    const std::vector<Set>& sets = all_.lanes_[lane].sets;
    const auto at = set_at(sets, set);
    return at != sets.end() && at->set == set ? &*at : nullptr;
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
    auto behind = of->operations.end();
    if (before_open) {
      behind = std::lower_bound(of->operations.begin(), behind, all_.lanes_[lane].open->end.number,
                                [](const Place& a, uint32_t b) { return a.number < b; });
    }
    return behind == of->operations.begin() ? 0 : (behind - 1)->ticks;
  }
  [[nodiscard]] Where in_operation(uint32_t lane, uint32_t set, uint64_t ticks) const {
    if (const auto* const found = PartWaits::at(part_.operations(lane, set), ticks)) {
      return {found->call, nullptr};
    }
    if (const Set* const of = kept(lane, set)) {
      const auto at = std::lower_bound(of->operations.begin(), of->operations.end(), ticks,
                                       [](const Place& a, uint64_t b) { return a.ticks < b; });
      if (at != of->operations.end() && at->ticks == ticks) return {kNone, &*at};
    }
    return {};
  }

  /// What a lane had done when the call began that it was in.
  void add_times(uint32_t lane, const Where& where, int64_t sign, Times& times) const {
    if (where.before != nullptr) {
      sum_up(where.before->times, sign, times);
    } else {
      sum_up(all_.lanes_[lane].times, sign, times);
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
      sum_up(together.met->ahead, is_higher ? -1 : 1, times);
      their_waited = is_higher ? together.met->higher_waited : together.met->lower_waited;
    } else if (together.ticks > 0) {
      add_times(wait.cause_lane, together.theirs, -1, times);
      add_times(wait.lane, together.own, 1, times);
      their_waited = waited_at(together.theirs, together.ticks);
    }
    for (uint32_t column = 0; column < times.size(); ++column) {
      if (times[column] <= 0) continue;
      result_.times.push_back({column, static_cast<uint64_t>(times[column])});
    }
    const uint64_t waited = is_open(wait) ? of.open->end.waited - (wait.end_ticks - begin)
                                          : part_.waited_before(wait.call);
    const uint32_t number =
        is_open(wait) ? of.open->end.number : all_.numbers_.number(wait.lane, wait.call);
    result_.crossings.push_back(
        {wait.lane,
         number,
         is_open(wait),
         begin,
         wait.end_ticks,
         {wait.cause_lane, all_.numbers_.number(wait.cause_lane, wait.cause)},
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
    PairTable<Met> met(part_.meetings().size() + all_.met_.size());
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
    next.last_end_ticks = of.last_end_ticks;
    if (!of.recorded) return;
    part_.add_all(lane, next.times);
    const Model::Lane& range = model.lanes[lane];
    if (range.first_call < range.end_call) {
      const uint32_t last = range.end_call - 1;
      next.waited = part_.waited_at(last, model.wait_end(last));
      next.last_end_ticks = model.end(last);
    }
    if (opens_[lane]) {
      const auto& [call, cause] = *opens_[lane];
      next.open = Open{place(lane, call, model.wait_end(call)), model.begin(call), cause};
    } else if (of.open && !all_.numbers_.call_of(of.open->cause)) {
      next.open = of.open;
    }
  }
  [[nodiscard]] Place place(uint32_t lane, uint32_t call, uint64_t ticks) const {
    Place place{all_.numbers_.number(lane, call), ticks, {}, part_.waited_at(call, ticks)};
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
        Set to{set, {}};
        if (const Set* const of = kept(lane, set)) {
          for (const Place& place : of->operations) {
            if (place.ticks >= from) to.operations.push_back(place);
          }
        }
        if (const PartWaits::OperationsOfSet* const of = part_.operations(lane, set)) {
          for (const PartWaits::Operation& one : of->operations) {
            if (one.ticks >= from) to.operations.push_back(place(lane, one.call, one.ticks));
          }
        }
        kept_ += to.operations.size() * columns();
        if (!to.operations.empty()) next[lane].sets.push_back(std::move(to));
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
    all_.met_.for_each([&](uint32_t lower, uint32_t higher, Met& one) {
      if (part_.meeting(lower, higher) != nullptr ||
          have_met_since(next, lower, higher, one.ticks)) {
        return;
      }
      met.at(lower, higher) = std::move(one);
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
  [[nodiscard]] size_t columns() const {
    return std::min<size_t>(all_.tree_.nodes().size(), Slots::kMost);
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
  size_t kept_ = 0;
  OfPart result_;
};

void GrowingDelayCosts::count_paths(const Model& part) {
  const std::vector<uint32_t> nodes = add_paths(part.call_paths, tree_);
  ticks_of_node_.resize(tree_.nodes().size());
  const std::vector<uint64_t> ticks = ticks_of_paths(part);
  for (size_t path = 0; path < ticks.size(); ++path) ticks_of_node_[nodes[path]] += ticks[path];
}

std::optional<std::vector<uint32_t>> GrowingDelayCosts::columns_of(const Model& part) {
  std::vector<uint32_t> columns = add_paths(part.call_paths, tree_);
  const size_t count = tree_.nodes().size();
  if (count <= Slots::kMost) return columns;
  if (ticks_of_node_.size() != count) {
    has_to_count_ = ticks_of_node_.empty();
    return std::nullopt;
  }
  if (column_of_node_.empty()) choose_columns();
  for (uint32_t& column : columns) column = column_of_node_[column];
  return columns;
}

/// For the paths with most time, in their order.
void GrowingDelayCosts::choose_columns() {
  std::vector<profile::CallPathNode> call_paths;
  const std::vector<uint32_t> number = number_paths(tree_, call_paths);
  std::vector<uint64_t> ticks(call_paths.size());
  for (size_t node = 1; node < number.size(); ++node) ticks[number[node]] = ticks_of_node_[node];
  const std::vector<uint32_t> chosen = paths_with_slots(ticks);
  column_of_node_.assign(number.size(), 0);
  for (size_t node = 1; node < number.size(); ++node) {
    const auto at = std::lower_bound(chosen.begin(), chosen.end(), number[node]);
    if (at == chosen.end() || *at != number[node]) continue;
    column_of_node_[node] = static_cast<uint32_t>(at - chosen.begin()) + 1;
  }
}

/// Whether clocks agree, and lanes are those of the part before and go on behind it.
bool GrowingDelayCosts::fits(const Model& part) const {
  if (part.lanes.size() != lanes_.size() || !part.all->early.empty()) return false;
  if (part.window.end_ticks > uint64_t{INT64_MAX}) return false;  // Times are subtracted.
  for (size_t lane = 0; lane < lanes_.size(); ++lane) {
    const Model::Lane& of = part.lanes[lane];
    if (of.recorded != lanes_[lane].recorded) return false;
    const bool goes_on = of.first_call < of.end_call;
    if (!is_blaming_ && goes_on && part.begin(of.first_call) < lanes_[lane].last_end_ticks) {
      return false;
    }
  }
  return true;
}

bool GrowingDelayCosts::add(const Model& part) {
  constexpr size_t kMostKept = 1U << 27U;  // Of 8 bytes.
  if (lanes_.empty()) {
    for (const Model::Lane& of : part.lanes) lanes_.emplace_back().recorded = of.recorded;
  }
  if (!fits(part)) return false;
  numbers_.begin(part);
  auto columns = columns_of(part);
  if (!columns) return false;
  PartWaits modelled(part, std::move(*columns));
  Forwards forwards(*this, modelled);
  if (!forwards.run()) return false;
  numbers_.end();
  OfPart of = forwards.take();
  of.wait_ticks = modelled.wait_ticks();
  of.unknown_ticks = modelled.unknown_ticks();
  for (const Model::Lane& lane : part.lanes) of.calls.push_back(lane.end_call - lane.first_call);
  result_.wait_ticks += of.wait_ticks;
  result_.unknown_ticks += of.unknown_ticks;
  constexpr size_t kNumbersOfCrossing = 8;
  kept_ += 2 * of.times.size() + kNumbersOfCrossing * of.crossings.size();
  parts_.push_back(std::move(of));
  return kept_ + forwards.kept() <= kMostKept;
}

}  // namespace pathline::findings
