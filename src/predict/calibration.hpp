// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "predict/model.hpp"

namespace pathline::predict {

/// What was predicted for a run, and what came about.
struct Outcome {
  double predicted_s = 0;      ///< Of a step, all of these.
  double compute_s = 0;        ///< Predicted.
  double compute_width_s = 0;  ///< Half of the interval of that, as the benchmark rows give it.
  double communication_s = 0;  ///< Predicted.
  double measured_s = 0;
};

/// By how much the model is wrong, which rows of benchmarks cannot say: it leaves out how shares of
/// links are negotiated, packing, and what an application does besides.
///
/// A score of a run is (measured - predicted) / (predicted messages + width of the computation).
/// The interval that 90 % of the scores so far lie in, by the ranks of split conformal prediction
/// (Vovk, Gammerman, Shafer, "Algorithmic Learning in a Random World", 2005), will hold 90 % of
/// those to come if they are like them. Fewer than kFewest runs have no such ranks: then it is what
/// they spread over, at least kAssumed to either side.
class Calibration {
 public:
  static constexpr uint32_t kFewest = 19;
  /// From the simulated machines of doc/deployment.md.
  static constexpr double kAssumed = 0.2;

  Calibration() = default;
  explicit Calibration(std::span<const Outcome> outcomes);
  /// Of a model that is never wrong: intervals are those of the rows.
  static Calibration none() {
    Calibration calibration;
    calibration.low_ = calibration.high_ = 0;
    return calibration;
  }

  /// Runs that it follows from.
  [[nodiscard]] uint32_t runs() const { return runs_; }
  /// Scores, low <= 0 <= high.
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

  /// The same prediction with wider intervals: those of the rows and that of the model.
  [[nodiscard]] Prediction applied_to(Prediction prediction) const;

 private:
  uint32_t runs_ = 0;
  double low_ = -kAssumed;
  double high_ = kAssumed;
};

}  // namespace pathline::predict
