// SPDX-License-Identifier: BSD-3-Clause
#include "comm/mpi_calls.hpp"

#include <array>
#include <cctype>
#include <stdexcept>
#include <string>
#include <string_view>

#include "trace/outer_calls.hpp"

namespace pathline::comm {
namespace {

using trace::EventKind;

/// What a region is for the joining of calls.
struct RegionFacts {
  bool is_mpi = false;
  bool polls = false;
  bool probes = false;
  uint8_t traits = 0;
};

RegionFacts facts_of(std::string_view name, bool is_mpi) {
  RegionFacts facts{.is_mpi = is_mpi};
  if (!is_mpi) return facts;
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array<std::string_view, 4> kTests = {"mpi_test", "mpi_testall", "mpi_testany",
                                                      "mpi_testsome"};
  facts.probes = lower == "mpi_iprobe" || lower == "mpi_improbe";
  facts.polls = facts.probes || std::find(kTests.begin(), kTests.end(), lower) != kTests.end();
  if (lower == "mpi_ssend" || lower == "mpi_issend") facts.traits |= kSynchronous;
  if (lower == "mpi_finalize") facts.traits |= kFinalizes;
  if (lower == "mpi_init" || lower == "mpi_init_thread") facts.traits |= kInitializes;
  return facts;
}

struct Call {
  uint64_t begin_ticks;
  uint64_t end_ticks;
  uint32_t region;
  uint32_t enter;
  uint8_t traits;
};

bool is_rma_synchronisation(EventKind kind) {
  switch (kind) {
    case EventKind::kRmaWinCreate:
    case EventKind::kRmaWinDestroy:
    case EventKind::kRmaCollectiveEnd:
    case EventKind::kRmaGroupSync:
    case EventKind::kRmaRequestLock:
    case EventKind::kRmaAcquireLock:
    case EventKind::kRmaReleaseLock:
    case EventKind::kRmaPut:
    case EventKind::kRmaGet:
    case EventKind::kRmaAtomic: return true;
    default: return false;
  }
}

/// The calls of one location.
class Collector {
 public:
  Collector(const trace::Trace& trace, const std::vector<RegionFacts>& regions,
            const trace::Events& events)
      : trace_(trace), regions_(regions), events_(events) {}

  void run() {
    // As trace::for_each_outer_call; but a collective operation outside of calls counts, too.
    uint32_t open = kNone;
    for (uint32_t i = 0; i < events_.size(); ++i) {
      const EventKind kind = events_.kind[i];
      if (open == kNone) {
        const bool enters = kind == EventKind::kEnter && is_mpi(events_.ref[i]);
        if (enters || kind == EventKind::kMpiCollectiveBegin) begin(open = i, enters);
        continue;
      }
      const bool leaves = kind == EventKind::kLeave && events_.ref[i] <= open;
      if (leaves || (region_ == kNone && kind == EventKind::kMpiCollectiveEnd)) {
        end(i);
        open = kNone;
      } else {
        look_at(i);
      }
    }
    if (open != kNone) end(static_cast<uint32_t>(events_.size() - 1));
  }

  // Calls are numbered from 0.
  base::Column<Call> calls;
  std::vector<RmaEvent> rma;
  std::vector<PollWork> poll_work;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  [[nodiscard]] bool is_mpi(uint32_t region) const {
    return region < regions_.size() && regions_[region].is_mpi;
  }

  void begin(uint32_t event, bool enters) {
    region_ = enters ? events_.ref[event] : kNone;
    begin_ticks_ = events_.ticks[event];
    enter_ = event;
    traits_ = enters ? regions_[region_].traits : uint8_t{kTalks};
    polls_ = 1;
    work_ticks_ = 0;
    first_rma_ = rma.size();
  }

  void look_at(uint32_t i) {
    switch (events_.kind[i]) {
      case EventKind::kMpiSend: traits_ |= kTalks | kSends; break;
      case EventKind::kMpiRecv:
      case EventKind::kMpiIrecv: traits_ |= kTalks | kReceives; break;
      case EventKind::kMpiCollectiveBegin:
        if (i == enter_ + 1) begin_ticks_ = events_.ticks[i];
        traits_ |= kTalks;
        break;
      case EventKind::kMpiIsend:
      case EventKind::kMpiIsendComplete:
      case EventKind::kMpiIrecvRequest:
      case EventKind::kMpiCollectiveEnd:
      case EventKind::kNonBlockingCollectiveRequest:
      case EventKind::kNonBlockingCollectiveComplete: traits_ |= kTalks; break;
      case EventKind::kParameterUnsignedInt:
        if (region_ == kNone || !regions_[region_].polls) break;
        take_parameter(trace_.definitions.parameter_name(events_.fields(i)[0]),
                       events_.word64(i, 1));
        break;
      default:
        if (!is_rma_synchronisation(events_.kind[i])) break;
        traits_ |= kTalks;
        rma.push_back({0, i});  // Its call gets a number at its end.
        break;
    }
  }

