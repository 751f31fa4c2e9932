// SPDX-License-Identifier: BSD-3-Clause
#include "predict/calibration.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace pathline::predict {
namespace {

Prediction prediction_of(double compute_s, double communication_s) {
  Prediction prediction;
  prediction.compute = {compute_s, compute_s, compute_s};
  prediction.communication = {communication_s, communication_s, communication_s};
  const double step_s = compute_s + communication_s;
  prediction.step = {step_s, step_s, step_s};
  return prediction;
}

/// A run whose messages took `factor` times as long as predicted.
Outcome outcome_of(double compute_s, double communication_s, double factor) {
  return {.predicted_s = compute_s + communication_s,
          .compute_s = compute_s,
          .communication_s = communication_s,
          .measured_s = compute_s + factor * communication_s};
}

TEST(Calibration, WithoutRunsAssumesTheUsualErrorOfTheModel) {
  const Calibration calibration;
  EXPECT_EQ(calibration.runs(), 0U);
  const Prediction found = calibration.applied_to(prediction_of(0, 10));
  EXPECT_DOUBLE_EQ(found.step.value, 10);
  EXPECT_DOUBLE_EQ(found.step.low, 10 * (1 - Calibration::kAssumed));
  EXPECT_DOUBLE_EQ(found.step.high, 10 * (1 + Calibration::kAssumed));
}

TEST(Calibration, FewRunsOnlyWiden) {
  const std::vector<Outcome> outcomes = {outcome_of(0, 10, 1.0), outcome_of(0, 10, 1.5)};
  const Prediction found = Calibration(outcomes).applied_to(prediction_of(0, 2));
  EXPECT_DOUBLE_EQ(found.step.high, 3);
  EXPECT_DOUBLE_EQ(found.step.low, 2 * (1 - Calibration::kAssumed));
}

TEST(Calibration, IntervalsOfManyRunsHoldNineOfTenToCome) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> factor(0.05, 0.3);
  std::uniform_real_distribution<double> seconds(1, 100);
  std::vector<Outcome> outcomes;
  for (int i = 0; i < 200; ++i) {
    outcomes.push_back(outcome_of(seconds(random), seconds(random), factor(random)));
  }
  const Calibration calibration(outcomes);
  int inside = 0;
  constexpr int kCount = 20'000;
  for (int i = 0; i < kCount; ++i) {
    const Outcome next = outcome_of(seconds(random), seconds(random), factor(random));
    const Prediction found =
        calibration.applied_to(prediction_of(next.compute_s, next.communication_s));
    inside += next.measured_s >= found.step.low && next.measured_s <= found.step.high;
  }
  // 200 runs leave the share itself uncertain by 2 %.
  EXPECT_NEAR(static_cast<double>(inside) / kCount, 0.9, 0.05);
}

TEST(Calibration, TheFewestRunsThatHaveRanksGiveTheirExtremes) {
  std::vector<Outcome> outcomes;
  for (uint32_t i = 0; i < Calibration::kFewest; ++i) {
    outcomes.push_back(outcome_of(0, 1, 0.9 + 0.01 * i));
  }
  const Calibration calibration(outcomes);
  EXPECT_NEAR(calibration.low(), -0.1, 1e-9);
  EXPECT_NEAR(calibration.high(), 0.08, 1e-9);
}

TEST(Calibration, NeverNarrowsWhatRowsSay) {
  std::vector<Outcome> outcomes(50, outcome_of(1, 1, 1.0));
  Prediction wide = prediction_of(1, 1);
  wide.step.low = 1;
  wide.step.high = 4;
  const Prediction found = Calibration(outcomes).applied_to(wide);
  EXPECT_LE(found.step.low, 1);
  EXPECT_GE(found.step.high, 4);
}

TEST(Calibration, RunsThatTakeNoTimeSayNothing) {
  const std::vector<Outcome> outcomes(30);
  EXPECT_EQ(Calibration(outcomes).runs(), 0U);
}

}  // namespace
}  // namespace pathline::predict
