// SPDX-License-Identifier: BSD-3-Clause
#include "comm/wait_sums.hpp"

#include <algorithm>

namespace pathline::comm {

void WaitSums::add_polls(const PollWork& work, uint32_t region, bool receives, WaitKind kind,
                         uint32_t rank, uint64_t from_ticks, uint64_t until_ticks) {
  const bool waits = kind != kNoWait && until_ticks > from_ticks;
  Polls& polls = polls_[work.region];
  if (!receives && !waits) {
    polls.gave_up_ticks += work.ticks;
    return;
  }
  polls.received_ticks += work.ticks;
  if (!waits) return;
  const auto add_to = [&](auto& table, uint64_t ticks) {
    Sum& sum = table[{kind, rank}];
    ++sum.count;
    sum.ticks += ticks;
  };
  add_to(polls.as_recorded, until_ticks - from_ticks);
  // A receive behind a probe is what its sender may wait for: when that began is to stay.
  const uint64_t begin = region == work.region ? from_ticks + work.ticks : from_ticks;
  if (begin < until_ticks) add_to(polls.behind_work, until_ticks - begin);
}

std::vector<WaitRow> WaitSums::rows() const {
  WaitSums all(rank_count_);
  all.sums_ = sums_;
  for (const auto& [region, polls] : polls_) {
    const bool works = polls.gave_up_ticks > polls.received_ticks;
    for (const auto& [key, sum] : works ? polls.behind_work : polls.as_recorded) {
      all.add(key.first, key.second, sum);
    }
  }
  std::vector<WaitRow> rows;
  for (size_t kind = 0; kind < kWaitKindCount; ++kind) {
    for (uint32_t rank = 0; rank < all.sums_[kind].size(); ++rank) {
      const Sum& sum = all.sums_[kind][rank];
      if (sum.count > 0) rows.push_back({static_cast<WaitKind>(kind), rank, sum.count, sum.ticks});
    }
  }
  return rows;
}

}  // namespace pathline::comm
