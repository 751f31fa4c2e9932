// SPDX-License-Identifier: BSD-3-Clause
#include "comm/growing_waits.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "comm/collective_dependencies.hpp"
#include "comm/growing_waits_window.hpp"

namespace pathline::comm {
namespace {

/// Rows that belong to a location.
struct Stretch {
  uint32_t first = 0;
  uint32_t count = 0;
};

template <class Rows, class LocationOf>
std::vector<Stretch> stretches(const Rows& rows, size_t locations, LocationOf location_of) {
  std::vector<Stretch> result(locations);
  for (uint32_t i = 0; i < rows.size(); ++i) {
    Stretch& stretch = result[location_of(rows[i])];
    if (stretch.count++ == 0) stretch.first = i;
  }
  return result;
}

/// Times at locations, to be looked at location by location.
class OpenTimes {
 public:
  explicit OpenTimes(size_t locations) : first_(locations + 1, 0) {}
  void add(uint32_t location, uint64_t ticks) { given_.emplace_back(location, ticks); }
  /// To be called once, when all were added.
  void sort() {
    for (const auto& [location, ticks] : given_) {
      assert(size_t{location} + 1 < first_.size());
      ++first_[size_t{location} + 1];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    ticks_.resize(given_.size());
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    for (const auto& [location, ticks] : given_) ticks_[next[location]++] = ticks;
    given_ = {};
    const auto row = [&](size_t i) { return ticks_.begin() + static_cast<ptrdiff_t>(first_[i]); };
    for (size_t i = 0; i + 1 < first_.size(); ++i) std::sort(row(i), row(i + 1));
  }
  /// Those of a location, ascending.
  [[nodiscard]] std::span<const uint64_t> at(uint32_t location) const {
    return std::span(ticks_).subspan(first_[location], first_[location + 1] - first_[location]);
  }

 private:
  std::vector<std::pair<uint32_t, uint64_t>> given_;
  std::vector<uint32_t> first_;  // By location; in ticks_.
  std::vector<uint64_t> ticks_;
};

/// Of two member calls the one that began later; of equally late ones that of the lower lane.
uint32_t later(const MpiCalls& calls, uint32_t a, uint32_t b) {
  if (a == kNoCall || b == kNoCall) return a == kNoCall ? b : a;
  if (calls.begin_ticks[a] != calls.begin_ticks[b]) {
    return calls.begin_ticks[a] > calls.begin_ticks[b] ? a : b;
  }
  return std::min(a, b);
}

}  // namespace

GrowingWaits::GrowingWaits(const trace::Trace& run, Operation operation)
    : run_(run),
      operation_(std::move(operation)),
      ranks_(run),
      lane_key_(run.locations.size()),
      next_number_(run.locations.size()),
      rma_(run.locations.size()),
      sums_(run.rank_count),
      wrong_order_(run.locations.size()) {
  const auto count = static_cast<uint32_t>(run.locations.size());
  for (uint32_t i = 0; i < count; ++i) lane_key_[i] = run.rank_count + i;
  for (uint32_t rank =
           std::min<uint32_t>(run.rank_count, static_cast<uint32_t>(run.rank_location.size()));
       rank-- > 0;) {
    if (run.rank_location[rank] < count) lane_key_[run.rank_location[rank]] = rank;
  }
}

GrowingWaits::~GrowingWaits() = default;

bool GrowingWaits::add(WaitPart part, uint64_t until_ticks, bool ended, base::ThreadPool& pool) {
  Window window{until_ticks, ended, {}, {}, {}, {}, {}, {}, {}};
  lay_out(part, window);
  end_sends(part);
  add_operations(part);
  find_messages(part, window, pool);
  find_send_ends(window);
  find_operations(window, pool);
  if (ended && has_rma_) find_rma(window);
  join(window);
  if (ended) add_finalize(window);
  keep_open(part, window);
  return !is_odd_;
}

/// Puts the calls in the order of lanes and time.
void GrowingWaits::lay_out(const WaitPart& part, Window& window) {
  const auto locations = static_cast<uint32_t>(run_.locations.size());
  const auto kept = stretches(kept_, locations, [](const Kept& one) { return one.call.location; });
  const auto ended = stretches(part.calls, locations,
                               [](const WaitPart::EndedCall& call) { return call.location; });
  MpiCalls& calls = window.calls;
  calls.lane_of_location.assign(locations, kNoLane);
  std::vector<uint32_t> lanes(run_.rank_count, kNoLane);
  for (uint32_t i = 0; i < locations; ++i) {
    if (lane_key_[i] < run_.rank_count) {
      lanes[lane_key_[i]] = i;
    } else if (kept[i].count + ended[i].count > 0) {
      lanes.push_back(i);
    }
  }
  const size_t count = kept_.size() + part.calls.size();
  calls.begin_ticks.resize(count);
  calls.end_ticks.resize(count);
  calls.region.resize(count);
  calls.traits.resize(count);
  window.location.resize(count);
  window.number.resize(count);
  window.latest.resize(count);
  uint32_t next = 0;
  const auto add_call = [&, begin_ticks = calls.begin_ticks.data(),
                         end_ticks = calls.end_ticks.data(), region = calls.region.data(),
                         traits = calls.traits.data(), at = window.location.data(),
                         numbers = window.number.data(), latest = window.latest.data()](
                            const WaitPart::EndedCall& call, uint32_t number, const Latest& one) {
    begin_ticks[next] = call.begin_ticks;
    end_ticks[next] = call.end_ticks;
    region[next] = call.region;
    traits[next] = call.traits;
    at[next] = call.location;
    numbers[next] = number;
    latest[next] = one;
    ++next;
  };
  for (uint32_t lane = 0; lane < lanes.size(); ++lane) {
    const uint32_t location = lanes[lane];
    calls.first.push_back(next);
    calls.lanes.push_back(
        {location == kNoLane ? lane : uint32_t{run_.locations[location].rank}, location});
    if (location == kNoLane) continue;
    calls.lane_of_location[location] = lane;
    for (uint32_t k = 0; k < kept[location].count; ++k) {
      const Kept& one = kept_[kept[location].first + k];
      if (one.work.ticks > 0) {
        calls.poll_work.push_back({next, one.work.region, one.work.ticks});
      }
      add_call(one.call, one.number, one.latest);
    }
    if (ended[location].count == 0) continue;
    auto found =
        std::lower_bound(part.poll_work.begin(), part.poll_work.end(), ended[location].first,
                         [](const PollWork& one, uint32_t call) { return one.call < call; });
    for (uint32_t k = 0; k < ended[location].count; ++k) {
      const uint32_t row = ended[location].first + k;
      if (found != part.poll_work.end() && found->call == row) {
        calls.poll_work.push_back({next, found->region, found->ticks});
        ++found;
      }
      add_call(part.calls[row], next_number_[location]++, {});
    }
  }
  calls.first.push_back(next);
  for (RmaEvent event : part.rma) {
    const uint32_t location = part.calls[event.call].location;
    const uint32_t behind = ended[location].first + ended[location].count - event.call;
    event.call = next_number_[location] - behind;
    rma_[location].push_back(event);
    has_rma_ = true;
  }
  window.open_ticks.assign(locations, UINT64_MAX);
  for (const WaitPart::OpenCall& call : part.open_calls) {
    window.open_ticks[call.location] = call.begin_ticks;
  }
  kept_.resize(0);
}

void GrowingWaits::add_operations(const WaitPart& part) {
  for (const trace::CollectivePart& one : part.collectives) {
    const bool is_self = trace::is_self(run_.definitions, one.comm);
    Operations& of = operations_[{one.comm, is_self ? one.location + 1 : 0}];
    if (is_self) {  // The threads of a rank share the numbers, but not the operations.
      of.open.push_back({one});
      continue;
    }
    if (one.sequence < of.first) {
      is_odd_ = true;  // More members than its communicator has.
      continue;
    }
    const size_t i = one.sequence - of.first;
    if (i >= of.open.size()) of.open.resize(i + 1);
    of.open[i].push_back(one);
  }
}

void GrowingWaits::find_operations(Window& window, base::ThreadPool& pool) {
  const auto is_complete = [&](const std::vector<trace::CollectivePart>& members, uint32_t comm) {
    const size_t all = ranks_.size(comm);  // Where that is not known they are at the end.
    if (!window.ended && (all == 0 || members.size() < all)) return false;
    return std::all_of(members.begin(), members.end(), [&](const trace::CollectivePart& one) {
      return window.is_settled(one.location, one.begin_ticks) &&
             window.is_settled(one.location, one.end_ticks);
    });
  };
  for (auto& [key, of] : operations_) {
    while (!of.open.empty() && is_complete(of.open.front(), key.first)) {
      std::vector<trace::CollectivePart>& members = of.open.front();
      std::stable_sort(members.begin(), members.end(),
                       [](const auto& a, const auto& b) { return a.location < b.location; });
      if (!members.empty()) {
        trace::append(members, run_, ranks_, window.operations);
        if (operation_) operation_(members, members.size() >= ranks_.size(key.first));
      }
      of.open.pop_front();
      ++of.first;
    }
  }
  window.operations.first.push_back(static_cast<uint32_t>(window.operations.location.size()));
  const CollectiveDependencies dependencies(run_, ranks_, window.operations, window.calls);
  constexpr size_t kPiece = 64;
  const size_t count = window.operations.size();
  std::vector<DependencyPart> parts((count + kPiece - 1) / kPiece);
  pool.for_each(parts.size(), [&](size_t p) {
    CallFinder finder(window.calls);
    for (size_t i = p * kPiece; i < std::min(count, (p + 1) * kPiece); ++i) {
      dependencies.add(i, finder, parts[p]);
    }
  });
  for (DependencyPart& part : parts) window.parts.push_back(std::move(part));
}

/// MPI_Finalize of all ranks, unless its recorder knows it as a collective operation.
void GrowingWaits::add_finalize(Window& window) {
  if (knows_finalize_) return;
  DependencyPart part;
  part.add_finalize(window.calls, 0);
  join_groups(part, window);
}

/// Who waits for whom in one-sided communication takes all calls between.
void GrowingWaits::find_rma(Window& window) {
  MpiCalls& calls = window.calls;
  calls.rma.resize(calls.lanes.size());
  for (size_t lane = 0; lane < calls.lanes.size(); ++lane) {
    const uint32_t location = calls.lanes[lane].location;
    if (location == kNoLane) continue;
    const auto* const numbers = window.number.begin();
    for (RmaEvent event : rma_[location]) {
      event.call =
          static_cast<uint32_t>(std::lower_bound(numbers + calls.first[lane],
                                                 numbers + calls.first[lane + 1], event.call) -
                                numbers);
      calls.rma[lane].push_back(event);
    }
  }
  add_rma(run_, calls, 0, window.parts.emplace_back());
}

void GrowingWaits::keep_latest(Window& window, uint32_t call, const Latest& one) const {
  Latest& known = window.latest[call];
  if (std::tie(one.ticks, known.lane, known.number, known.kind) <=
      std::tie(known.ticks, one.lane, one.number, one.kind)) {
    return;
  }
  known = one;
  if (window.calls.is(call, kPolls)) known.kind = WaitKind::kPolling;
}

void GrowingWaits::join(Window& window) {
  const MpiCalls& calls = window.calls;
  for (const DependencyPart& part : window.parts) {
    messages_without_call_ += part.messages_without_call;
    for (const DependencyEntry& entry : part.entries) {
      if (is_group(entry.kind)) continue;
      const uint32_t target = entry.target;
      keep_latest(
          window, entry.call,
          {entry.ticks, lane_key_[window.location[target]], window.number[target], entry.kind});
      if (entry.kind != WaitKind::kLateSender) continue;
      // These begin otherwise than it seems here.
      is_odd_ = is_odd_ || calls.is(target, kFinalizes) ||
                (calls.is(target, kPolls) && calls.poll_work_ticks(target) > 0);
      if (!calls.is(entry.call, kReceives) || calls.is(entry.call, kPolls)) continue;
      wrong_order_.add_receive(window.location[entry.call], window.number[entry.call],
                               calls.begin_ticks[target]);
    }
    join_groups(part, window);
  }
}

void GrowingWaits::join_groups(const DependencyPart& part, Window& window) {
  const MpiCalls& calls = window.calls;
  std::vector<uint32_t> latest(part.member.size());
  size_t row = 0;
  for (size_t g = 0; g < part.group_size.size(); ++g) {
    knows_finalize_ = knows_finalize_ || part.group_kind[g] == WaitKind::kFinalize;
    const size_t end = row + part.group_size[g];
    uint32_t found = kNoCall;
    for (size_t i = row; i < end; ++i) latest[i] = found = later(calls, found, part.member[i]);
    if (part.group_kind[g] != WaitKind::kEarlyScan) {
      std::fill(latest.begin() + static_cast<ptrdiff_t>(row),
                latest.begin() + static_cast<ptrdiff_t>(end), found);
    }
    row = end;
  }
  for (const DependencyEntry& entry : part.entries) {
    if (!is_group(entry.kind) || (entry.role & kWaits) == 0) continue;
    const uint32_t target = latest[entry.target];
    if (target == kNoCall || target == entry.call) continue;
    keep_latest(window, entry.call,
                {std::min(calls.begin_ticks[target], entry.ticks),
                 lane_key_[window.location[target]], window.number[target], entry.kind});
  }
}

/// Counts the calls of which all is known, and keeps the others.
void GrowingWaits::keep_open(const WaitPart& part, Window& window) {
  const MpiCalls& calls = window.calls;
  OpenTimes open(run_.locations.size());
  std::vector<uint64_t> oldest(run_.rank_count, UINT64_MAX);  // Open send to a rank.
  uint64_t oldest_of_all = window.until_ticks;
  if (!window.ended) {
    const auto add_send = [&](uint32_t location, uint64_t ticks, uint32_t receiver) {
      open.add(location, ticks);
      if (receiver >= oldest.size()) return;
      oldest[receiver] = std::min(oldest[receiver], first_at(window, location, ticks));
    };
    for (const WaitPart::OpenTick& one : part.open) add_send(one.location, one.ticks, one.receiver);
    for (const WaitPart::Message& one : pending_) {
      add_send(one.send_location, one.send_ticks, one.receiver);
      open.add(one.send_location, one.send_end_ticks);
      open.add(one.recv_location, one.recv_post_ticks);
      open.add(one.recv_location, one.recv_ticks);
    }
    for (const Sending& send : send_ends_) open.add(send.location, send.end_ticks);
    for (const auto& [key, of] : operations_) {
      for (const auto& members : of.open) {
        for (const trace::CollectivePart& one : members) {
          open.add(one.location, one.begin_ticks);
          open.add(one.location, one.end_ticks);
        }
      }
    }
    for (const WaitPart::OpenCall& call : part.open_calls) {
      // What is in MPI_Finalize sends nothing any more.
      if ((call.traits & kFinalizes) == 0)
        oldest_of_all = std::min(oldest_of_all, call.begin_ticks);
    }
  }
  open.sort();
  for (size_t lane = 0; lane < calls.lanes.size(); ++lane) {
    const uint32_t location = calls.lanes[lane].location;
    if (calls.first[lane] == calls.first[lane + 1]) continue;
    const std::span<const uint64_t> times = open.at(location);
    auto next = times.begin();
    auto work = std::lower_bound(calls.poll_work.begin(), calls.poll_work.end(), calls.first[lane],
                                 [](const PollWork& a, uint32_t b) { return a.call < b; });
    for (uint32_t call = calls.first[lane]; call < calls.first[lane + 1]; ++call) {
      while (next != times.end() && *next < calls.begin_ticks[call]) ++next;
      const bool is_asked_for = next != times.end() && *next <= calls.end_ticks[call];
      const bool has_work = work != calls.poll_work.end() && work->call == call;
      const bool is_for_the_end = has_rma_ || calls.is(call, kFinalizes);
      if (is_asked_for || (is_for_the_end && !window.ended)) {
        kept_.push_back({{calls.begin_ticks[call], calls.end_ticks[call], location,
                          calls.region[call], calls.traits[call]},
                         window.number[call],
                         window.latest[call],
                         has_work ? *work : PollWork{}});
        if (calls.is(call, kReceives)) wrong_order_.expect(location, window.number[call]);
      } else {
        count(window, call, has_work ? &*work : nullptr);
      }
      if (has_work) ++work;
    }
  }
  const auto known = [&](uint32_t location) {
    const trace::Rank rank = run_.locations[location].rank;
    const uint64_t ticks = window.ended ? UINT64_MAX : std::min(oldest_of_all, oldest[rank]);
    return WrongOrder::Known{uint32_t{rank}, ticks};
  };
  wrong_order_.settle(known, sums_);
}

/// The begin of the first call there that touches this time, or the time.
uint64_t GrowingWaits::first_at(const Window& window, uint32_t location, uint64_t ticks) {
  const uint32_t lane = window.calls.lane_at(location);
  if (lane == kNoLane) return ticks;
  const auto* const begins = window.calls.begin_ticks.begin();
  const auto first = window.calls.first[lane];
  auto call = static_cast<uint32_t>(
      std::upper_bound(begins + first, begins + window.calls.first[lane + 1], ticks) - begins);
  uint64_t found = ticks;
  while (call > first && window.calls.end_ticks[call - 1] >= ticks) {
    found = window.calls.begin_ticks[--call];
  }
  return found;
}

void GrowingWaits::count(const Window& window, uint32_t call, const PollWork* work) {
  const MpiCalls& calls = window.calls;
  const Latest& latest = window.latest[call];
  const uint32_t rank = run_.locations[window.location[call]].rank;
  const uint64_t begin = calls.begin_ticks[call];
  const bool receives = calls.is(call, kReceives);
  if (work != nullptr && calls.is(call, kMeasured)) {
    sums_.add_polls(*work, calls.region[call], receives, latest.kind, rank, begin, latest.ticks);
    return;
  }
  if (latest.kind == kNoWait) return;
  sums_.add(latest.kind, rank, begin, latest.ticks);
  if (latest.kind == WaitKind::kLateSender && receives && latest.ticks > begin) {
    wrong_order_.add_wait(window.location[call], window.number[call], begin, latest.ticks);
  }
}

uint64_t GrowingWaits::operations() const {
  uint64_t count = 0;
  for (const auto& [key, of] : operations_) count += of.first;
  return count;
}

Waits GrowingWaits::finish() const { return {sums_.rows(), messages_without_call_}; }

}  // namespace pathline::comm
