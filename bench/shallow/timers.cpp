// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shallow/timers.hpp"

#include <algorithm>
#include <cmath>

namespace shallow {

StepTimes::StepTimes(size_t steps) : steps_(steps), seconds_((kBlockCount + 1) * steps) {}

void StepTimes::begin_loop(double now_s) {
  step_ = 0;
  step_begin_s_ = now_s;
}

void StepTimes::end_block(Block block, double now_s) {
  seconds_[static_cast<size_t>(block) * steps_ + step_] = now_s - last_s_;
  last_s_ = now_s;
}

void StepTimes::end_step() {
  seconds_[kBlockCount * steps_ + step_] = last_s_ - step_begin_s_;
  step_begin_s_ = last_s_;
  ++step_;
}

std::span<const double> StepTimes::block_s(Block block) const {
  return all_s().subspan(static_cast<size_t>(block) * steps_, steps_);
}

std::span<const double> StepTimes::step_s() const { return all_s().last(steps_); }

Quantiles quantiles(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double part) {
    const double place = part * static_cast<double>(sorted.size() - 1);
    const double below = std::floor(place);
    const auto i = static_cast<size_t>(below);
    if (i + 1 >= sorted.size()) return sorted.back();
    return sorted[i] + (place - below) * (sorted[i + 1] - sorted[i]);
  };
  return {.minimum = sorted.front(),
          .lower_quartile = at(0.25),
          .median = at(0.5),
          .percentile_90 = at(0.9)};
}

}  // namespace shallow
