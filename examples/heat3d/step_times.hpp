// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mpi.h>

namespace heat3d {

/// When one rank was done with each step, by MPI_Wtime. Of a long run the first 100,000 steps
/// count: the memory is touched before the first of them.
class StepTimes {
 public:
  /// steps  at most so many
  explicit StepTimes(int64_t steps);

  void begin(double now_s) { begin_s_ = now_s; }
  void end_step(double now_s) {
    if (count_ < ends_s_.size()) ends_s_[count_++] = now_s - begin_s_;
  }

  /// The median, over the steps, of how much later the last rank was done with a step than the last
  /// rank with the step before. Collective, after as many steps on all ranks; rank 0 gets the
  /// result.
  [[nodiscard]] double seconds_per_step(MPI_Comm communicator) const;

 private:
  double begin_s_ = 0;
  size_t count_ = 0;
  std::vector<double> ends_s_;
};

}  // namespace heat3d
