// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace pathline::synth {

/// Chooses the amount of computation per time step so that a run ends when it should, although
/// nobody knows beforehand how long ranks will wait for each other.
class Pace {
 public:
  explicit Pace(uint64_t end_ns) : end_ns_(end_ns) {}

  /// Called before each step.
  ///
  /// weight            of this step, in units of an ordinary one.
  /// remaining_weight  of this step and all that follow.
  /// returns           computation of an ordinary step in nanoseconds.
  double step_ns(uint64_t now_ns, double weight, double remaining_weight);

 private:
  uint64_t end_ns_;
  uint64_t last_now_ns_ = 0;
  double last_compute_ns_ = 0;
  double stretch_ = 1.1;  // Time a step takes, by its computation.
};

}  // namespace pathline::synth