  void take_parameter(std::string_view name, uint64_t value) {
    if (name == trace::kPollCount) polls_ = std::max<uint64_t>(1, value);
    if (name != trace::kWorkBetweenPolls) return;
    traits_ |= kMeasured;
    const auto hz = static_cast<double>(trace_.definitions.clock.ticks_per_second);
    work_ticks_ = static_cast<uint64_t>(std::min(static_cast<double>(value) * hz / 1e9, 1e18));
  }

  void end(uint32_t event) {
    const uint64_t end_ticks = events_.ticks[event];
    work_ticks_ = std::min(work_ticks_, end_ticks - begin_ticks_);
    const bool polls = region_ != kNone && regions_[region_].polls;
    if (!joined(end_ticks, polls)) {
      const auto traits = static_cast<uint8_t>(traits_ | (polls ? kPolls : 0));
      calls.push_back({begin_ticks_, end_ticks, region_, enter_, traits});
      polls_before_ = polls && !completed_ ? polls_ : 0;
      poll_end_ticks_ = end_ticks;
      add_work(work_ticks_);
    }
    completed_ = false;
    for (size_t k = first_rma_; k < rma.size(); ++k) {
      rma[k].call = static_cast<uint32_t>(calls.size() - 1);
    }
  }

  /// Adds the call to the polls before it if it goes on with them.
  bool joined(uint64_t end_ticks, bool polls) {
    completed_ = (traits_ & kTalks) != 0;
    if (polls_before_ == 0) return false;
    Call& before = calls.back();
    const bool goes_on = polls && region_ == before.region;
    const bool receives = regions_[before.region].probes && (traits_ & kReceives) != 0;
    if (!goes_on && !receives) return false;
    // gap <= 2.5 periods, in integers.
    const uint64_t gap = begin_ticks_ - before.end_ticks;
    const uint64_t spent = poll_end_ticks_ - before.begin_ticks;
    if (2 * gap * polls_before_ > 5 * spent) return false;
    // Who worked between the polls before has done so once more.
    const bool worked = !poll_work.empty() && poll_work.back().call + 1 == calls.size();
    add_work(work_ticks_ + (worked ? gap : 0));
    // It must be known of all of them, unless they are single.
    const bool measured =
        (before.traits & kMeasured) != 0 && (polls_ == 1 || (traits_ & kMeasured) != 0);
    before.end_ticks = end_ticks;
    before.region = region_;
    before.traits |= traits_;
    if (!measured) before.traits &= static_cast<uint8_t>(~kMeasured);
    if (goes_on) poll_end_ticks_ = end_ticks;
    polls_before_ = goes_on && !completed_ ? polls_before_ + polls_ : 0;
    return true;
  }

  /// Of the last call of `calls`.
  void add_work(uint64_t ticks) {
    if (ticks == 0) return;
    const auto call = static_cast<uint32_t>(calls.size() - 1);
    if (poll_work.empty() || poll_work.back().call != call) poll_work.push_back({call, region_, 0});
    poll_work.back().ticks += ticks;
  }

