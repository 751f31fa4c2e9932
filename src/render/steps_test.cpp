// SPDX-License-Identifier: BSD-3-Clause
#include "render/steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace pathline::render {
namespace {

constexpr size_t kSide = 80;

struct Case {
  std::vector<Pair> cells = std::vector<Pair>(kSide * kSide);
  Steps steps{};
};

/// Steps of any kind that stay within kSide x kSide cells.
Case random_case(std::mt19937& random, bool is_steep) {
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  };
  Case one;
  const double v = uniform(5, 70);
  one.steps.count = 1 + static_cast<int64_t>(random() % 60);
  one.steps.v_step = std::clamp(uniform(5, 70) - v, -0.9 * static_cast<double>(one.steps.count),
                                0.9 * static_cast<double>(one.steps.count)) /
                     static_cast<double>(one.steps.count);
  one.steps.v = v;
  one.steps.weight = RealPair{uniform(0, 0x1p48), uniform(0, 0x1p48)};
  one.steps.weight_step = RealPair{0, -one.steps.weight[1] / 64};
  one.steps.along = is_steep ? 1 : kSide;
  one.steps.across = is_steep ? kSide : 1;
  return one;
}

TEST(AddSteps, SplitsEveryStepsWeightBetweenTwoPixelsWhateverTheMachineCan) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    Case here = random_case(random, round % 2 == 0);
    Case anywhere = here;
    here.steps.cells = here.cells.data();
    anywhere.steps.cells = anywhere.cells.data();
    add_steps(here.steps);
    add_steps_anywhere(anywhere.steps);
    ASSERT_EQ(std::memcmp(here.cells.data(), anywhere.cells.data(), kSide * kSide * sizeof(Pair)),
              0);

    // By the definition, and nothing anywhere else.
    const Steps& steps = here.steps;
    for (int64_t i = 0; i < steps.count; ++i) {
      const double v = steps.v + steps.v_step * static_cast<double>(i);
      const auto pixel = static_cast<int64_t>(v);
      Pair& first = here.cells[static_cast<size_t>(i * steps.along + pixel * steps.across)];
      Pair& second = here.cells[static_cast<size_t>(i * steps.along + (pixel + 1) * steps.across)];
      for (const int k : {0, 1}) {
        const double weight = steps.weight[k] + steps.weight_step[k] * static_cast<double>(i);
        const auto total = static_cast<double>(first[k] + second[k]);
        // Some bits are lost where weights are as large as these; v is added up.
        ASSERT_NEAR(total, weight, 1e-12 * 0x1p48) << round << " " << i;
        ASSERT_NEAR(static_cast<double>(second[k]), weight * (v - static_cast<double>(pixel)),
                    1e-12 * 0x1p48);
        first[k] = second[k] = 0;
      }
    }
    for (const Pair& cell : here.cells) ASSERT_TRUE(cell[0] == 0 && cell[1] == 0);
  }
}

}  // namespace
}  // namespace pathline::render
