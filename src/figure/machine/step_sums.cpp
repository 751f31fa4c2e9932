// SPDX-License-Identifier: BSD-3-Clause
#include "figure/machine/step_sums.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::figure {

std::vector<RankPair> pairs_of(const insitu::Step& step) {
  std::vector<RankPair> pairs;
  for (const insitu::PairFigures& one : step.pairs) {  // By source, then destination.
    if (pairs.empty() || pairs.back().source != one.source ||
        pairs.back().destination != one.destination) {
      pairs.push_back({one.source, one.destination});
    }
    pairs.back().calls += one.calls;
    pairs.back().bytes += one.bytes;
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const RankPair& a, const RankPair& b) { return a.bytes < b.bytes; });
  return pairs;
}

std::string written_text(const insitu::Step& step) {
  uint64_t all = 0;
  uint32_t most = 0;
  for (uint32_t rank = 0; rank < step.ranks.size(); ++rank) {
    all += step.ranks[rank].write_bytes;
    if (step.ranks[rank].write_bytes > step.ranks[most].write_bytes) most = rank;
  }
  if (all == 0) return "";
  const double share = static_cast<double>(step.ranks[most].write_bytes) / static_cast<double>(all);
  std::string text = fmt::format("; {} written", base::human_bytes(static_cast<double>(all)));
  if (share > std::min(4.0 / static_cast<double>(step.ranks.size()), 0.9)) {
    text += fmt::format(", {:.0f} % of it by rank {}", 100 * share, most);
  }
  return text;
}

}  // namespace pathline::figure
