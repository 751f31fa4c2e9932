// SPDX-License-Identifier: BSD-3-Clause
#include "comm/mpi_calls.hpp"

#include <stdexcept>

#include "comm/call_stream.hpp"

namespace pathline::comm {
namespace {

/// Gives the locations with calls their lanes and lays out the columns.
void lay_out(const trace::Trace& trace, const std::vector<CallStream>& parts, MpiCalls& result) {
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
  const std::vector<RegionFacts> regions = region_facts(trace.definitions);
  std::vector<CallStream> parts;
  parts.reserve(trace.locations.size());
  for (size_t i = 0; i < trace.locations.size(); ++i)
    parts.emplace_back(trace.definitions, regions);
  pool.for_each(parts.size(), [&](size_t i) {
    const trace::Events& events = trace.locations[i].events;
    if (!trace.locations[i].rank.valid() || events.size() == 0) return;
    parts[i].add(events, 0);
    parts[i].end(events.ticks[events.size() - 1]);
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
