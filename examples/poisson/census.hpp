// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "examples/poisson/work.hpp"

namespace poisson {

/// Which rank has most to do, and what? The mistake that is planted here, to be found: every rank
/// hears from every other what it does in each part of the program, in each iteration, although the
/// largest sum is all that is looked at. Unnoticed on a few ranks; memory, bytes and time grow with
/// their number.
class Census {
 public:
  /// begin  what was done before does not count.
  explicit Census(const Work& begin);

  /// Collective, at the end of an iteration.
  void take(Work& work);

  /// The work of the busiest rank beside the mean, in the last iteration.
  [[nodiscard]] double largest_share() const { return largest_share_; }

 private:
  int rank_ = 0;
  std::vector<Work::Flops> ranks_;  ///< All of the program.
  Work::Flops before_;
  double largest_share_ = 1;
};

}  // namespace poisson
