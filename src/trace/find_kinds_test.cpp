// SPDX-License-Identifier: BSD-3-Clause
#include "trace/find_kinds.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace pathline::trace {
namespace {

constexpr KindRange kAll{static_cast<EventKind>(1), static_cast<EventKind>(kEventKindCount - 1)};
constexpr KindRange kUnmatched = kOnly<EventKind::kUnmatchedLeave>;

template <KindRange... kRanges>
void expect_finds(const std::vector<EventKind>& kinds, size_t first) {
  std::vector<size_t> expected;
  for (size_t i = first; i < kinds.size(); ++i) {
    if (((kinds[i] >= kRanges.first && kinds[i] <= kRanges.last) || ...)) expected.push_back(i);
  }
  std::vector<size_t> found;
  for_each_of<kRanges...>(kinds, first, [&](size_t i) { found.push_back(i); });
  EXPECT_EQ(found, expected);
  EXPECT_EQ(count_of<kRanges...>(kinds, first), expected.size());
}

TEST(FindKinds, FindsWhatALoopFinds) {
  std::mt19937 random(1);
  for (size_t count = 0; count < 300; ++count) {
    SCOPED_TRACE(count);
    std::vector<EventKind> kinds(count);
    for (EventKind& kind : kinds)
      kind = static_cast<EventKind>(1 + random() % (kEventKindCount - 1));
    for (const size_t first : {size_t{0}, count / 3, count}) {
      expect_finds<kMessageKinds>(kinds, first);
      expect_finds<kMessageKinds, kOnly<EventKind::kMeasurementOnOff>>(kinds, first);
      expect_finds<kUnmatched>(kinds, first);
      expect_finds<kAll>(kinds, first);
    }
  }
}

}  // namespace
}  // namespace pathline::trace
