// SPDX-License-Identifier: BSD-3-Clause
#include "findings/waits_of.hpp"

#include <algorithm>
#include <numeric>

namespace pathline::findings {

WaitsOf waits_of(const Model& model, const std::vector<bool>& lanes) {
  constexpr size_t kMostWaiting = 4;
  const comm::Dependencies& all = *model.all;
  WaitsOf waits;
  std::vector<uint64_t> by_lane(model.lanes.size());
  uint64_t longest = 0;
  uint32_t longest_call = kNone;
  for (uint32_t lane = 0; lane < model.lanes.size(); ++lane) {
    for (uint32_t call = model.lanes[lane].first_call; call < model.lanes[lane].end_call; ++call) {
      const uint64_t ticks = model.wait_ticks(call);
      if (ticks == 0 || !model.cause_known(call)) continue;
      const uint32_t cause = all.calls.lane_of(all.cause[call]);
      if (cause == lane || !lanes[cause]) continue;
      waits.by_kind[static_cast<size_t>(all.kind[call])] += ticks;
      waits.ticks += ticks;
      by_lane[lane] += ticks;
      if (ticks > longest) {
        longest = ticks;
        longest_call = call;
      }
    }
  }
  std::vector<uint32_t> order(by_lane.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return by_lane[a] > by_lane[b]; });
  for (const uint32_t lane : order) {
    if (by_lane[lane] == 0 || waits.waiting.size() == kMostWaiting) break;
    const uint32_t rank = all.calls.lanes[lane].rank;
    if (std::find(waits.waiting.begin(), waits.waiting.end(), rank) == waits.waiting.end()) {
      waits.waiting.push_back(rank);
    }
  }
  std::sort(waits.waiting.begin(), waits.waiting.end());
  if (longest_call != kNone) {
    // With what comes before: who is waited for was busy then.
    const uint64_t before = longest / 2;
    const uint64_t begin = model.begin(longest_call);
    waits.seen.begin_ticks = std::max(model.window.begin_ticks, begin - std::min(begin, before));
    waits.seen.end_ticks = std::min(model.window.end_ticks, model.wait_end(longest_call) + before);
  }
  return waits;
}

}  // namespace pathline::findings
