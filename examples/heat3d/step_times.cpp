// SPDX-License-Identifier: BSD-3-Clause
#include "examples/heat3d/step_times.hpp"

#include <algorithm>

namespace heat3d {

StepTimes::StepTimes(int64_t steps) {
  constexpr int64_t kMostSteps = 100'000;
  ends_s_.resize(static_cast<size_t>(std::min(steps, kMostSteps)));
}

double StepTimes::seconds_per_step(MPI_Comm communicator) const {
  std::vector<double> steps_s(count_);
  MPI_Reduce(ends_s_.data(), steps_s.data(), static_cast<int>(count_), MPI_DOUBLE, MPI_MAX, 0,
             communicator);
  for (size_t step = count_ - 1; step > 0; --step) steps_s[step] -= steps_s[step - 1];
  std::sort(steps_s.begin(), steps_s.end());
  return (steps_s[(count_ - 1) / 2] + steps_s[count_ / 2]) / 2;
}

}  // namespace heat3d
