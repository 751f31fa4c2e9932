// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/search/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "scaling/growth.hpp"
#include "scaling/read/measured.hpp"
#include "scaling/search/candidates.hpp"
#include "scaling/search/posterior.hpp"
#include "scaling/search/range.hpp"

namespace pathline::scaling {
namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

/// Fits kernels one after another; one object per thread.
class Fitter {
 public:
  Fitter(const Experiment& experiment, const Basis& basis, const SearchOptions& options)
      : experiment_(experiment), basis_(basis), options_(options), search_(basis, options) {}

  Fit fit(uint32_t kernel);

 private:
  Fit search(uint32_t kernel);
  [[nodiscard]] bool is_poor(const Fit& fit) const;
  [[nodiscard]] Model model_of(const Candidate& candidate, const StepwiseFit& fit) const;
  void fill_row(const Candidate& candidate, size_t target);
  void predict(std::span<const Candidate> candidates, Fit& fit);
  void judge(const Candidate& candidate, Fit& fit);
  void add_rivals(std::span<const Candidate> candidates, Fit& fit);
  void set_flags(Fit& fit) const;

  const Experiment& experiment_;
  const Basis& basis_;
  const SearchOptions& options_;
  Measured measured_;
  CandidateSearch search_;
  std::span<const Candidate> candidates_;  // Of search_.
  Posterior posterior_;
  std::array<double, StepwiseFit::kMaxColumns> row_{};
  std::vector<std::vector<Belief>> beliefs_;  // Per target.
};

Model Fitter::model_of(const Candidate& candidate, const StepwiseFit& fit) const {
  const auto coefficients = fit.coefficients();
  const double unit = measured_.largest > 0 ? measured_.largest : 1;
  Model model;
  model.constant = coefficients[0] * unit;
  constexpr double kRounding = 1e-9;
  if (std::abs(model.constant) < kRounding * measured_.smallest) model.constant = 0;
  std::vector<size_t> order(candidate.term_count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return growth(factors_of(candidate.terms[a])) > growth(factors_of(candidate.terms[b]));
  });
  for (const size_t t : order) {
    Term& term = model.terms.emplace_back();
    term.coefficient = coefficients[t + 1] * unit;
    term.factors = factors_of(candidate.terms[t]);
    for (size_t i = 0; i < candidate.terms[t].size(); ++i) {
      const PackedFactor factor = candidate.terms[t][i];
      term.coefficient /= basis_.scale(factor.parameter, factor.pair);
    }
  }
  return model;
}

/// The columns of a candidate at a target.
void Fitter::fill_row(const Candidate& candidate, size_t target) {
  row_[0] = 1;
  for (size_t t = 0; t < candidate.term_count; ++t) {
    double value = 1;
    for (size_t i = 0; i < candidate.terms[t].size(); ++i) {
      const PackedFactor factor = candidate.terms[t][i];
      value *= basis_.at_target(target, factor.parameter, factor.pair);
    }
    row_[t + 1] = value;
  }
}

/// The range holds what all probable hypotheses together believe: each with the uncertainty of
/// its own coefficients, weighted by its probability.
void Fitter::predict(std::span<const Candidate> candidates, Fit& fit) {
  beliefs_.resize(options_.targets.size());
  for (auto& beliefs : beliefs_) beliefs.clear();
  const double point_count = double(measured_.value.size());
  const double unit = measured_.largest;
  for (const auto& share : posterior_.shares()) {
    const Candidate& candidate = candidates[share.candidate];
    const StepwiseFit& fitted = search_.refit(measured_, candidate);
    const auto coefficients = fitted.coefficients();
    const Noise& noise = posterior_.noise();
    const double freedom = noise.freedom + point_count - double(candidate.column_count());
    const double variance =
        std::max(freedom > 0 ? (noise.freedom * noise.variance + candidate.rss) / freedom : 0,
                 measured_.resolution);
    const double widening = student_widening(freedom);
    for (size_t t = 0; t < beliefs_.size(); ++t) {
      fill_row(candidate, t);
      double mean = 0;
      for (size_t k = 0; k < candidate.column_count(); ++k) mean += row_[k] * coefficients[k];
      const double deviation = std::sqrt(fitted.leverage(row_.data()) * variance) * widening;
      beliefs_[t].push_back({mean * unit, deviation * unit, share.probability});
    }
  }
  // One or two points say nothing about others, unless growth is plain to see.
  const bool something_is_known = candidates.size() > 1 || point_count >= 3;
  for (size_t t = 0; t < beliefs_.size(); ++t) {
    Prediction& prediction = fit.predictions.emplace_back();
    prediction.value = evaluate(fit.model, options_.targets[t]);
    if (!something_is_known) {
      prediction.low = kNotKnown;
      prediction.high = kNotKnown;
      continue;
    }
    const auto [low, high] = most_believed(beliefs_[t], 0.9);
    prediction.low = std::min(low, prediction.value);
    prediction.high = std::max(high, prediction.value);
    if (!measured_.has_negative && prediction.value >= 0) {
      prediction.low = std::max(prediction.low, 0.0);
    }
  }
}

