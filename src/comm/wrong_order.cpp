// SPDX-License-Identifier: BSD-3-Clause
#include "comm/wrong_order.hpp"

#include <algorithm>

namespace pathline::comm {

void WrongOrder::settle(uint32_t location, uint32_t rank, uint64_t ticks, WaitSums& sums) {
  Location& of = of_[location];
  const auto by_number = [](const auto& a, const auto& b) { return a.number < b.number; };
  std::sort(of.received.begin(), of.received.end(), by_number);
  std::sort(of.waits.begin(), of.waits.end(), by_number);

  std::vector<uint32_t> open = std::move(of.expected);  // Calls that are asked about later.
  std::vector<Wait> waits;
  uint64_t first_sent = UINT64_MAX;  // Of all that later calls received.
  auto received = of.received.end();
  for (auto wait = of.waits.end(); wait != of.waits.begin();) {
    --wait;
    while (received != of.received.begin() && (received - 1)->number > wait->number) {
      first_sent = std::min(first_sent, (--received)->sent_ticks);
    }
    if (first_sent > wait->begin_ticks && wait->until_ticks > ticks) {
      waits.push_back(*wait);
      open.push_back(wait->number);
      continue;
    }
    sums.add(WaitKind::kWrongOrder, rank, std::max(first_sent, wait->begin_ticks),
             wait->until_ticks);
  }
  of.waits = std::move(waits);
  of.expected.clear();

  // Between two calls that are asked about, the earliest is enough.
  std::sort(open.begin(), open.end());
  std::vector<Received> rest;
  auto next = open.begin();
  for (const Received& one : of.received) {
    const auto behind = std::lower_bound(next, open.end(), one.number);  // Those in front see it.
    if (behind == open.begin()) continue;
    if (rest.empty() || behind != next) {
      rest.push_back(one);
    } else {
      rest.back() = {one.number, std::min(rest.back().sent_ticks, one.sent_ticks)};
    }
    next = behind;
  }
  of.received = std::move(rest);
}

}  // namespace pathline::comm
