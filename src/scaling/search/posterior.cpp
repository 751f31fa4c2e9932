// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/search/posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/log_gamma.hpp"

namespace pathline::scaling {
namespace {

/// The place of each pair in the order of growth; what stands still (no factor) is 0.
std::array<int, kPairCount> growth_ranks() {
  const auto pairs = exponent_pairs();
  std::array<int, kPairCount> ranks{};
  for (size_t k = 0; k < kPairCount; ++k) {
    int slower = 0;
    for (const Exponents other : pairs) {
      const bool between = k < kGrowingPairCount
                               ? other.numerator > 0 || (other.numerator == 0 && other.log > 0)
                               : other.numerator < 0;
      if (!between) continue;
      const int order = compare_growth(other, pairs[k]);
      if (k < kGrowingPairCount) {
        slower += order <= 0;
      } else {
        slower -= order >= 0;
      }
    }
    ranks[k] = slower;
  }
  return ranks;
}

int rank_of(PackedTerm term, uint8_t parameter) {
  static const std::array<int, kPairCount> kRanks = growth_ranks();
  for (size_t i = 0; i < term.size(); ++i) {
    if (term[i].parameter == parameter) return kRanks[term[i].pair];
  }
  return 0;
}

bool outgrown_everywhere(PackedTerm a, PackedTerm by) {
  for (const PackedTerm both : {a, by}) {
    for (size_t i = 0; i < both.size(); ++i) {
      const uint8_t d = both[i].parameter;
      if (rank_of(a, d) > rank_of(by, d)) return false;
    }
  }
  return true;
}

/// Equal for equal sets of leading terms, in whatever order they stand; 0 for the constant.
uint64_t leading_terms(const Candidate& candidate) {
  uint64_t key = 0;
  const auto terms = std::span(candidate.terms).first(candidate.term_count);
  for (const PackedTerm term : terms) {
    const bool outgrown = std::ranges::any_of(terms, [&](PackedTerm other) {
      return !(other == term) && outgrown_everywhere(term, other);
    });
    if (outgrown) continue;
    // The finaliser of MurmurHash3, so that sums of keys do not meet.
    uint64_t mixed = term.bits();
    mixed = (mixed ^ mixed >> 33) * 0xff51afd7ed558ccdU;
    mixed = (mixed ^ mixed >> 33) * 0xc4ceb9fe1a85ec53U;
    key += mixed ^ mixed >> 33;
  }
  return key;
}

}  // namespace

void Posterior::assign(const Measured& measured, std::span<const Candidate> candidates) {
  const double point_count = double(measured.value.size());
  double best = INFINITY;
  for (const Candidate& candidate : candidates) {
    const double freedom = point_count - double(candidate.column_count());
    if (freedom > 0) best = std::min(best, candidate.rss / freedom);
  }
  noise_ = noise_beside(measured, std::isfinite(best) ? best : 0);

  std::array<double, Candidate::kMaxTerms + 2> of_columns{};
  for (size_t k = 1; k < of_columns.size(); ++k) {
    const double half = (noise_.freedom + point_count - double(k)) / 2;
    of_columns[k] = (half > 0 ? base::log_gamma(half) : 0) + double(k) / 2 * std::log(2 * M_PI);
  }
  score_.resize(candidates.size());
  double highest = -INFINITY;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const size_t columns = candidates[i].column_count();
    score_[i] = candidates[i].log_shape + of_columns[columns] +
                log_likelihood(noise_, candidates[i].rss, point_count - double(columns));
    highest = std::max(highest, score_[i]);
  }

  // What is a million times less probable than the best would not be seen anyway.
  constexpr double kNegligible = 14;
  shares_.clear();
  classes_.clear();
  double total = 0;
  for (uint32_t i = 0; i < candidates.size(); ++i) {
    if (!(score_[i] > highest - kNegligible)) continue;
    const double probability = std::exp(score_[i] - highest);
    total += probability;
    shares_.push_back({i, probability});
    classes_.push_back({leading_terms(candidates[i]), probability, i});
  }
  for (Share& share : shares_) share.probability /= total;

  std::sort(classes_.begin(), classes_.end(), [](const GrowthClass& a, const GrowthClass& b) {
    return a.leading != b.leading ? a.leading < b.leading : a.representative < b.representative;
  });
  size_t count = 0;
  for (size_t begin = 0; begin < classes_.size();) {
    GrowthClass sum = classes_[begin];
    sum.probability /= total;
    size_t end = begin + 1;
    for (; end < classes_.size() && classes_[end].leading == sum.leading; ++end) {
      sum.probability += classes_[end].probability / total;
      if (score_[classes_[end].representative] > score_[sum.representative]) {
        sum.representative = classes_[end].representative;
      }
    }
    classes_[count++] = sum;
    begin = end;
  }
  classes_.resize(count);
  std::sort(classes_.begin(), classes_.end(), [](const GrowthClass& a, const GrowthClass& b) {
    if (a.probability != b.probability) return a.probability > b.probability;
    return a.representative < b.representative;
  });

  constexpr size_t kMostShares = 64;
  constexpr double kEnough = 0.998;
  const auto more_probable = [](const Share& a, const Share& b) {
    return a.probability != b.probability ? a.probability > b.probability
                                          : a.candidate < b.candidate;
  };
  const size_t looked_at = std::min(shares_.size(), kMostShares);
  std::partial_sort(shares_.begin(), shares_.begin() + ptrdiff_t(looked_at), shares_.end(),
                    more_probable);
  double sum = 0;
  size_t kept = 0;
  while (kept < looked_at && sum < kEnough) sum += shares_[kept++].probability;
  shares_.resize(kept);
}

}  // namespace pathline::scaling
