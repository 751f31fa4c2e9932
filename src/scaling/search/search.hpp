// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "scaling/experiment.hpp"
#include "scaling/model.hpp"

namespace pathline::scaling {

enum class Exponent : uint8_t {
  kAuto,      ///< Negative ones too for kernels whose values fall.
  kPositive,  ///< The 42 pairs of Extra-P 4.
  kBoth,      ///< And their mirror images.
};

struct SearchOptions {
  Aggregate aggregate = Aggregate::kMean;
  int max_terms = 2;  ///< Beside the constant: 1 or 2 (of one parameter).
  Exponent exponents = Exponent::kAuto;
  /// Points to predict at, each one value per parameter.
  std::vector<std::vector<double>> targets;
};

struct Prediction {
  double value = 0;  ///< Of the model.
  /// 90 % of what is believed lies between: noise of the measurements and rival models both count.
  /// NaN where fewer than three points tell nothing about others.
  double low = 0;
  double high = 0;
};

/// What a reader of a model should know before he trusts it.
enum class Flag : uint8_t {
  kConstantByNoise,     ///< Values differ, but not by more than their noise explains.
  kNegativePrediction,  ///< Below zero at a target.
  kDecreasing,          ///< Falls with growing parameters.
  kAmbiguous,           ///< Models of other leading terms explain the data about as well.
  kNegativeValues,      ///< Some measurements are negative: fitted by plain least squares.
  kFewPoints,           ///< Fewer than five points for a parameter.
  kNoRepetitions,       ///< The noise is guessed from the residuals.
  kNotSeparable,        ///< The points cannot tell a sum of parameters from a product.
  kPoorFit,             ///< No hypothesis comes near the measurements: they may jump, or follow
                        ///< something else. Fitted by plain least squares.
  kNoLogarithms,        ///< Coordinates below 1: models with logarithms were left out.
};

struct Flags {
  uint32_t bits = 0;
  void set(Flag flag) { bits |= uint32_t{1} << static_cast<unsigned>(flag); }
  void clear(Flag flag) { bits &= ~(uint32_t{1} << static_cast<unsigned>(flag)); }
  [[nodiscard]] bool has(Flag flag) const { return (bits >> static_cast<unsigned>(flag) & 1) != 0; }
};

/// Another model that explains the data about as well.
struct Rival {
  Model model;
  double probability = 0;
};

/// What was found for one kernel.
struct Fit {
  uint32_t kernel = 0;  ///< Into Experiment::kernels.
  Model model;
  /// How likely the leading exponents are, 0 to 1, the hypotheses being all there is.
  double probability = 0;
  double rss = 0;
  double smape = 0;        ///< Percent.
  double adjusted_r2 = 1;  ///< NaN when there are too few points to tell.
  double cv_error = 0;  ///< Percent: mean |predicted - measured| / measured, each point predicted
                        ///< from the others; NaN when there are too few.
  double noise = 0;     ///< Relative standard deviation of a repetition; NaN without repetitions.
  std::vector<Prediction> predictions;  ///< Per target.
  std::vector<Rival> rivals;            ///< Most likely first, at most 5, of other leading terms.
  Flags flags;
};

/// Finds a model for every kernel of an experiment, in their order; independent of the number of
/// threads and of the order of points and repetitions.
std::vector<Fit> fit_all(const Experiment& experiment, const SearchOptions& options,
                         base::ThreadPool& pool);

/// The same for some kernels only.
std::vector<Fit> fit(const Experiment& experiment, std::span<const uint32_t> kernels,
                     const SearchOptions& options, base::ThreadPool& pool);

}  // namespace pathline::scaling
