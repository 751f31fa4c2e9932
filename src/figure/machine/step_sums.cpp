// SPDX-License-Identifier: BSD-3-Clause
#include "figure/machine/step_sums.hpp"

#include <algorithm>

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

}  // namespace pathline::figure
