// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "scaling/read/measured.hpp"
#include "scaling/search/basis.hpp"
#include "scaling/search/search.hpp"
#include "scaling/search/stepwise_fit.hpp"

namespace pathline::scaling {

/// One parameter's part of a term, packed: parameter and pair of exponents.
struct PackedFactor {
  uint8_t parameter;
  uint8_t pair;  ///< Into exponent_pairs().
};

/// A term without its coefficient: up to four factors by parameter, packed into one number; 0 is
/// the constant.
class PackedTerm {
 public:
  static constexpr size_t kMaxFactors = 4;
  static constexpr size_t kMaxParameters = 255;
  PackedTerm() = default;
  explicit PackedTerm(PackedFactor factor) { append(factor); }

  /// factor  of a higher parameter than those that are there.
  void append(PackedFactor factor) {
    bits_ = bits_ << 16 | uint64_t(factor.parameter + 1) << 8 | factor.pair;
  }
  [[nodiscard]] size_t size() const { return (size_t(std::bit_width(bits_)) + 15) / 16; }
  [[nodiscard]] PackedFactor operator[](size_t i) const {
    const uint64_t at = bits_ >> 16 * (size() - 1 - i);
    return {static_cast<uint8_t>((at >> 8 & 0xff) - 1), static_cast<uint8_t>(at & 0xff)};
  }
  [[nodiscard]] uint64_t bits() const { return bits_; }
  friend bool operator==(PackedTerm, PackedTerm) = default;

 private:
  uint64_t bits_ = 0;
};

std::vector<Factor> factors_of(PackedTerm term);

/// A hypothesis that was fitted: constant + terms.
struct Candidate {
  static constexpr size_t kMaxTerms = 4;
  std::array<PackedTerm, kMaxTerms> terms;  ///< In the order in which columns were added.
  uint8_t term_count = 0;
  double rss = 0;  ///< Of weighted residuals.
  /// Logarithm of what its evidence owes to anything but its residuals: prior probability, and how
  /// far the data narrow its coefficients down.
  double log_shape = 0;

  [[nodiscard]] size_t column_count() const { return size_t{1} + term_count; }
};

/// Fits all hypotheses worth a look to one kernel after another. One object per thread.
///
/// One parameter: the constant, every pair of exponents, and every two of them. Several: the pairs
/// that explain best how the value varies along lines on which the other parameters are fixed,
/// whatever the others do there, and of these all combinations into sums and products; at most four
/// parameters, those that explain most.
class CandidateSearch {
 public:
  CandidateSearch(const Basis& basis, const SearchOptions& options)
      : basis_(basis), options_(options) {}

  /// Valid until the next call.
  std::span<const Candidate> find(const Measured& measured);

  /// Fits one candidate of this kernel again: column 0 is the constant, then its terms.
  const StepwiseFit& refit(const Measured& measured, const Candidate& candidate);

 private:
  /// A pair of exponents of one parameter that is to be tried.
  struct Choice {
    uint8_t pair;
    double log_prior;
  };

  /// How the values follow one parameter where the others are fixed.
  struct AlongLines {
    std::vector<Choice> choices;  ///< The one that explains most first.
    double gain = 0;              ///< Of its log-likelihood over a constant per line.
  };

  void begin(const Measured& measured);
  void record(const Measured& measured, std::span<const PackedTerm> terms, double log_prior);
  bool push(const Measured& measured, PackedTerm term);
  [[nodiscard]] bool falls(const Measured& measured, size_t parameter) const;
  std::vector<Choice> choices(const Measured& measured, size_t parameter);
  [[nodiscard]] AlongLines along_lines(const Measured& measured, size_t parameter,
                                       std::span<const Choice> choices) const;
  void one_parameter(const Measured& measured);
  void several_parameters(const Measured& measured);
  void combine(const Measured& measured, std::span<const uint8_t> parameters,
               const std::vector<std::vector<Choice>>& tried, double prior);
  void independent_terms(const Measured& measured, const std::vector<std::vector<Choice>>& options);
  [[nodiscard]] bool leaves_something(const Measured& measured) const;
  [[nodiscard]] bool all_add_up(const Measured& measured) const;
  void try_structures(const Measured& measured, std::span<const PackedFactor> factors,
                      double log_prior);

  const Basis& basis_;
  const SearchOptions& options_;
  StepwiseFit fit_;
  size_t max_columns_ = 1;
  bool falls_ = false;  // The values, as some parameter grows.
  std::vector<double> target_;
  std::vector<double> product_;
  std::vector<Candidate> found_;
};

}  // namespace pathline::scaling