  const trace::Trace& trace_;
  const std::vector<RegionFacts>& regions_;
  const trace::Events& events_;
  // The call that is open.
  uint32_t region_ = kNone;
  uint64_t begin_ticks_ = 0;
  uint32_t enter_ = 0;
  uint8_t traits_ = 0;
  uint64_t polls_ = 1;
  uint64_t work_ticks_ = 0;
  size_t first_rma_ = 0;
  bool completed_ = false;
  // The last call of `calls`: how many polls it is that have not found anything; 0 for another.
  uint64_t polls_before_ = 0;
  uint64_t poll_end_ticks_ = 0;
};

std::vector<RegionFacts> facts_of_regions(const trace::Trace& trace) {
  const std::vector<trace::CallClass> classes = trace::call_classes(trace.definitions);
  std::vector<RegionFacts> facts;
  facts.reserve(classes.size());
  for (size_t i = 0; i < classes.size(); ++i) {
    facts.push_back(
        facts_of(trace.definitions.regions[i].name, classes[i] == trace::CallClass::kMpi));
  }
  return facts;
}

/// Gives the locations with calls their lanes and lays out the columns.
void lay_out(const trace::Trace& trace, const std::vector<Collector>& parts, MpiCalls& result) {
  result.lane_of_location.assign(trace.locations.size(), kNoLane);
  for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
    // A profile has ranks, but no locations; a damaged list may name one for two ranks.
    const uint32_t location =
        rank < trace.rank_location.size() ? trace.rank_location[rank] : kNoLane;
    const bool known =
        location < trace.locations.size() && result.lane_of_location[location] == kNoLane;
    if (known) result.lane_of_location[location] = rank;
    result.lanes.push_back({rank, known ? location : kNoLane});
  }
  for (uint32_t i = 0; i < parts.size(); ++i) {
    if (parts[i].calls.empty() || result.lane_of_location[i] != kNoLane) continue;
    result.lane_of_location[i] = static_cast<uint32_t>(result.lanes.size());
    result.lanes.push_back({trace.locations[i].rank, i});
  }
  size_t count = 0;
  for (const Lane& lane : result.lanes) {
    result.first.push_back(static_cast<uint32_t>(count));
    if (lane.location != kNoLane) count += parts[lane.location].calls.size();
    if (count >= kNoCall) throw std::length_error("more than 4 billion calls of MPI");
  }
  result.first.push_back(static_cast<uint32_t>(count));
  result.begin_ticks.resize(count);
  result.end_ticks.resize(count);
  result.region.resize(count);
  result.enter.resize(count);
  result.traits.resize(count);
  result.rma.resize(result.lanes.size());
}

/// The first index in [begin, end) for which `holds`, which is so for all behind it; `end` if there
/// is none. Looks in growing steps around `guess`.
template <class Holds>
uint32_t first_where(uint32_t begin, uint32_t end, uint32_t guess, Holds holds) {
  uint32_t low = guess;
  uint32_t high = guess;
  if (guess == kNoCall) {
    low = begin;
    high = end;
  } else if (guess < end && !holds(guess)) {
    for (uint32_t step = 1; high < end && !holds(high); step *= 2) {
      low = high + 1;
      high = step < end - high ? high + step : end;
    }
  } else {
    for (uint32_t step = 1; low > begin && holds(low - 1); step *= 2) {
      high = low - 1;
      low = step < low - begin ? low - step : begin;
    }
  }
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

CallFinder::CallFinder(const MpiCalls& calls)
    : calls_(calls), begun_(calls.lanes.size(), kNoCall), ended_(begun_) {}

uint32_t CallFinder::begun_at(uint32_t lane, uint64_t ticks) {
  const uint32_t first = calls_.first[lane];
  const uint32_t after = first_where(first, calls_.first[lane + 1], begun_[lane],
                                     [&](uint32_t i) { return calls_.begin_ticks[i] > ticks; });
  if (after == first) return kNoCall;
  uint32_t call = begun_[lane] = after - 1;
  if (calls_.end_ticks[call] < ticks) return kNoCall;
  while (!calls_.is(call, kTalks) && call > first && calls_.end_ticks[call - 1] >= ticks) --call;
  return call;
}

uint32_t CallFinder::ended_at(uint32_t lane, uint64_t ticks) {
  const uint32_t end = calls_.first[lane + 1];
  uint32_t call = first_where(calls_.first[lane], end, ended_[lane],
                              [&](uint32_t i) { return calls_.end_ticks[i] >= ticks; });
  if (call == end) return kNoCall;
  ended_[lane] = call;
  if (calls_.begin_ticks[call] > ticks) return kNoCall;
  while (!calls_.is(call, kTalks) && call + 1 < end && calls_.begin_ticks[call + 1] <= ticks) {
    ++call;
  }
  return call;
}

MpiCalls mpi_calls(const trace::Trace& trace, base::ThreadPool& pool) {
  const std::vector<RegionFacts> regions = facts_of_regions(trace);
  std::vector<Collector> parts;
  parts.reserve(trace.locations.size());
  for (const trace::Location& location : trace.locations) {
    parts.emplace_back(trace, regions, location.events);
  }
  pool.for_each(parts.size(), [&](size_t i) {
    if (trace.locations[i].rank.valid()) parts[i].run();
  });
  MpiCalls result;
  lay_out(trace, parts, result);
  for (size_t lane = 0; lane < result.lanes.size(); ++lane) {
    if (result.lanes[lane].location == kNoLane) continue;
    for (const PollWork& work : parts[result.lanes[lane].location].poll_work) {
      const uint32_t call = result.first[lane] + work.call;
      result.poll_work.push_back({call, work.region, work.ticks});
    }
  }
  pool.for_each(result.lanes.size(), [&](size_t lane) {
    const uint32_t location = result.lanes[lane].location;
    if (location == kNoLane) return;
    uint32_t row = result.first[lane];
    result.rma[lane] = std::move(parts[location].rma);
    for (RmaEvent& event : result.rma[lane]) event.call += row;
    for (const Call& call : parts[location].calls) {
      result.begin_ticks[row] = call.begin_ticks;
      result.end_ticks[row] = call.end_ticks;
      result.region[row] = call.region;
      result.enter[row] = call.enter;
      result.traits[row] = call.traits;
      ++row;
    }
    parts[location].calls = {};
  });
  return result;
}

}  // namespace pathline::comm
