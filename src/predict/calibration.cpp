// SPDX-License-Identifier: BSD-3-Clause
#include "predict/calibration.hpp"

#include <algorithm>
#include <vector>

namespace pathline::predict {
namespace {

constexpr uint32_t kPlaces = 20;  // One in so many may lie below the interval, and one above.
/// Of computation nothing repeats more closely, even where rows do.
constexpr double kLeastWidth = 0.01;

double scale(double communication_s, double compute_s, double compute_width_s) {
  return communication_s + std::max(compute_width_s, kLeastWidth * compute_s);
}

}  // namespace

Calibration::Calibration(std::span<const Outcome> outcomes) {
  std::vector<double> scores;
  for (const Outcome& outcome : outcomes) {
    const double by = scale(outcome.communication_s, outcome.compute_s, outcome.compute_width_s);
    if (by > 0) scores.push_back((outcome.measured_s - outcome.predicted_s) / by);
  }
  runs_ = static_cast<uint32_t>(scores.size());
  if (scores.empty()) return;
  std::sort(scores.begin(), scores.end());
  if (runs_ < kFewest) {
    low_ = std::min(low_, scores.front());
    high_ = std::max(high_, scores.back());
    return;
  }
  // At least 1 from kFewest runs on.
  const size_t below = (runs_ + 1) / kPlaces;
  low_ = std::min(0.0, scores[below - 1]);
  high_ = std::max(0.0, scores[runs_ - below]);
}

Prediction Calibration::applied_to(Prediction prediction) const {
  const Time& compute = prediction.compute;
  const double width = (compute.high - compute.low) / 2;
  const double by = scale(prediction.communication.value, compute.value, width);
  const auto widen = [&](Time& time, double share) {
    time.low = std::max(0.0, std::min(time.low, time.value + share * low_));
    time.high = std::max(time.high, time.value + share * high_);
  };
  widen(prediction.step, by);
  widen(prediction.communication, prediction.communication.value);
  return prediction;
}

}  // namespace pathline::predict
