// SPDX-License-Identifier: BSD-3-Clause
#include "findings/growing_replay.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "findings/replay.hpp"

namespace pathline::findings {

void GrowingReplay::Ticks::add(const Ticks& more) {
  measured += more.measured;
  ideal += more.ideal;
}

void GrowingReplay::Ticks::raise_to(const Ticks& other, uint64_t early) {
  measured = std::max(measured, other.measured - std::min(other.measured, early));
  ideal = std::max(ideal, other.ideal - std::min(other.ideal, early));
}

bool GrowingReplay::add(const Model& part, const NextPart& next) {
  constexpr size_t kMostLeft = 1U << 24U;
  if (lanes_.empty()) begin_lanes(part);
  if (part.lanes.size() != lanes_.size()) return false;
  numbers_.begin(part);
  if (!fits(part)) return false;
  const Left left = take_left();
  group_number_.assign(part.all->group_kind.size(), kUnknown);
  for (uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    if (!lanes_[lane].recorded) continue;
    carry(left, lanes_[lane]);
    add_stations(part, lane);
  }
  stations_.push_back({0,
                       0,
                       0,
                       {},
                       static_cast<uint32_t>(sources_.size()),
                       static_cast<uint32_t>(arrivals_.size())});
  numbers_.end();
  for (uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    if (!lanes_[lane].blocked) go_on(lane);
  }
  go_on_ready();
  forget(next);
  size_t waiting = 0;
  for (const Lane& lane : lanes_) waiting += lane.end - lane.next;
  return !contradicts_ && waiting <= kMostLeft;
}

void GrowingReplay::begin_lanes(const Model& part) {
  window_ = part.window;
  for (const Model::Lane& of : part.lanes) {
    Lane& lane = lanes_.emplace_back();
    lane.recorded = of.recorded;
    lane.first_ticks = of.begin_ticks;
    lane.clock = {of.begin_ticks, of.begin_ticks};
  }
}

/// Whether the call in front of each lane's first one is the last one of the part before.
bool GrowingReplay::fits(const Model& part) const {
  const comm::MpiCalls& calls = part.all->calls;
  for (uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    if (part.lanes[lane].recorded != lanes_[lane].recorded) return false;
    if (!lanes_[lane].recorded || numbers_.first(lane) == 0) continue;
    const uint64_t last = lanes_[lane].last_end_ticks;
    const uint32_t call = part.lanes[lane].first_call;
    const bool is_there =
        call > calls.first[lane] && calls.begin_ticks[call - 1] >= read_from_ticks_;
    // What goes on behind all that the part knows is cut there.
    const bool is_cut = is_there && call == calls.first[lane + 1];
    if (!is_there && last > read_from_ticks_) return false;
    if (is_there && calls.end_ticks[call - 1] != last &&
        !(is_cut && calls.end_ticks[call - 1] < last)) {
      return false;
    }
  }
  return true;
}

/// Leaves groups that not all have come to, or that somebody waits for.
GrowingReplay::Left GrowingReplay::take_left() {
  Left left{std::exchange(stations_, {}),
            std::exchange(sources_, {}),
            std::exchange(arrivals_, {}),
            std::exchange(groups_, {}),
            {}};
  group_by_key_.clear();
  std::vector<bool> is_needed(left.groups.size());
  for (size_t i = 0; i < left.groups.size(); ++i) is_needed[i] = left.groups[i].missing > 0;
  for (const Lane& lane : lanes_) {
    for (uint32_t i = lane.next; i < lane.end; ++i) {
      for (uint32_t k = left.stations[i].first_source; k < left.stations[i + 1].first_source; ++k) {
        if (left.sources[k].group != kNone) is_needed[left.sources[k].group] = true;
      }
    }
  }
  left.number.assign(left.groups.size(), kNone);
  for (size_t i = 0; i < left.groups.size(); ++i) {
    if (!is_needed[i]) continue;
    left.number[i] = static_cast<uint32_t>(groups_.size());
    group_by_key_.emplace(left.groups[i].key, left.number[i]);
    groups_.push_back(std::move(left.groups[i]));
    groups_.back().waiters.clear();  // They look again.
  }
  for (Lane& lane : lanes_) {
    lane.waiters.clear();
    lane.blocked = false;
  }
  return left;
}

/// Stations that are not done come first.
void GrowingReplay::carry(const Left& left, Lane& lane) {
  const uint32_t first = lane.next;
  const uint32_t end = lane.end;
  lane.next = static_cast<uint32_t>(stations_.size());
  for (uint32_t i = first; i < end; ++i) {
    Station station = left.stations[i];
    const auto first_source = static_cast<uint32_t>(sources_.size());
    if (i == first && lane.has_begun) lane.source += first_source - station.first_source;
    for (uint32_t k = station.first_source; k < left.stations[i + 1].first_source; ++k) {
      Source source = left.sources[k];
      if (source.group != kNone) source.group = left.number[source.group];
      sources_.push_back(source);
    }
    station.first_source = first_source;
    const auto first_group = static_cast<uint32_t>(arrivals_.size());
    for (uint32_t k = station.first_group; k < left.stations[i + 1].first_group; ++k) {
      arrivals_.push_back(left.number[left.arrivals[k]]);
    }
    station.first_group = first_group;
    stations_.push_back(station);
  }
  lane.end = static_cast<uint32_t>(stations_.size());
}

void GrowingReplay::add_stations(const Model& part, uint32_t lane) {
  const Model::Lane& of = part.lanes[lane];
  const comm::Dependencies& all = *part.all;
  const CostOfCall cost_of(part, CallCost::kRest);
  Lane& to = lanes_[lane];
  uint32_t number = numbers_.first(lane);
  if (number == 0 && part.part.begin_ticks > window_.begin_ticks) {
    // A call from before the window that has gone on for whole parts: the lane begins with its end.
    const uint64_t rest = of.begin_ticks - part.part.begin_ticks;
    if (rest > 0) to.first_ticks = of.begin_ticks;
    to.clock.add({rest, rest});
  }
  for (uint32_t call = of.first_call; call < of.end_call; ++call) {
    const uint64_t useful = part.gap_ticks(call, lane);
    to.since.add({useful, useful});
    stations_.push_back({number++, all.calls.begin_ticks[call], all.calls.end_ticks[call],
                         std::exchange(to.since, {cost_of(call), 0}),
                         static_cast<uint32_t>(sources_.size()),
                         static_cast<uint32_t>(arrivals_.size())});
    to.last_end_ticks = all.calls.end_ticks[call];
    add_sources(part, call);
  }
  const uint64_t useful = part.gap_ticks(of.end_call, lane);
  to.since.add({useful, useful});
  to.end = static_cast<uint32_t>(stations_.size());
}

void GrowingReplay::add_sources(const Model& part, uint32_t call) {
  const comm::Dependencies& all = *part.all;
  // It waits for nobody, or for somebody who came after the window.
  const bool waits = part.wait_ticks(call) == 0 || part.cause_known(call);
  for (uint32_t i = all.first[call]; i < all.first[call + 1]; ++i) {
    const comm::Dependency& one = all.list[i];
    if (one.arrives()) {
      const uint32_t group = group_of(part, all.group[one.target]);
      if (group != kNone) arrivals_.push_back(group);
    }
    if (!one.waits() || !waits) continue;
    Source source{Source::Kind::kCall, {}, kNone, all.early_ticks(i)};
    if (one.of_group()) {
      const uint32_t group = all.group[one.target];
      source.group = group_of(part, group);
      if (source.group == kNone) continue;
      const bool is_scan = one.kind == comm::WaitKind::kEarlyScan;
      source.kind = is_scan ? Source::Kind::kScan : Source::Kind::kGroup;
      // From the last one back: of a scan those of the first ranks may be gone.
      const uint32_t rows_behind = all.group_first[group + 1] - 1 - one.target;
      const size_t rows = groups_[source.group].members.size();
      if (is_scan) source.call.number = static_cast<uint32_t>(rows - 1 - rows_behind);
    } else {
      const auto found = target(part, one.target);
      if (!found) continue;
      source.call = *found;
    }
    sources_.push_back(source);
  }
}

/// The group of all parts that one of this is; kNone where no member counts.
uint32_t GrowingReplay::group_of(const Model& part, uint32_t group) {
  uint32_t& known = group_number_[group];
  if (known != kUnknown) return known;
  const comm::Dependencies& all = *part.all;
  const bool is_scan = all.group_kind[group] == comm::WaitKind::kEarlyScan;
  const auto key = numbers_.key_of_group(group);
  if (!key) return known = kNone;
  const auto found = group_by_key_.find(*key);
  if (found != group_by_key_.end()) return known = found->second;
  Group made{.key = *key, .missing = 0, .latest = {}, .members = {}, .rows = {}, .waiters = {}};
  bool is_new = true;  // None of its members has begun in a part before.
  for (uint32_t row = all.group_first[group]; row < all.group_first[group + 1]; ++row) {
    const Call call = numbers_.of(all.member[row]).value_or(Call());
    if (is_scan) made.members.push_back(call);
    if (call.lane == kNone) continue;
    ++made.missing;
    is_new = is_new && call.number >= numbers_.first(call.lane);
  }
  contradicts_ = contradicts_ || !is_new;
  group_by_key_.emplace(*key, static_cast<uint32_t>(groups_.size()));
  groups_.push_back(std::move(made));
  return known = static_cast<uint32_t>(groups_.size() - 1);
}

/// nullopt for what counts for nothing.
std::optional<GrowingReplay::Call> GrowingReplay::target(const Model& part, uint32_t call) {
  const comm::MpiCalls& calls = part.all->calls;
  const uint64_t ticks = calls.begin_ticks[call];
  if (ticks >= read_from_ticks_) return numbers_.of(call);
  const uint32_t lane = calls.lane_of(call);
  const auto found = sent_at(lane, ticks);
  if (!found && lanes_[lane].recorded && ticks >= lanes_[lane].first_ticks) contradicts_ = true;
  return found;
}

std::optional<GrowingReplay::Call> GrowingReplay::sent_at(uint32_t lane, uint64_t ticks) const {
  const std::vector<Known>& known = lanes_[lane].known;
  const auto behind =
      std::upper_bound(known.begin(), known.end(), ticks,
                       [](uint64_t t, const Known& call) { return t < call.begin_ticks; });
  if (behind == known.begin() || (behind - 1)->end_ticks < ticks) return std::nullopt;
  return Call{lane, (behind - 1)->number};
}

/// Goes on with a lane until it is done or something is missing.
void GrowingReplay::go_on(uint32_t lane) {
  Lane& of = lanes_[lane];
  for (; of.next < of.end; ++of.next) {
    if (!of.has_begun) begin_station(lane);
    const uint32_t end = stations_[of.next + 1].first_source;
    for (; of.source < end; ++of.source) {
      if (!look_at(lane, sources_[of.source])) return;
    }
    of.has_begun = false;
  }
}

void GrowingReplay::begin_station(uint32_t lane) {
  Lane& of = lanes_[lane];
  const Station& station = stations_[of.next];
  of.clock.add(station.before);
  of.has_begun = true;
  of.source = station.first_source;
  of.known.push_back({station.number, station.begin_ticks, station.end_ticks, of.clock});
  for (uint32_t i = station.first_group; i < stations_[of.next + 1].first_group; ++i) {
    Group& group = groups_[arrivals_[i]];
    group.latest.raise_to(of.clock);
    if (--group.missing > 0) continue;
    ready_.insert(ready_.end(), group.waiters.begin(), group.waiters.end());
    group.waiters.clear();
  }
  while (!of.waiters.empty() && of.waiters.front().number <= station.number) {
    ready_.push_back(of.waiters.front().lane);
    std::pop_heap(of.waiters.begin(), of.waiters.end(), std::greater());
    of.waiters.pop_back();
  }
}

/// returns  false if it is missing: somebody will wake the lane.
bool GrowingReplay::look_at(uint32_t lane, const Source& source) {
  Lane& of = lanes_[lane];
  switch (source.kind) {
    case Source::Kind::kCall:
      if (!has_begun(source.call)) return wait_for(lane, source.call);
      of.clock.raise_to(begin_of(source.call), source.early);
      return true;
    case Source::Kind::kGroup: {
      Group& group = groups_[source.group];
      if (group.missing == 0) {
        of.clock.raise_to(group.latest, source.early);
        return true;
      }
      of.blocked = true;
      group.waiters.push_back(lane);
      return false;
    }
    case Source::Kind::kScan: return look_at_scan(lane, source);
  }
  return true;
}

bool GrowingReplay::look_at_scan(uint32_t lane, const Source& source) {
  Group& group = groups_[source.group];
  while (group.rows.size() <= source.call.number) {
    const Call member = group.members[group.rows.size()];
    Ticks latest = group.rows.empty() ? Ticks() : group.rows.back();
    if (member.lane != kNone) {
      if (!has_begun(member)) return wait_for(lane, member);
      latest.raise_to(begin_of(member));
    }
    group.rows.push_back(latest);
  }
  lanes_[lane].clock.raise_to(group.rows[source.call.number], source.early);
  return true;
}

bool GrowingReplay::wait_for(uint32_t lane, Call call) {
  std::vector<Waiter>& waiters = lanes_[call.lane].waiters;
  waiters.push_back({call.number, lane});
  std::push_heap(waiters.begin(), waiters.end(), std::greater());
  lanes_[lane].blocked = true;
  return false;
}

bool GrowingReplay::has_begun(Call call) const {
  const std::vector<Known>& known = lanes_[call.lane].known;
  return !known.empty() && call.number <= known.back().number;
}

GrowingReplay::Ticks GrowingReplay::begin_of(Call call) {
  const std::vector<Known>& known = lanes_[call.lane].known;
  const auto found =
      std::lower_bound(known.begin(), known.end(), call.number,
                       [](const Known& a, uint32_t number) { return a.number < number; });
  if (found != known.end() && found->number == call.number) return found->begin;
  contradicts_ = true;
  return {};
}

void GrowingReplay::go_on_ready() {
  while (!ready_.empty()) {
    const uint32_t lane = ready_.back();
    ready_.pop_back();
    lanes_[lane].blocked = false;
    go_on(lane);
  }
}

/// When nobody can go on, lets the earliest do so without what it waits for, as schedule() does.
bool GrowingReplay::release_one() {
  uint32_t first = kNone;
  const auto ticks = [&](uint32_t lane) { return stations_[lanes_[lane].next].begin_ticks; };
  for (uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    if (!lanes_[lane].blocked) continue;
    if (first == kNone || ticks(lane) < ticks(first)) first = lane;
  }
  if (first == kNone) return false;
  ++forced_;
  ++lanes_[first].source;
  ready_.push_back(first);
  return true;
}

std::optional<GrowingReplay::Replayed> GrowingReplay::finish() {
  while (release_one()) go_on_ready();
  if (contradicts_) return std::nullopt;
  Replayed result{.forced = forced_};
  for (Lane& lane : lanes_) {
    lane.clock.add(std::exchange(lane.since, {}));
    Ticks end{window_.begin_ticks, window_.begin_ticks};
    if (lane.recorded) end.raise_to(lane.clock);
    result.measured_ticks = std::max(result.measured_ticks, end.measured - window_.begin_ticks);
    result.ideal_ticks = std::max(result.ideal_ticks, end.ideal - window_.begin_ticks);
  }
  return result;
}

/// Keeps the calls that the next part may name, and the last one of each lane.
void GrowingReplay::forget(const NextPart& next) {
  std::vector<Call> needed;
  for (const NextPart::Send& send : next.sends) {
    if (const auto call = sent_at(send.lane, send.ticks)) needed.push_back(*call);
  }
  for (const Lane& lane : lanes_) {
    for (uint32_t i = lane.next; i < lane.end; ++i) {
      for (uint32_t k = stations_[i].first_source; k < stations_[i + 1].first_source; ++k) {
        if (sources_[k].kind == Source::Kind::kCall) needed.push_back(sources_[k].call);
      }
    }
  }
  for (const Group& group : groups_) {
    for (size_t row = group.rows.size(); row < group.members.size(); ++row) {
      if (group.members[row].lane != kNone) needed.push_back(group.members[row]);
    }
  }
  std::sort(needed.begin(), needed.end());
  for (uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    std::vector<Known>& known = lanes_[lane].known;
    if (known.empty()) continue;
    const Known last = known.back();
    std::erase_if(known, [&](const Known& call) {
      return call.number != last.number && call.end_ticks < next.read_from_ticks &&
             !std::binary_search(needed.begin(), needed.end(), Call{lane, call.number});
    });
  }
  read_from_ticks_ = next.read_from_ticks;
}

}  // namespace pathline::findings
