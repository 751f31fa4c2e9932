// SPDX-License-Identifier: BSD-3-Clause
#include "app/middle_part.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace pathline::app {
namespace {

using Chosen = std::optional<std::pair<size_t, size_t>>;

/// One behind the other, the last one with nothing behind it.
std::vector<trace::StepWindow> steps_of(const std::vector<uint64_t>& lengths) {
  std::vector<trace::StepWindow> steps;
  uint64_t begin = 1000;
  for (const uint64_t length : lengths) {
    steps.push_back({static_cast<uint32_t>(steps.size()), begin, begin + length});
    begin += length;
  }
  return steps;
}

TEST(SlowerSteps, AreThoseThatTakeMostBeyondTheUsual) {
  std::vector<uint64_t> lengths(40, 100);
  EXPECT_EQ(slower_steps(steps_of(lengths), 15, 24), std::nullopt);
  lengths[3] = 150;  // Beyond by 1.2 % of the time: nothing to speak of.
  EXPECT_EQ(slower_steps(steps_of(lengths), 15, 24), std::nullopt);
  lengths[39] = 600;
  EXPECT_EQ(slower_steps(steps_of(lengths), 15, 24), Chosen({39, 39}));
  lengths[39] = 100;
  lengths[30] = lengths[31] = lengths[33] = 500;  // With a usual one between them.
  EXPECT_EQ(slower_steps(steps_of(lengths), 15, 24), Chosen({30, 33}));
  lengths[20] = 9000;  // It is judged.
  EXPECT_EQ(slower_steps(steps_of(lengths), 15, 24), Chosen({30, 33}));
}

TEST(SlowerSteps, HaveWhatFollowsThem) {
  std::vector<trace::StepWindow> steps = steps_of(std::vector<uint64_t>(10, 100));
  for (size_t i = 8; i < 10; ++i) {  // Something is written between 7 and 8.
    steps[i].begin_ticks += 300;
    steps[i].end_ticks += 300;
  }
  EXPECT_EQ(slower_steps(steps, 4, 5), Chosen({7, 7}));
}

TEST(SlowerSteps, AreNoMoreThanAreJudged) {
  std::vector<uint64_t> lengths(50, 100);
  for (size_t i = 30; i < 50; ++i) lengths[i] = 200;
  lengths[40] = lengths[42] = 300;
  EXPECT_EQ(slower_steps(steps_of(lengths), 10, 12), Chosen({40, 42}));
  EXPECT_EQ(slower_steps(steps_of(lengths), 0, 49), std::nullopt);
  EXPECT_EQ(slower_steps(steps_of(lengths), 0, 29), Chosen({30, 49}));
}

TEST(SlowerSteps, OfAnyStepsLieOutsideAndGainSomething) {
  std::mt19937_64 random(1);
  size_t some = 0;
  for (int round = 0; round < 2000; ++round) {
    const size_t count = 1 + random() % 30;
    std::vector<uint64_t> lengths;
    for (size_t i = 0; i < count; ++i) lengths.push_back(random() % 7 == 0 ? 900 : random() % 100);
    const size_t first = random() % count;
    const size_t last = first + random() % (count - first);
    const Chosen chosen = slower_steps(steps_of(lengths), first, last);
    if (!chosen) continue;
    ++some;
    ASSERT_LE(chosen->first, chosen->second);
    ASSERT_LT(chosen->second, count);
    ASSERT_TRUE(chosen->second < first || chosen->first > last);
    ASSERT_LE(chosen->second - chosen->first, last - first);
    std::vector<uint64_t> judged(lengths.begin() + static_cast<ptrdiff_t>(first),
                                 lengths.begin() + static_cast<ptrdiff_t>(last) + 1);
    std::sort(judged.begin(), judged.end());
    double beyond = 0;
    double all = 0;
    for (size_t i = 0; i < count; ++i) {
      all += static_cast<double>(lengths[i]);
      if (i < chosen->first || i > chosen->second) continue;
      beyond += static_cast<double>(lengths[i]) - static_cast<double>(judged[judged.size() / 2]);
    }
    ASSERT_GE(beyond, 0.0199 * all);
  }
  EXPECT_GT(some, 500U);
}

}  // namespace
}  // namespace pathline::app
