// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scaling/search/candidates.hpp"
#include "scaling/search/evidence.hpp"

namespace pathline::scaling {

/// Hypotheses that agree in how the kernel grows in the end: in those of their terms that no other
/// of their terms outgrows in every parameter.
struct GrowthClass {
  uint64_t leading = 0;         ///< Equal for equal leading terms; 0: constant.
  double probability = 0;       ///< Of all of them together.
  uint32_t representative = 0;  ///< The most probable one, into the candidates.
};

/// How probable each candidate is, given the data and that one of them is true (Bayesian model
/// averaging).
class Posterior {
 public:
  /// Reuses the memory of former calls.
  void assign(const Measured& measured, std::span<const Candidate> candidates);

  [[nodiscard]] const Noise& noise() const { return noise_; }
  /// Most probable first; equal ones in the order of their candidates.
  [[nodiscard]] std::span<const GrowthClass> classes() const { return classes_; }
  /// Candidates that hold all but two thousandths of the probability (at most 64 of them), most
  /// probable first, and what each holds.
  struct Share {
    uint32_t candidate;
    double probability;
  };
  [[nodiscard]] std::span<const Share> shares() const { return shares_; }

 private:
  Noise noise_;
  std::vector<double> score_;
  std::vector<Share> shares_;
  std::vector<GrowthClass> classes_;
};

}  // namespace pathline::scaling