/// What the model leaves unexplained.
void Fitter::judge(const Candidate& candidate, Fit& fit) {
  const StepwiseFit& fitted = search_.refit(measured_, candidate);
  const auto residuals = fitted.residuals();
  const size_t n = measured_.value.size();
  const double unit = measured_.largest > 0 ? measured_.largest : 1;  // Squares stay finite.
  double mean = 0;
  for (const double y : measured_.value) mean += y / unit / double(n);
  double squares = 0;
  double total_squares = 0;
  double symmetric = 0;
  double left_out = 0;
  size_t left_out_count = 0;
  for (size_t p = 0; p < n; ++p) {
    const double y = measured_.value[p] / unit;
    const double model = evaluate(fit.model, experiment_.point(p)) / unit;
    squares += (model - y) * (model - y);
    total_squares += (y - mean) * (y - mean);
    const double size = std::abs(model) + std::abs(y);
    constexpr double kRounding = 1e-12;  // Beside a value of 0 it would be 200 % off.
    if (size > kRounding) symmetric += 200 * std::abs(model - y) / size / double(n);
    const double spare = 1 - fitted.leverage_of_row(p);
    constexpr double kDecidedAlone = 1e-9;  // The point alone fixes a coefficient.
    if (y == 0 || spare < kDecidedAlone) continue;
    const double error = residuals[p] / spare / measured_.weight[p];
    left_out += 100 * std::abs(error / y);
    ++left_out_count;
  }
  fit.rss = squares * unit * unit;
  fit.smape = symmetric;
  fit.cv_error = left_out_count > 0 && n > 1 ? left_out / double(left_out_count) : kNotKnown;
  const double freedom = double(n) - double(candidate.column_count());
  if (candidate.term_count == 0 || total_squares == 0) {
    fit.adjusted_r2 = 1;
  } else if (freedom > 0) {
    fit.adjusted_r2 = 1 - squares / total_squares * (double(n) - 1) / freedom;
  } else {
    fit.adjusted_r2 = kNotKnown;
  }
  fit.noise = measured_.freedom > 0 ? std::sqrt(measured_.variance) : kNotKnown;
}

void Fitter::add_rivals(std::span<const Candidate> candidates, Fit& fit) {
  constexpr size_t kMost = 5;
  constexpr double kWorthNaming = 0.1;  // Of the probability of the best.
  const auto classes = posterior_.classes();
  for (size_t i = 1; i < classes.size() && fit.rivals.size() < kMost; ++i) {
    if (classes[i].probability < kWorthNaming * classes[0].probability) break;
    const Candidate& candidate = candidates[classes[i].representative];
    fit.rivals.push_back(
        {model_of(candidate, search_.refit(measured_, candidate)), classes[i].probability});
  }
}

