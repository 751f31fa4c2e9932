// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "scaling/experiment.hpp"

namespace pathline::scaling {

/// One kernel, reduced to what a least squares fit needs. Noise of run times is roughly
/// multiplicative, so the standard deviation of a repetition is taken to be proportional to the
/// value; where values are negative it is taken to be the same everywhere.
struct Measured {
  std::vector<double> value;  ///< Per point: the aggregate.
  /// Per point: (value - model) / largest * weight has the same variance everywhere, `variance`.
  std::vector<double> weight;
  double variance = 0;  ///< Of a repetition, relative to its value (to `largest`); pooled.
  double freedom = 0;   ///< Degrees of freedom of `variance`; 0: there are no repetitions.
  /// Variance of the rounding of values that have no other noise; 0 for those that have, and for
  /// whole numbers.
  double resolution = 0;
  double smallest = 0;       ///< Of |value|, zeros aside.
  double largest = 0;        ///< Of |value|.
  bool is_constant = false;  ///< All values are equal.
  bool has_negative = false;

  /// Fills all of it; reuses the memory.
  void assign(const Experiment& experiment, size_t kernel, Aggregate how);
  /// The same with noise of the same size everywhere.
  void assign_plain(const Experiment& experiment, size_t kernel, Aggregate how);

 private:
  void assign(const Experiment& experiment, size_t kernel, Aggregate how, bool plain);
};

}  // namespace pathline::scaling
