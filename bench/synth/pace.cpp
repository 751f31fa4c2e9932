// SPDX-License-Identifier: BSD-3-Clause
#include "bench/synth/pace.hpp"

#include <algorithm>

namespace pathline::synth {

double Pace::step_ns(uint64_t now_ns, double weight, double remaining_weight) {
  if (last_compute_ns_ > 0) {
    const double seen = static_cast<double>(now_ns - last_now_ns_) / last_compute_ns_;
    stretch_ = 0.8 * stretch_ + 0.2 * std::clamp(seen, 0.5, 50.0);
  }
  const double left_ns = now_ns < end_ns_ ? static_cast<double>(end_ns_ - now_ns) : 0;
  const double unit_ns = std::max(1000.0, left_ns / std::max(remaining_weight, weight) / stretch_);
  last_now_ns_ = now_ns;
  last_compute_ns_ = unit_ns * weight;
  return unit_ns;
}

}  // namespace pathline::synth