void Fitter::set_flags(Fit& fit) const {
  Flags& flags = fit.flags;
  const bool growth_was_tried = candidates_.size() > 1;
  if (fit.model.terms.empty() && growth_was_tried) flags.set(Flag::kConstantByNoise);
  if (measured_.has_negative) flags.set(Flag::kNegativeValues);
  if (measured_.freedom == 0) flags.set(Flag::kNoRepetitions);
  if (basis_.fewest_values() < 5) flags.set(Flag::kFewPoints);
  if (basis_.without_logarithms()) flags.set(Flag::kNoLogarithms);
  constexpr double kAsWell = 1.0 / 3;
  if (!fit.rivals.empty() && fit.rivals[0].probability > kAsWell * fit.probability) {
    flags.set(Flag::kAmbiguous);
  }
  for (const Prediction& prediction : fit.predictions) {
    if (prediction.value < 0 && !measured_.has_negative) flags.set(Flag::kNegativePrediction);
  }
  std::vector<double> x(basis_.parameter_count());
  for (size_t p = 0; p < experiment_.point_count(); ++p) {
    for (size_t d = 0; d < x.size(); ++d) x[d] = std::max(x[d], experiment_.point(p)[d]);
  }
  const double now = evaluate(fit.model, x);
  for (double& coordinate : x) {
    const double before = coordinate;
    coordinate *= 2;
    if (evaluate(fit.model, x) < now) flags.set(Flag::kDecreasing);
    coordinate = before;
  }
  for (const Term& term : fit.model.terms) {
    for (const Factor& a : term.factors) {
      for (const Term& other : fit.model.terms) {
        for (const Factor& b : other.factors) {
          if (a.parameter < b.parameter && !are_separable(experiment_, a.parameter, b.parameter)) {
            flags.set(Flag::kNotSeparable);
          }
        }
      }
    }
  }
}

/// Searches with the weights that measured_ has.
Fit Fitter::search(uint32_t kernel) {
  Fit fit;
  fit.kernel = kernel;
  candidates_ = search_.find(measured_);
  posterior_.assign(measured_, candidates_);
  const GrowthClass best = posterior_.classes()[0];
  const Candidate& chosen = candidates_[best.representative];
  fit.model = model_of(chosen, search_.refit(measured_, chosen));
  if (measured_.is_constant) fit.model.constant = measured_.value[0];
  fit.probability = best.probability;
  judge(chosen, fit);
  return fit;
}

/// Far from the measurements, by more than their noise.
bool Fitter::is_poor(const Fit& fit) const {
  constexpr double kFarPct = 10;
  constexpr double kDeviations = 3;
  return fit.smape > kFarPct &&
         (measured_.freedom == 0 || fit.smape > kDeviations * 100 * std::sqrt(measured_.variance));
}

Fit Fitter::fit(uint32_t kernel) {
  measured_.assign(experiment_, kernel, options_.aggregate);
  Fit fit = search(kernel);
  const bool poor = is_poor(fit);
  if (poor && !measured_.has_negative) {
    // Relative residuals of what is far too low are 1 at most, so that the large values, which
    // decide what happens next, may count for too little.
    measured_.assign_plain(experiment_, kernel, options_.aggregate);
    Fit plain = search(kernel);
    if (plain.smape < fit.smape) {
      plain.noise = fit.noise;
      fit = std::move(plain);
    } else {
      measured_.assign(experiment_, kernel, options_.aggregate);
      fit = search(kernel);
    }
  }
  predict(candidates_, fit);
  add_rivals(candidates_, fit);
  set_flags(fit);
  if (poor) {
    fit.flags.set(Flag::kPoorFit);
    fit.flags.clear(Flag::kConstantByNoise);
  }
  return fit;
}

}  // namespace

std::vector<Fit> fit(const Experiment& experiment, std::span<const uint32_t> kernels,
                     const SearchOptions& options, base::ThreadPool& pool) {
  const Basis basis(experiment, options.targets);
  std::vector<Fit> fits(kernels.size());
  constexpr size_t kBlock = 64;  // Kernels that share a workspace.
  pool.for_each((kernels.size() + kBlock - 1) / kBlock, [&](size_t block) {
    Fitter fitter(experiment, basis, options);
    const size_t end = std::min(kernels.size(), (block + 1) * kBlock);
    for (size_t i = block * kBlock; i < end; ++i) fits[i] = fitter.fit(kernels[i]);
  });
  return fits;
}

std::vector<Fit> fit_all(const Experiment& experiment, const SearchOptions& options,
                         base::ThreadPool& pool) {
  std::vector<uint32_t> kernels(experiment.kernels.size());
  std::iota(kernels.begin(), kernels.end(), 0);
  return fit(experiment, kernels, options, pool);
}

}  // namespace pathline::scaling
