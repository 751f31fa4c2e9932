// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/work_queue.hpp"

namespace pathline::campaign {

uint32_t WorkQueue::take() {
  auto best = ready_.end();
  for (auto at = ready_.begin(); at != ready_.end(); ++at) {
    if (budget_ > 0 && used_ + at->first > budget_) break;
    if (best == ready_.end() || *at->second.begin() < *best->second.begin()) best = at;
  }
  if (best == ready_.end()) return UINT32_MAX;
  const uint32_t package = *best->second.begin();
  best->second.erase(best->second.begin());
  if (best->second.empty()) ready_.erase(best);
  use(package);
  return package;
}

}  // namespace pathline::campaign
